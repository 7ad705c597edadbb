#pragma once

#include <pelt/verbs/verb.h>

namespace pelt::program {

verbs::Verb verbsVerb();

}  // namespace pelt::program
