#include "models/link_load/difficulty.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "models/link_load/tree_crossings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct measurer {
    uint64_t *up, *down;
    difficulty found;
    char apart[THREAD_APART];
} measurer;

typedef struct measuring {
    const difficulty_question *question;
    uint64_t *crossing;
    measurer *of; /* [threads] */
} measuring;

/* Counts messages up and down across the channels of a level. b: NULL: all pairs. */
static void cross(const bough_net *net, const bough_batch *b, unsigned level, measurer *m) {
    memset(m->up, 0, net->endpoints * sizeof *m->up);
    memset(m->down, 0, net->endpoints * sizeof *m->down);
    for (uint64_t e = 0; e < net->endpoints && !b; e++) m->up[net->ops->subtree(net, level, e)]++;
    for (uint64_t s = 0; s < net->endpoints && !b; s++)
        m->up[s] = m->down[s] = m->up[s] * (net->endpoints - m->up[s]);
    for (uint64_t i = 0; b && i < b->count; i++) {
        uint64_t from = net->ops->subtree(net, level, b->source[i]);
        uint64_t to = net->ops->subtree(net, level, bough_address_node(net, b->address[i]));
        if (from == to) continue;
        m->up[from]++;
        m->down[to]++;
    }
}

static void measure_level(const difficulty_question *q, unsigned level, measurer *m) {
    const bough_net *net = q->run->point.net;
    difficulty *d = &m->found;
    cross(net, q->batch, level, m);
    uint64_t subtrees = 0;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        uint64_t s = net->ops->subtree(net, level, e);
        if (s >= subtrees) subtrees = s + 1;
    }
    for (uint64_t s = 0; s < subtrees; s++) {
        uint64_t cables = net->ops->channel_capacity(net, level, s);
        if (cables == 0) continue;
        double up = (double)m->up[s] / (double)cables, down = (double)m->down[s] / (double)cables;
        d->load_factor = fmax(d->load_factor, ((double)m->up[s] + (double)m->down[s]) / (double)cables);
        d->ascending = fmax(d->ascending, up);
        d->descending = fmax(d->descending, down);
        if (!q->tally) continue;
        link_tally_count(q->tally, up, cables, level, 0);
        link_tally_count(q->tally, down, cables, level, 0);
    }
}

static void measure_tree(const measuring *all, measurer *m) {
    const bough_net *net = all->question->run->point.net;
    const bough_batch *b = all->question->batch;
    unsigned height = tree_height(net->endpoints);
    if (b)
        count_crossings(net, b, height, all->crossing);
    else
        count_all_crossings(net->endpoints, height, all->crossing);
    m->found.eta = crossing_factor(all->crossing, height, reference_lg_weight);
    m->found.degree = b ? message_degree(net, b, (uint32_t *)m->up) : net->endpoints - 1;
}

/* Step 0 is the binary tree, the others are the levels. */
static void measure(void *context, unsigned thread, uint64_t step) {
    const measuring *all = context;
    if (bough_run_stopped(all->question->run)) return;
    if (step == 0)
        measure_tree(all, &all->of[thread]);
    else
        measure_level(all->question, (unsigned)step - 1, &all->of[thread]);
}

static void join(const difficulty *from, difficulty *d) {
    d->load_factor = fmax(d->load_factor, from->load_factor);
    d->ascending = fmax(d->ascending, from->ascending);
    d->descending = fmax(d->descending, from->descending);
    d->eta = fmax(d->eta, from->eta);
    if (from->degree > d->degree) d->degree = from->degree;
}

bough_status difficulty_measure(const difficulty_question *q, difficulty_space *space, difficulty *d,
                                bough_error *error) {
    const bough_net *net = q->run->point.net;
    const uint64_t steps = (uint64_t)net->levels + 1;
    const unsigned threads = q->threads < steps ? q->threads : (unsigned)steps;
    measuring all = {.question = q, .crossing = space->crossing};
    *d = (difficulty){0};
    bough_status status = bough_alloc(&all.of, threads, sizeof *all.of, error);
    for (unsigned i = 0; i < threads && !status; i++) {
        measurer *m = &all.of[i];
        if (i == 0) {
            m->up = space->up;
            m->down = space->down;
            continue;
        }
        status = bough_alloc(&m->up, net->endpoints, sizeof *m->up, error);
        TRY(bough_alloc(&m->down, net->endpoints, sizeof *m->down, error));
    }
    if (!status) team_loop(threads, steps, measure, &all);
    for (unsigned i = 0; all.of && i < threads; i++) {
        join(&all.of[i].found, d);
        if (i > 0) FREE_ALL(all.of[i].up, all.of[i].down);
    }
    free(all.of);
    return status;
}

bough_status difficulty_make(const bough_net *net, difficulty_space *space, bough_error *error) {
    bough_status status = bough_alloc(&space->up, net->endpoints, sizeof *space->up, error);
    TRY(bough_alloc(&space->down, net->endpoints, sizeof *space->down, error));
    TRY(bough_alloc(&space->crossing, UINT64_C(2) << tree_height(net->endpoints), sizeof *space->crossing,
                    error));
    return status;
}

void difficulty_fini(difficulty_space *space) {
    FREE_ALL(space->up, space->down, space->crossing);
    *space = (difficulty_space){0};
}

uint64_t difficulty_bytes(const bough_net *net) {
    return bough_add(difficulty_bytes_each(net), UINT64_C(16) << tree_height(net->endpoints));
}

uint64_t difficulty_bytes_each(const bough_net *net) {
    return bough_mul(net->endpoints, 16);
}
