// Paths of this checkout and its build: the only tests' file that has them.
#include "places.h"

const char* const kTestData = PELT_TEST_DATA;
const char* const kSharedFolder = PELT_SHARED;
const char* const kProgram = PELT_PROGRAM;
const char* const kImportProgram = PELT_IMPORT_PROGRAM;
