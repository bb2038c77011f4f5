/* circuit:mode=rounds on the binary fat-tree, with paths as labels. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_ROUNDS_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_ROUNDS_H

#include "base/rank_group.h"
#include "engines/circuit/circuit.h"

typedef struct labels_rounds labels_rounds;

/* Internal layout, which does not affect results. 0: the fastest as measured. For tests. */
typedef struct labels_tuning {
    unsigned cut;     /* as in labels_positions.h */
    unsigned classes; /* number of classes, those with the highest apexes, that may be kept in planes */
    uint64_t share;   /* classes with more than n / share messages are kept in planes */
    bool no_planes;
} labels_tuning;

/* Whether a uniform batch of so many messages has classes in planes. */
bool labels_rounds_uses_planes(unsigned h, uint64_t messages);

uint64_t labels_rounds_bytes(unsigned h, uint64_t messages);
/* Of each further thread. */
uint64_t labels_rounds_bytes_each(unsigned h, uint64_t messages);
/* Of all ranks together that divide a network of 2^top endpoints among them. */
uint64_t labels_rounds_bytes_divided(unsigned top, uint64_t messages);
/* tuning may be NULL. */
bough_status labels_rounds_make(unsigned h, uint64_t messages, const labels_tuning *tuning,
                                labels_rounds **rounds, bough_error *error);
/* The subtree of endpoints rank * 2^h .. of a network of 2^top endpoints; each rank of a group of 2^(top - h)
 * has one, and they run trials together (labels_border.h). messages: those that start in the subtree. The
 * group must outlive *rounds. */
typedef struct labels_part {
    unsigned h, top;
    const rank_group *group;
    labels_tuning tuning; /* zero, except for tests; classes: of the whole network */
} labels_part;
bough_status labels_rounds_make_part(const labels_part *part, uint64_t messages, labels_rounds **rounds,
                                     bough_error *error);
void labels_rounds_free(labels_rounds *rounds); /* NULL is allowed */
bough_status labels_rounds_run(labels_rounds *rounds, const circuit_trial *trial, circuit_result *result,
                               bough_error *error);

#endif
