#pragma once

#include <filesystem>

#include "batch/plan/plan.h"
#include "batch/report/report.h"
#include "batch/run/run.h"

namespace pelt::batch {

/// Adds items that draw each character: what its last item wrote, at rest and in the pose of its first clip that is
/// farthest from rest. Characters that have a `render` item of their own get none.
void addPictures(Plan& plan, const std::filesystem::path& state);

/// One page with a card per character: pictures, errors and times of its items, and what went wrong. Characters with
/// an item that failed come first.
void writeGallery(const std::filesystem::path& page, const Plan& plan, const Results& results);

}  // namespace pelt::batch
