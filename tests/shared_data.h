#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "places.h"

/// Real characters that are not part of the repository: tests that need them declare it and are skipped without them.
inline std::filesystem::path sharedPath(const char* relative) {
    return std::filesystem::path(kSharedFolder) / relative;
}

#define PELT_NEEDS_SHARED(relative)                     \
    if (!std::filesystem::exists(sharedPath(relative))) \
    GTEST_SKIP() << "needs " << sharedPath(relative) << ", which is not part of the repository"
