#include "models/link_load/schedule_load.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "models/link_load/link_loads.h"
#include "traffic/schedules/compute_time.h"

static void find_slowest_link(const bough_net *net, uint64_t rate, const double *load, schedule_load *f) {
    double sum = 0, links = 0;
    for (uint64_t l = 0; l < net->links; l++) {
        double speed = (double)(rate ? bough_net_slowed_rate(net, l, rate) : bough_net_link_rate(net, l));
        if (load[l] == 0) continue;
        sum += load[l];
        links++;
        if (load[l] > f->bytes_max) f->bytes_max = load[l];
        if (speed > 0 && load[l] * 8 / speed > f->link_time) f->link_time = load[l] * 8 / speed, f->link = l;
    }
    if (links > 0) f->bytes_mean = sum / links;
}

/* ---- hosts ---- */

static uint64_t overhead(const bough_host *h, uint64_t size) {
    return h->o + (size > 1 ? h->O * (size - 1) : 0);
}

/* The busiest CPU. At its receiver, too, a message uses the CPU with its number. */
static uint64_t busiest(const compute_times *times, uint64_t *work) {
    const bough_workload *w = times->workload;
    const bough_schedule *s = w->schedule;
    uint64_t most = 0;
    uint32_t hosts = bough_schedule_hosts(s); /* the others have no costs */
    for (uint32_t r = 0; r < s->ranks; r++)
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) {
            const bough_op *op = &s->op[o];
            if (op->kind == BOUGH_OP_RECV) continue;
            uint64_t lasts = op->kind == BOUGH_OP_CALC ? compute_time(times, r, o)
                                                       : overhead(bough_rank_host(w, r), op->size);
            uint64_t *mine = &work[(uint64_t)r * s->cpus + op->cpu];
            if (r < hosts) *mine = bough_add(*mine, lasts);
            if (op->kind == BOUGH_OP_CALC || op->peer >= hosts) continue;
            mine = &work[(uint64_t)op->peer * s->cpus + op->cpu];
            *mine = bough_add(*mine, lasts);
        }
    for (uint64_t c = 0; c < (uint64_t)s->ranks * s->cpus; c++)
        if (work[c] > most) most = work[c];
    return most;
}

/* Of operations: [ops] each. */
typedef struct chains {
    uint64_t *from; /* earliest start */
    uint32_t *left, *order, *rank;
} chains;

/* The longest chain: operations are processed after all their dependencies. */
static uint64_t longest(const compute_times *times, const chains *c) {
    const bough_schedule *s = times->workload->schedule;
    uint64_t *from = c->from;
    uint32_t *left = c->left, *order = c->order;
    uint32_t got = 0;
    uint64_t most = 0;
    for (uint32_t r = 0; r < s->ranks; r++)
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) {
            c->rank[o] = r;
            if ((left[o] = s->waits[o]) == 0) order[got++] = o;
        }
    for (uint32_t i = 0; i < got; i++) {
        uint32_t o = order[i];
        uint64_t end =
            bough_add(from[o], s->op[o].kind == BOUGH_OP_CALC ? compute_time(times, c->rank[o], o) : 0);
        if (end > most) most = end;
        for (uint64_t f = s->then[o]; f < s->then[o + 1]; f++) {
            uint32_t next = s->follower[f] >> 1;
            uint64_t at = s->follower[f] & 1 ? from[o] : end;
            if (at > from[next]) from[next] = at;
            if (--left[next] == 0) order[got++] = next;
        }
    }
    return most;
}

static bough_status find_host_bounds(const compute_times *times, schedule_load *f, bough_error *error) {
    const bough_schedule *s = times->workload->schedule;
    uint64_t *work = NULL;
    chains c = {0};
    bough_status status = bough_alloc(&work, bough_mul(s->ranks, s->cpus), sizeof *work, error);
    TRY(bough_alloc(&c.from, s->ops, sizeof *c.from, error));
    TRY(bough_alloc(&c.left, s->ops, sizeof *c.left, error));
    TRY(bough_alloc(&c.order, s->ops, sizeof *c.order, error));
    TRY(bough_alloc(&c.rank, s->ops, sizeof *c.rank, error));
    if (!status) {
        f->cpu = busiest(times, work);
        f->chain = longest(times, &c);
    }
    FREE_ALL(work, c.from, c.left, c.order, c.rank);
    return status;
}

bough_status schedule_load_find(const method_trial *trial, uint64_t rate, double *load, schedule_load *f,
                                bough_error *error) {
    const bough_point *p = &trial->run->point;
    const link_loads_question question = {p->routing, p->traffic, trial->key, 1};
    link_loads loads = {.bytes = load};
    *f = (schedule_load){.link = BOUGH_NONE};
    bough_status status = link_loads_find(&question, &loads, error);
    loads.arriving =
        loads.lost > 0; /* the bound is one of the messages that arrive: the others add nothing */
    if (loads.arriving) TRY(link_loads_find(&question, &loads, error));
    if (status) return status;
    f->messages = (double)loads.messages;
    f->unrouted = loads.lost;
    find_slowest_link(p->net, rate, load, f);
    const compute_times times = {p->traffic->workload, p->net, trial->key};
    return times.workload ? find_host_bounds(&times, f, error) : BOUGH_OK;
}
