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
    rank_group part; /* the ranks that have a subtree each */
    group_state state;
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
           p->net->levels <= (rounds ? LABELS_TOP_MAX : LABELS_LEVELS_MAX) && p->traffic->distinct &&
           !o->scenarios && !o->levels && !o->reply && plain(o) && (rounds || cycles);
}

/* The batch is added to the memory that earlier trials keep in use. */
uint64_t circuit_labels_bytes(const bough_point *p, const circuit_options *o) {
    uint64_t m = p->traffic->messages, batch = bough_mul(m, 8);
    if (o->history && !runs_rounds(o)) batch = bough_add(batch, bough_mul(p->net->endpoints, 4));
    return bough_add(batch, runs_rounds(o) ? labels_rounds_bytes(p->net->levels, m)
                                           : labels_cycles_bytes(p->net->levels, m, o->payload));
}

/* A power of two, of which each has a subtree with columns for all of them. */
static unsigned parts_of(unsigned levels, unsigned ranks) {
    unsigned parts = 1;
    while (2 * parts <= ranks && (uint64_t)4 * parts * parts <= UINT64_C(1) << levels) parts *= 2;
    return parts;
}

unsigned circuit_labels_joint(const bough_point *p, const circuit_options *o) {
    const unsigned levels = p->net->levels;
    if (!runs_rounds(o)) return 0;
    return levels > LABELS_LEVELS_MAX ? 1u << (levels - LABELS_LEVELS_MAX) : 1;
}

/* Figures in docs/cluster.md: 2 ranks gain from 2^22 endpoints on if they keep classes in planes. Labels take
 * more CPU time in all than those of one rank. */
unsigned circuit_labels_joint_pays(const bough_point *p) {
    return p->net->levels >= 22 && labels_rounds_uses_planes(p->net->levels, p->traffic->messages) ? 2 : 8;
}

uint64_t circuit_labels_joint_bytes(const bough_point *p) {
    uint64_t m = p->traffic->messages, bytes = labels_rounds_bytes_divided(p->net->levels, m);
    return p->traffic->kind->part ? bytes : bough_add(bytes, bough_mul(m, 8));
}

uint64_t circuit_labels_bytes_each(const bough_point *p, const circuit_options *o) {
    const unsigned h = p->net->levels;
    const uint64_t m = p->traffic->messages;
    return runs_rounds(o) ? labels_rounds_bytes_each(h, m) : labels_cycles_bytes_each(h, m, o->payload);
}

static bough_status too_few(const circuit_trial *trial, bough_error *error) {
    const bough_net *net = trial->run->point.net;
    return bough_fail(error, BOUGH_TOO_LARGE, NULL, "circuit: %s is computed by %u ranks or more together",
                      net->spec, 1u << (net->levels - LABELS_LEVELS_MAX));
}

/* The part of a rank. */
static bough_status make_part(const circuit_trial *trial, unsigned parts, circuit_labels *w,
                              bough_error *error) {
    const bough_run *run = trial->run;
    const unsigned top = run->point.net->levels, h = top - (31 - (unsigned)__builtin_clz(parts));
    const uint64_t endpoints = UINT64_C(1) << h, m = run->point.traffic->messages;
    if (h > LABELS_LEVELS_MAX) return too_few(trial, error);
    w->part = group_first(run->group, parts, &w->state);
    const labels_part part = {.h = h, .top = top, .group = &w->part};
    return labels_rounds_make_part(&part, m < endpoints ? m : endpoints, &w->rounds, error);
}

/* On one of several ranks. There may be more than can be used: these agree with the others that they begin,
 * and wait for the end of the trial. */
static bough_status run_part(const circuit_trial *trial, circuit_labels *w, circuit_result *result,
                             bough_error *error) {
    const rank_group *group = trial->run->group;
    const unsigned parts = parts_of(trial->run->point.net->levels, group->ranks);
    bool mine = group->rank < parts;
    bough_status status = mine && !w->rounds ? make_part(trial, parts, w, error) : BOUGH_OK;
    status = group_agree(group, status, error);
    if (mine) TRY(labels_rounds_run(w->rounds, trial, result, error));
    group_add_costs(group, &w->state);
    return status;
}

/* On one rank. */
static bough_status run_whole(const circuit_trial *trial, circuit_labels *w, circuit_result *result,
                              bough_error *error) {
    const circuit_options *o = trial->options;
    const unsigned h = trial->run->point.net->levels;
    const uint64_t m = trial->run->point.traffic->messages;
    bough_status status = BOUGH_OK;
    if (h > LABELS_LEVELS_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "circuit: %s is computed by %u ranks or more together", trial->run->point.net->spec,
                          1u << (h - LABELS_LEVELS_MAX));
    if (runs_rounds(o)) {
        if (!w->rounds) status = labels_rounds_make(h, m, NULL, &w->rounds, error);
        TRY(labels_rounds_run(w->rounds, trial, result, error));
    } else {
        if (!w->cycles) status = labels_cycles_make(h, m, o->payload, &w->cycles, error);
        TRY(labels_cycles_run(w->cycles, trial, result, error));
    }
    return status;
}

bough_status circuit_labels_run(const circuit_trial *trial, circuit_labels **workspace,
                                circuit_result *result, bough_error *error) {
    const bough_run *run = trial->run;
    bough_status status = BOUGH_OK;
    *result = (circuit_result){0};
    if (!*workspace) status = bough_alloc(workspace, 1, sizeof **workspace, error);
    if (status) return status;
    bool divided = group_ranks(run->group) > 1 && runs_rounds(trial->options) &&
                   parts_of(run->point.net->levels, run->group->ranks) > 1;
    return divided ? run_part(trial, *workspace, result, error) : run_whole(trial, *workspace, result, error);
}

void circuit_labels_free(circuit_labels *w) {
    if (!w) return;
    labels_rounds_free(w->rounds);
    labels_cycles_free(w->cycles);
    free(w);
}
