#include "sim/circuit_labels.h"

#include "base/memory.h"
#include "sim/circuit_labels_climb.h"
#include "sim/circuit_labels_rounds.h"

#include <stdlib.h>

struct circuit_labels {
    labels_rounds *rounds;
};

bool circuit_labels_fit(const bough_point *p, const circuit_options *o) {
    return (p->net->gives & BOUGH_GIVES_LABELS) && !p->net->dead &&
           p->routing->kind == bough_routing_kinds[0] && p->net->levels <= LABELS_LEVELS_MAX &&
           p->traffic->distinct && o->mode == CIRCUIT_ROUNDS && !o->release_at_end && !o->scenarios &&
           !o->history;
}

/* The batch itself is read while nothing else of a trial is held, but stays in the process. */
uint64_t circuit_labels_bytes(const bough_point *p, const circuit_options *o) {
    uint64_t m = p->traffic->messages;
    (void)o;
    return bough_add(labels_rounds_bytes(p->net->levels, m), bough_mul(m, 8));
}

bough_status circuit_labels_run(const bough_run *run, const circuit_options *o, bough_key key,
                                circuit_labels **workspace, circuit_result *result, bough_error *error) {
    bough_status status = BOUGH_OK;
    *result = (circuit_result){0};
    if (!*workspace) status = bough_alloc(workspace, 1, sizeof **workspace, error);
    if (status) return status;
    circuit_labels *w = *workspace;
    if (!w->rounds)
        status = labels_rounds_make(run->point.net->levels, run->point.traffic->messages, &w->rounds, error);
    return status ? status : labels_rounds_run(w->rounds, run, o, key, result, error);
}

void circuit_labels_free(circuit_labels *w) {
    if (!w) return;
    labels_rounds_free(w->rounds);
    free(w);
}
