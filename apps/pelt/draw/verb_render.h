#pragma once

#include <pelt/verbs/verb.h>

namespace pelt::draw {

/// `pelt render`
verbs::Verb renderVerb();

}  // namespace pelt::draw
