#pragma once

#include <pelt/verbs/verb.h>

namespace pelt::batch {

/// `pelt batch`
verbs::Verb batchVerb();

}  // namespace pelt::batch
