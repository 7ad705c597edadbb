/* Counts what does not hold, with the line and the library's sentence. */
#ifndef PELT_TESTS_CHECK_H
#define PELT_TESTS_CHECK_H

#include <pelt/pelt.h>
#include <stdio.h>

static int failures = 0;
#define CHECK(condition)                                                             \
    do {                                                                             \
        if (!(condition)) {                                                          \
            printf("line %d: %s; %s\n", __LINE__, #condition, pelt_error_message()); \
            ++failures;                                                              \
        }                                                                            \
    } while (0)

#endif
