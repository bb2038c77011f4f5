#include "models/link_load/link_tally.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "bough/physical.h"

#include <math.h>
#include <stdlib.h>

void link_tally_count(link_tally *t, double load, uint64_t links, unsigned level, double rate) {
    if (load == 0) {
        t->unused += links;
    } else {
        t->used += links;
        t->sum += load * (double)links;
        if (load > t->max) t->max = load;
        if (load > t->level[level]) t->level[level] = load;
        if (rate > 0 && load / rate > t->time_max) t->time_max = load / rate;
    }
    if (!t->histogram) return;
    double up = ceil(load - 1e-9);
    uint64_t entry = up < LINK_HISTOGRAM_MAX - 1 ? (uint64_t)up : LINK_HISTOGRAM_MAX - 1;
    t->histogram[entry] += links;
    if (entry > t->highest) t->highest = entry;
}

typedef struct tallies {
    const bough_run *run;
    const double *load;
    link_tally *of; /* [threads]; the first is that of the caller */
    unsigned threads;
} tallies;

static void tally_range(void *context, unsigned thread, uint64_t range) {
    const tallies *all = context;
    const bough_net *net = all->run->point.net;
    const bool rates = net->capabilities & BOUGH_HAS_RATES;
    for (uint64_t l = range * LINK_RANGE; l < range_end(net, range); l++)
        link_tally_count(&all->of[thread], all->load[l], 1, bough_link_level(net, l),
                         rates ? (double)bough_net_known_rate(net, l) : 0);
}

static void merge(link_tally *t, const link_tally *from, unsigned levels) {
    t->max = fmax(t->max, from->max);
    t->time_max = fmax(t->time_max, from->time_max);
    t->sum += from->sum;
    t->used += from->used;
    t->unused += from->unused;
    for (unsigned l = 0; l <= levels; l++) t->level[l] = fmax(t->level[l], from->level[l]);
    for (uint64_t k = 0; t->histogram && k <= from->highest; k++) t->histogram[k] += from->histogram[k];
    if (from->highest > t->highest) t->highest = from->highest;
}

bough_status link_tally_add(const bough_run *run, unsigned threads, const double *load, link_tally *t,
                            bough_error *error) {
    const bough_net *net = run->point.net;
    tallies all = {.run = run, .load = load, .threads = threads};
    bough_status status = bough_alloc(&all.of, all.threads, sizeof *all.of, error);
    if (status) return status;
    all.of[0] = *t;
    for (unsigned i = 1; i < all.threads && !status; i++) {
        status = bough_alloc(&all.of[i].level, net->levels + 1, sizeof *t->level, error);
        if (t->histogram)
            TRY(bough_alloc(&all.of[i].histogram, LINK_HISTOGRAM_MAX, sizeof *t->histogram, error));
    }
    if (!status) team_loop(all.threads, link_ranges(net), tally_range, &all);
    if (!status) *t = all.of[0];
    for (unsigned i = 1; i < all.threads; i++) {
        if (!status) merge(t, &all.of[i], net->levels);
        FREE_ALL(all.of[i].level, all.of[i].histogram);
    }
    free(all.of);
    return status;
}
