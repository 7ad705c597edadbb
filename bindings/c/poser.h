#pragma once

#include <pelt/verbs/live_pose.h>
#include <pelt/verbs/preparation_cache.h>

#include <nlohmann/json_fwd.hpp>

#include "handles.h"

/// A character held by handles.
struct pelt_poser {
    pelt_poser(const pelt_character* given, pelt::verbs::PoseRequest request, const pelt::Progress& progress);

    const pelt_character* character;
    pelt::verbs::PreparationShelf taken{false};  ///< what was prepared elsewhere
    pelt::verbs::LivePoser live;                 ///< refers to it
    mutable std::vector<pelt::Affine3d> bones;   ///< scratch, per joint slot
};

namespace pelt::c {

/// Of the options of a poser. Throws Error.
verbs::PoseRequest poserRequest(const Character& character, nlohmann::ordered_json options);

/// Handles from the text of a list, or of the object of a handles file. Throws Error (bad input).
std::vector<verbs::PoseHandle> posedHandles(const char* text);

}  // namespace pelt::c
