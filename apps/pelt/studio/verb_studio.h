#pragma once

#include <pelt/verbs/verb.h>

namespace pelt::studio {

/// `pelt studio`
verbs::Verb studioVerb();

}  // namespace pelt::studio
