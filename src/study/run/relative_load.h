/* relload=: the load of a stream as a fraction of a saturation load, determined before the run. */
#ifndef BOUGH_STUDY_RUN_RELATIVE_LOAD_H
#define BOUGH_STUDY_RUN_RELATIVE_LOAD_H

#include "bough/method.h"

/* Saturation loads that were determined, by key; zero-initialise. */
typedef struct saturation_book {
    struct {
        char *key;
        double load; /* flits/cycle/endpoint */
    } * known;
    size_t count, capacity;
} saturation_book;
void saturation_book_fini(saturation_book *book);

/* Converts a traffic spec with relload=R,of=METHOD to one with load= R times the saturation load that METHOD
 * finds on point's network and routing for this traffic, in the first trial of seed. *resolved: that spec;
 * NULL if there is nothing to convert. *note: a line for the user. Both are heap strings. point->traffic is
 * ignored. */
bough_status relload_resolve(const char *spec, const bough_point *point, uint64_t seed, saturation_book *book,
                             char **resolved, char **note, bough_error *error);

#endif
