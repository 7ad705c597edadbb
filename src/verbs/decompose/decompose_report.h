#pragma once

#include <pelt/verbs/decompose.h>

#include "verbs/run/report.h"

namespace pelt::verbs {

/// The opened inputs, each with the name of its clip.
struct Sequences {
    std::vector<std::unique_ptr<MeshSequence>> opened;
    std::vector<NamedSequence> named;
};

void reportDecompose(Run& run, fit::BoneKind kind, const Sequences& sequences, const DecomposeResult& made,
                     const geometry::SequenceError& error);

}  // namespace pelt::verbs
