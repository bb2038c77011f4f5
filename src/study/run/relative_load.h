/* relload=: the load of a stream as a fraction of a saturation load, determined before the run. */
#ifndef BOUGH_STUDY_RUN_RELATIVE_LOAD_H
#define BOUGH_STUDY_RUN_RELATIVE_LOAD_H

#include "base/text/text.h"
#include "method/method.h"

/* Saturation loads that were determined, by key; zero-initialise all but the seed. */
typedef struct saturation_book {
    uint64_t seed; /* of the trial that determines them */
    struct {
        char *key;
        double load; /* flits/cycle/endpoint */
    } * known;
    size_t count, capacity;
} saturation_book;
void saturation_book_fini(saturation_book *book);

/* The caller frees both. spec: NULL if there was nothing to convert. */
typedef struct relload_result {
    char *spec;
    bough_text note; /* a line for the user */
} relload_result;

/* Converts a traffic spec with relload=R,of=METHOD to one with load= R times the saturation load that METHOD
 * finds on point's network and routing for this traffic. point->traffic is ignored. */
bough_status relload_resolve(const char *spec, const bough_point *point, saturation_book *book,
                             relload_result *result, bough_error *error);

#endif
