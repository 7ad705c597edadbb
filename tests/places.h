#pragma once

/// Files and programs that tests use. Their paths are compiled into one small file of each test program, so that a
/// compiler cache can serve all other files of any checkout.
extern const char* const kTestData;       ///< tests/data
extern const char* const kSharedFolder;   ///< real characters, beside the checkout
extern const char* const kProgram;        ///< pelt
extern const char* const kImportProgram;  ///< pelt-import
