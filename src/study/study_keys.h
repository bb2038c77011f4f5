/* What `bough sim`, `bough run`, bough_simulate and the package bough for Python may ask: the keys, and the
 * study that they make. */
#ifndef BOUGH_STUDY_STUDY_KEYS_H
#define BOUGH_STUDY_STUDY_KEYS_H

#include "base/text/keys.h"
#include "network/spec_or_file.h"
#include "study/study.h"

/* A question: one point, or a study in its place. Zero-initialise. Lists are in the memory of keys_read,
 * texts are borrowed. */
typedef struct study_asked {
    network_asked network;
    const char *traffic;
    const char *const *routing, *const *method;
    size_t routings, methods;
    uint64_t seed;

    const char *study, *text; /* a file or a name; the text of a file. NULL: one point */
    const char *const *set;   /* KEY=VALUE */
    size_t sets;

    uint64_t trials; /* 0: not given */
    const char *precision;
    const char *const *quantiles, *const *above;
    size_t quantiles_count, above_count;
    const char *store; /* a directory, for the caller */
} study_asked;

extern const question_key point_keys[], grid_keys[],
    statistics_keys[]; /* of a study_asked: for one point; for a study */

/* Fills a study, zeroed but for its registry, of which the caller calls bough_study_fini, also after an
 * error. dashes: before keys in messages. */
bough_status study_asked_make(const study_asked *asked, const char *dashes, bough_study *study,
                              bough_error *error);
/* Adds the statistics that were asked for. */
bough_status study_asked_statistics(const study_asked *asked, bough_study *study, bough_error *error);

#endif
