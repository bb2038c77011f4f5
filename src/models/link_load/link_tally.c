#include "models/link_load/link_tally.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "network/physical/physical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void link_tally_count(link_tally *t, double load, uint64_t links, unsigned level, double rate) {
    if (load == 0) {
        t->unused += links;
    } else {
        t->used += links;
        t->sum += load * (double)links;
        if (load > t->max) t->max = load;
        if (t->level && load > t->level[level]) t->level[level] = load;
        if (rate > 0 && load / rate > t->time_max) t->time_max = load / rate;
    }
    if (!t->histogram) return;
    double up = ceil(load - 1e-9);
    uint64_t entry = up < LINK_HISTOGRAM_MAX - 1 ? (uint64_t)up : LINK_HISTOGRAM_MAX - 1;
    t->histogram[entry] += links;
    if (entry > t->highest) t->highest = entry;
}

bough_status link_tallies_make(link_tallies *all, const bough_run *run, unsigned threads,
                               const link_tally *asked, bough_error *error) {
    *all = (link_tallies){.run = run, .threads = threads};
    bough_status status = bough_alloc(&all->of, threads, sizeof *all->of, error);
    for (unsigned i = 0; i < threads && !status; i++) {
        link_tally *t = &all->of[i].tally;
        if (asked->level)
            status = bough_alloc(&t->level, (uint64_t)run->point.net->levels + 1, sizeof *t->level, error);
        if (asked->histogram)
            TRY(bough_alloc(&t->histogram, LINK_HISTOGRAM_MAX, sizeof *t->histogram, error));
    }
    return status;
}

void link_tallies_fini(link_tallies *all) {
    for (unsigned i = 0; all->of && i < all->threads; i++)
        FREE_ALL(all->of[i].tally.level, all->of[i].tally.histogram);
    free(all->of);
    *all = (link_tallies){0};
}

void link_tallies_count(void *context, unsigned thread, uint64_t link, double load) {
    const link_tallies *all = context;
    const bough_net *net = all->run->point.net;
    const bool rates = net->capabilities & BOUGH_HAS_RATES;
    link_tally *t = &all->of[thread].tally;
    if (load > 0) /* the level of a link takes longer than all else */
        link_tally_count(t, load, 1, t->level ? bough_link_level(net, link) : 0,
                         rates ? (double)bough_net_known_rate(net, link) : 0);
}

typedef struct tallied_loads {
    link_tallies *all;
    const double *load;
} tallied_loads;

static void tally_range(void *context, unsigned thread, uint64_t range) {
    const tallied_loads *of = context;
    const uint64_t links = of->all->run->point.net->links, first = range * LINK_RANGE, most = links - first,
                   end = first + (most < LINK_RANGE ? most : LINK_RANGE);
    for (uint64_t l = first; l < end; l++) link_tallies_count(of->all, thread, l, of->load[l]);
}

void link_tallies_add(link_tallies *all, const double *load) {
    team_loop(all->threads, link_ranges(all->run->point.net->links), tally_range,
              &(tallied_loads){all, load});
}

static void merge(link_tally *t, const link_tally *from, unsigned levels) {
    t->max = fmax(t->max, from->max);
    t->time_max = fmax(t->time_max, from->time_max);
    t->sum += from->sum;
    t->used += from->used;
    t->unrouted += from->unrouted;
    for (unsigned l = 0; t->level && l <= levels; l++) t->level[l] = fmax(t->level[l], from->level[l]);
    for (uint64_t k = 0; t->histogram && k <= from->highest; k++) t->histogram[k] += from->histogram[k];
    if (from->highest > t->highest) t->highest = from->highest;
}

void link_tallies_join(const link_tallies *all, link_tally *t) {
    const bough_net *net = all->run->point.net;
    for (unsigned i = 0; i < all->threads; i++) merge(t, &all->of[i].tally, net->levels);
    link_tally_count(t, 0, net->links - t->used, 0, 0);
}
