#include "engines/circuit/labels/labels.h"
#include "network/families/xgft_tree.h"
#include "routing/routing_list.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/circuit/labels/labels_cycles.h"
#include "engines/circuit/labels/labels_rounds.h"
#include "engines/circuit/labels/labels_up.h"

#include <stdlib.h>

/* One of the two is used, depending on the mode. */
struct circuit_labels {
    labels_rounds *rounds;
    labels_cycles *cycles;
};

static bool runs_rounds(const circuit_options *o) {
    return o->mode == CIRCUIT_ROUNDS || (o->mode == CIRCUIT_CYCLES && o->retry == CIRCUIT_ROUND);
}

/* The router and the retries of strumpen2005. */
static bool plain(const circuit_options *o) {
    return o->forward == 2 && o->back == 1 && !o->jitter && !o->veterans && !o->same_path && !o->wait &&
           !o->discard && !o->wires && !o->latency && !o->give_up;
}

bool circuit_labels_fit(const bough_point *p, const circuit_options *o) {
    const xgft_shape *shape = xgft_shape_of(p->net);
    bool rounds = runs_rounds(o) && !o->release_at_end;
    bool cycles =
        o->mode == CIRCUIT_CYCLES && o->retry == CIRCUIT_IMMEDIATE && o->payload <= LABELS_PAYLOAD_MAX;
    return shape && xgft_is_binary(shape) && p->routing->kind == &bough_routing_free &&
           p->net->levels <= LABELS_LEVELS_MAX && p->traffic->distinct && !o->scenarios && !o->levels &&
           !o->reply && plain(o) && (rounds || cycles);
}

/* The batch is added to the memory that earlier trials keep in use. */
uint64_t circuit_labels_bytes(const bough_point *p, const circuit_options *o) {
    uint64_t m = p->traffic->messages, batch = bough_mul(m, 8);
    if (o->history && !runs_rounds(o)) batch = bough_add(batch, bough_mul(p->net->endpoints, 4));
    return bough_add(batch, runs_rounds(o) ? labels_rounds_bytes(p->net->levels, m)
                                           : labels_cycles_bytes(p->net->levels, m, o->payload));
}

uint64_t circuit_labels_bytes_each(const bough_point *p, const circuit_options *o) {
    const unsigned h = p->net->levels;
    const uint64_t m = p->traffic->messages;
    return runs_rounds(o) ? labels_rounds_bytes_each(h, m) : labels_cycles_bytes_each(h, m, o->payload);
}

bough_status circuit_labels_run(const circuit_trial *trial, circuit_labels **workspace,
                                circuit_result *result, bough_error *error) {
    const circuit_options *o = trial->options;
    const unsigned h = trial->run->point.net->levels;
    const uint64_t m = trial->run->point.traffic->messages;
    bough_status status = BOUGH_OK;
    *result = (circuit_result){0};
    if (!*workspace) status = bough_alloc(workspace, 1, sizeof **workspace, error);
    if (status) return status;
    circuit_labels *w = *workspace;
    if (runs_rounds(o)) {
        if (!w->rounds) status = labels_rounds_make(h, m, NULL, &w->rounds, error);
        TRY(labels_rounds_run(w->rounds, trial, result, error));
    } else {
        if (!w->cycles) status = labels_cycles_make(h, m, o->payload, &w->cycles, error);
        TRY(labels_cycles_run(w->cycles, trial, result, error));
    }
    return status;
}

void circuit_labels_free(circuit_labels *w) {
    if (!w) return;
    labels_rounds_free(w->rounds);
    labels_cycles_free(w->cycles);
    free(w);
}
