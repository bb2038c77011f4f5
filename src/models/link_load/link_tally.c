#include "models/link_load/link_tally.h"

#include "base/memory/memory.h"
#include "base/rank_group.h"
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

typedef struct tallied_part {
    link_tallies *all;
    const double *load;
    bough_range part;
} tallied_part;

static void tally_range(void *context, unsigned thread, uint64_t range) {
    const tallied_part *p = context;
    const uint64_t first = range * LINK_RANGE, most = p->part.count - first;
    for (uint64_t i = first; i < first + (most < LINK_RANGE ? most : LINK_RANGE); i++)
        link_tallies_count(p->all, thread, p->part.first + i, p->load[i]);
}

void link_tallies_add(link_tallies *all, const double *load, bough_range part) {
    tallied_part p = {all, load, part};
    team_loop(all->threads, link_ranges(part.count), tally_range, &p);
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

/* The tally of a rank as numbers, to which those of other ranks add nothing. */
enum { SLOT_MAX, SLOT_TIME, SLOT_SUM, SLOT_USED, SLOT_UNROUTED, SLOT_HIGHEST, SLOT_LEVELS };

static void put_slot(const link_tally *t, unsigned levels, double *slot) {
    slot[SLOT_MAX] = t->max;
    slot[SLOT_TIME] = t->time_max;
    slot[SLOT_SUM] = t->sum;
    slot[SLOT_USED] = (double)t->used;
    slot[SLOT_UNROUTED] = t->unrouted;
    slot[SLOT_HIGHEST] = (double)t->highest;
    if (t->level) memcpy(slot + SLOT_LEVELS, t->level, (levels + 1) * sizeof *slot);
}

static link_tally take_slot(double *slot) {
    return (link_tally){.max = slot[SLOT_MAX],
                        .time_max = slot[SLOT_TIME],
                        .sum = slot[SLOT_SUM],
                        .used = (uint64_t)slot[SLOT_USED],
                        .unrouted = slot[SLOT_UNROUTED],
                        .level = slot + SLOT_LEVELS};
}

static bough_status merge_ranks(const rank_group *group, link_tally *t, unsigned levels, bough_error *error) {
    const unsigned ranks = group_ranks(group);
    const uint64_t wide = SLOT_LEVELS + (uint64_t)levels + 1;
    double *slot;
    bough_status status = bough_alloc(&slot, bough_mul(ranks, wide), sizeof *slot, error);
    if (!status) put_slot(t, levels, slot + group_rank(group) * wide);
    status = group_agree(group, status, error);
    TRY(group_sum(group, slot, ranks * wide, error));
    if (t->histogram) TRY(group_sum_counts(group, t->histogram, LINK_HISTOGRAM_MAX, error));
    for (unsigned r = 0; r < ranks && !status; r++) {
        const double *from = slot + r * wide;
        if (from[SLOT_HIGHEST] > (double)t->highest) t->highest = (uint64_t)from[SLOT_HIGHEST];
        if (r == group_rank(group)) continue;
        link_tally other = take_slot(slot + r * wide);
        uint64_t *histogram = t->histogram; /* which is summed already */
        t->histogram = NULL;
        merge(t, &other, levels);
        t->histogram = histogram;
    }
    free(slot);
    return status;
}

bough_status link_tallies_join(const link_tallies *all, link_tally *t, bough_error *error) {
    const bough_net *net = all->run->point.net;
    for (unsigned i = 0; i < all->threads; i++) merge(t, &all->of[i].tally, net->levels);
    bough_status status = BOUGH_OK;
    if (group_ranks(all->run->group) > 1) status = merge_ranks(all->run->group, t, net->levels, error);
    if (!status) link_tally_count(t, 0, net->links - t->used, 0, 0);
    return status;
}
