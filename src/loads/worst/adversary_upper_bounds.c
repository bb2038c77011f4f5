/* Upper bounds of a link's load. A permutation takes at most one pair of each source, so the load is at most
 * the sum over its sources of their largest fraction of a flow; and likewise for destinations. */
#include "base/status/try.h"
#include "loads/address_tree.h"
#include "loads/worst/adversary_internal.h"

#include "base/memory/memory.h"

#include <stdlib.h>

/* The rows (sources, or destinations) of a link so far. */
typedef struct side {
    double sum, largest; /* largest: of the current row, included in sum */
    uint32_t row;        /* 1 + the current row; 0: none */
} side;

/* Counters of one thread. */
typedef struct counter {
    side *side; /* per link */
    uint64_t *pairs;
    uint64_t endpoints, routed, failed;
} counter;

static void add_row(side *s, uint32_t row, double share) {
    if (s->row != row + 1) {
        s->row = row + 1;
        s->largest = share;
        s->sum += share;
    } else if (share > s->largest) {
        s->sum += share - s->largest;
        s->largest = share;
    }
}

static void count_by_source(void *context, const adversary_flow *f) {
    counter *c = context;
    for (uint32_t i = 0; i < f->links; i++) {
        add_row(&c->side[f->link[i]], f->source, f->share ? f->share[i] : 1);
        c->pairs[f->link[i]]++;
    }
    if (f->links) {
        c->routed++;
    } else {
        uint64_t pair = f->source * c->endpoints + f->destination;
        if (pair < c->failed) c->failed = pair;
    }
}

static void count_by_destination(void *context, const adversary_flow *f) {
    counter *c = context;
    for (uint32_t i = 0; i < f->links; i++)
        add_row(&c->side[f->link[i]], f->destination, f->share ? f->share[i] : 1);
}

static void counter_fini(void *context) {
    counter *c = context;
    if (!c) return;
    FREE_ALL(c->side, c->pairs, c);
}

static bough_status counter_make(const adversary_job *job, bool by_destination, void **context,
                                 bough_error *error) {
    const bough_net *net = job->routing->net;
    counter *c;
    bough_status status = bough_alloc(context, 1, sizeof *c, error);
    if (status) return status;
    c = *context;
    c->endpoints = net->endpoints;
    c->failed = BOUGH_NONE;
    status = bough_alloc(&c->side, net->links, sizeof *c->side, error);
    if (!status && !by_destination) status = bough_alloc(&c->pairs, net->links, sizeof *c->pairs, error);
    return status;
}

static void take(adversary_link_bounds *counts, const counter *c, bool by_destination, double *sum,
                 uint64_t links) {
    for (uint64_t l = 0; l < links; l++) {
        sum[l] += c->side[l].sum;
        if (!by_destination) counts->pairs[l] += c->pairs[l];
    }
    if (by_destination) return;
    counts->routed += c->routed;
    if (c->failed < counts->failed) counts->failed = c->failed;
}

static bough_status count_side(adversary_job *job, bool by_destination, adversary_link_bounds *counts,
                               double *sum, bough_error *error) {
    void **context;
    bough_status status = bough_alloc(&context, job->threads, sizeof *context, error);
    if (status) return status;
    for (unsigned t = 0; t < job->threads && !status; t++)
        status = counter_make(job, by_destination, &context[t], error);
    adversary_pass pass = {.by_destination = by_destination,
                           .visit = by_destination ? count_by_destination : count_by_source,
                           .context = context,
                           .part = 0.35};
    TRY(adversary_all_pairs(job, &pass, error));
    for (unsigned t = 0; t < job->threads; t++) {
        if (!status) take(counts, context[t], by_destination, sum, job->routing->net->links);
        counter_fini(context[t]);
    }
    free(context);
    return status;
}

bough_status adversary_bound_links(adversary_job *job, adversary_link_bounds *counts, bough_error *error) {
    uint64_t links = job->routing->net->links;
    double *sum = NULL;
    *counts = (adversary_link_bounds){.failed = BOUGH_NONE};
    bough_status status = bough_alloc(&counts->pairs, links, sizeof *counts->pairs, error);
    TRY(bough_alloc(&counts->bound, links, sizeof *counts->bound, error));
    if (!status && address_tree_fits(job->routing)) return adversary_bound_by_trees(job, counts, error);
    TRY(bough_alloc(&sum, links, sizeof *sum, error));
    TRY(count_side(job, false, counts, counts->bound, error));
    TRY(count_side(job, true, counts, sum, error));
    for (uint64_t l = 0; l < links && !status; l++)
        if (sum[l] < counts->bound[l]) counts->bound[l] = sum[l];
    free(sum);
    return status;
}

void adversary_link_bounds_fini(adversary_link_bounds *counts) {
    FREE_ALL(counts->pairs, counts->bound);
    *counts = (adversary_link_bounds){0};
}
