/* A search for message sets on which a method does badly: named patterns first, then random changes of the
 * worst of them, each kept unless the set gets easier. A lower bound of the worst, with the set that shows
 * it. */
#ifndef BOUGH_ENGINES_HARD_SETS_SET_SEARCH_H
#define BOUGH_ENGINES_HARD_SETS_SET_SEARCH_H

#include "method/method.h"
#include "searches/hard_sets/message_set.h"

/* What is maximised: a metric of the method over one of `linkload`; per = BOUGH_METRIC_COUNT: over 1. */
typedef struct set_objective {
    const char *method; /* spec */
    bough_metric_id maximise, per;
} set_objective;

typedef struct set_search {
    bough_point point; /* its traffic is not used */
    set_objective objective;
    uint64_t degree;      /* of the sets */
    uint64_t sets;        /* to try; those of the start always are */
    bough_key key;        /* of the changes, and of the trials of the method */
    const bough_run *run; /* asked for stop, told of progress; may be NULL */
} set_search;

typedef struct set_found {
    double value, maximised;
    message_set set;
    uint64_t tried;
    char start[SET_NAME_MAX]; /* from what it was grown */
} set_found;

/* The result is a function of the options alone. Errors: those of the method, INTERRUPTED; INVALID if the
 * method does not report the metric. found is released by set_found_fini, also after an error. */
bough_status set_search_run(const set_search *search, set_found *found, bough_error *error);
void set_found_fini(set_found *found);
/* Memory of a search, and of one trial of the method in it: that of an h-relation of the degree. */
bough_status set_search_bytes(const set_search *search, uint64_t *bytes, bough_error *error);

/* Writes the set for messages:FILE. Errors: IO, INVALID. */
bough_status set_write(const message_set *set, const char *path, const char *comment, bough_error *error);

#endif
