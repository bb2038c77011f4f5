#include "engines/packet/packet_verify.h"
#include "network/families/hypercube.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define CHANCE 1e-12 /* probability of a false alarm in one trial */

typedef struct judge {
    const bough_net *net;
    const bough_routing *routing;
    const sim_engine *engine;
    const packet_trace *t;
    const packet_meetings *m;
    unsigned phases;
    bool bits; /* the routes of the paper: bit fixing */
    bool idle; /* links may be idle while packets wait for them */
    bough_rows *rows;
    bough_error *error;
} judge;

static bough_status add(const judge *j, int64_t claim, uint64_t checks) {
    return bough_rows_add(j->rows, BOUGH_METRIC_CHECKED, claim, (double)checks, j->error);
}

/* ---- claims 3 and 4 ---- */

static bough_status fail_return(const judge *j, unsigned phase) {
    const packet_meetings *m = &j->m[phase];
    char link[160];
    return bough_fail(
        j->error, BOUGH_FAILED, NULL,
        "Lemma 3 is false: the routes of packets %u and %u separate in phase %u, and meet again "
        "on link %" PRIu64 ", %s",
        m->back[0], m->back[1], phase + 1, m->back_link,
        bough_link_name(j->net, m->back_link, link, sizeof link));
}

static bough_status fail_delay(const judge *j, unsigned phase) {
    const packet_meetings *m = &j->m[phase];
    uint64_t at = m->late_packet * (uint64_t)j->t->stride + (phase ? j->t->length[m->late_packet][0] : 0);
    char link[160];
    return bough_fail(
        j->error, BOUGH_FAILED, NULL,
        "Lemma 4 is false: packet %u, from link %u, %s, on, is delayed by %u steps in phase %u, "
        "and |S| is %" PRIu64,
        m->late_packet, j->t->route[at], bough_link_name(j->net, j->t->route[at], link, sizeof link),
        m->late_by, phase + 1, m->late_sharers);
}

static void note_return(const judge *j, unsigned phase) {
    const packet_meetings *m = &j->m[phase];
    char link[160];
    snprintf(j->rows->note, sizeof j->rows->note,
             "verify: routes separate and meet again (packets %u and %u on %s), so Lemma 4 does not apply to "
             "phase %u",
             m->back[0], m->back[1], bough_link_name(j->net, m->back_link, link, sizeof link), phase + 1);
}

static bough_status check_lemmas(const judge *j) {
    bool together = !j->idle && (j->phases == 1 || j->routing->synchronous);
    uint64_t pairs = 0, delays = 0;
    for (unsigned phase = 0; phase < j->phases; phase++) {
        const packet_meetings *m = &j->m[phase];
        if (m->returns && j->bits) return fail_return(j, phase);
        if (m->returns)
            note_return(j, phase);
        else
            pairs += m->pairs;
        if (m->returns || !together) continue;
        if (m->late) return fail_delay(j, phase);
        delays += j->t->packets;
    }
    bough_status status = pairs || j->bits ? add(j, 3, pairs) : BOUGH_OK;
    return status || !delays ? status : add(j, 4, delays);
}

/* ---- claim 5 ---- */

static bough_status check_congestion(const judge *j) {
    unsigned d = j->net->hops_max;
    double packets = (double)j->t->packets;
    double allowed = sqrt(packets * log(2 * d * j->phases / CHANCE) / 2);
    for (unsigned phase = 0; phase < j->phases; phase++) {
        uint64_t crossed[64] = {0};
        for (uint64_t l = 0; l < j->net->links; l++)
            crossed[j->net->ops->group_order(j->net, l)] += packet_crossed(j->engine, l, phase);
        for (unsigned rank = 0; rank < d; rank++) {
            uint64_t link = 0;
            if (fabs((double)crossed[rank] - packets / 2) <= allowed) continue;
            while (j->net->ops->group_order(j->net, link) != rank) link++;
            return bough_fail(
                j->error, BOUGH_FAILED, NULL,
                "the mean congestion is wrong: %" PRIu64 " of %" PRIu64
                " packets cross dimension %u (link %" PRIu64
                " belongs to it) in phase %u; a deviation from half of them by more than %.0f is unlikely",
                crossed[rank], j->t->packets, j->net->ops->link_port(j->net, link), link, phase + 1, allowed);
        }
    }
    return add(j, 5, (uint64_t)d * j->phases);
}

/* ---- claim 2 ---- */

static bool once(uint64_t *seen, uint32_t id) {
    uint64_t bit = UINT64_C(1) << (id & 63);
    bool fresh = !(seen[id >> 6] & bit);
    seen[id >> 6] |= bit;
    return fresh;
}

/* True if no node sends or receives more than one packet. */
static bough_status is_permutation(const judge *j, bool *yes) {
    uint64_t *sends, *receives = NULL, words = j->net->nodes / 64 + 1;
    bough_status status = bough_alloc(&sends, words, sizeof *sends, j->error);
    TRY(bough_alloc(&receives, words, sizeof *receives, j->error));
    *yes = !status;
    for (uint64_t p = 0; p < j->t->packets && *yes; p++) {
        uint32_t source, address;
        packet_ends_of(j->engine, p, &source, &address);
        *yes = once(sends, source) && once(receives, address);
    }
    FREE_ALL(sends, receives);
    return status;
}

static bough_status check_steps(const judge *j) {
    packet_figures f;
    bool permutation;
    bough_status status = is_permutation(j, &permutation);
    if (status || !permutation) return status;
    packet_figures_of(j->engine, &f);
    uint64_t over = 0, most = 4 * (uint64_t)j->net->hops_max,
             steps[] = {f.phase[0].end, f.phase[1].end - f.phase[0].end};
    for (unsigned phase = 0; phase < 2; phase++) {
        if (steps[phase] <= most) continue;
        over++;
        snprintf(j->rows->note, sizeof j->rows->note,
                 "verify: phase %u took %" PRIu64 " steps, more than 4d = %" PRIu64
                 ", which Theorem 2 gives a probability of at most 1/n^2 = %.3g",
                 phase + 1, steps[phase], most, 1 / ((double)j->net->nodes * (double)j->net->nodes));
    }
    status = add(j, 2, 2);
    return status ? status
                  : bough_rows_add(j->rows, BOUGH_METRIC_OVER_4D, BOUGH_NO_ROW_INDEX, (double)over, j->error);
}

bough_status packet_verify(const bough_run *run, const sim_engine *engine, const packet_routes *routes,
                           bough_rows *rows, bough_error *error) {
    const bough_routing *routing = run->point.routing;
    bool via = routing->kind->via != NULL;
    judge j = {.net = routing->net,
               .routing = routing,
               .engine = engine,
               .t = &routes->trace,
               .m = routes->meetings,
               .phases = via ? 2 : 1,
               .idle = routes->idle,
               .bits = hypercube_dimensions(routing->net) && !routing->kind->route,
               .rows = rows,
               .error = error};
    bough_status status = check_lemmas(&j);
    if (!status && via && (j.bits || routing->kind->draws)) status = check_congestion(&j);
    if (!status && j.bits && via && routing->synchronous && !j.idle) status = check_steps(&j);
    return status;
}
