/* What holds for every input: a fuzz target aborts where it does not. */
#ifndef BOUGH_FUZZ_MUST_H
#define BOUGH_FUZZ_MUST_H

#include <stdlib.h>

#define MUST(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) abort();                                                                           \
    } while (0)

#endif
