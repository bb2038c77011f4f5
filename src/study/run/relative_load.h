/* relload=: the load of a stream as a share of a saturation, found before anything runs. */
#ifndef BOUGH_STUDY_RUN_RELATIVE_LOAD_H
#define BOUGH_STUDY_RUN_RELATIVE_LOAD_H

#include "bough/method.h"

/* Saturations that were found, by what they are of; zero-initialise. */
typedef struct saturation_book {
    struct {
        char *key;
        double load; /* flits/cycle/endpoint */
    } * known;
    size_t count, capacity;
} saturation_book;
void saturation_book_fini(saturation_book *book);

/* A traffic spec with relload=R,of=METHOD becomes one with load= R times the saturation that METHOD finds on
 * point's network and routing for this traffic, in the first trial of seed. *resolved: that spec; NULL where
 * there is nothing to resolve. *note: a line for a person. Both are heap strings. point->traffic is not
 * looked at. */
bough_status relload_resolve(const char *spec, const bough_point *point, uint64_t seed, saturation_book *book,
                             char **resolved, char **note, bough_error *error);

#endif
