/* Flows on links, and how many links of a shift have so many: the most loaded link is then known without
 * looking at all of them. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/failures/failures_internal.h"
#include "network/physical/physical.h"

#include <string.h>

static uint64_t row(const bough_failures *f) {
    return (uint64_t)f->n + 1;
}

bough_status loads_make(const bough_failures *f, arena *memory, failure_loads *o, bough_error *error) {
    bough_status status = arena_alloc(memory, &o->link, f->links, sizeof *o->link, error);
    TRY(arena_alloc(memory, &o->shift, bough_mul(f->n, f->links), sizeof *o->shift, error));
    TRY(arena_alloc(memory, &o->of, bough_mul(f->n, row(f)), sizeof *o->of, error));
    TRY(arena_alloc(memory, &o->most, f->n, sizeof *o->most, error));
    return status;
}

void loads_copy(const bough_failures *f, const failure_loads *from, failure_loads *to) {
    memcpy(to->link, from->link, f->links * sizeof *to->link);
    memcpy(to->shift, from->shift, (uint64_t)f->n * f->links * sizeof *to->shift);
    memcpy(to->of, from->of, f->n * row(f) * sizeof *to->of);
    memcpy(to->most, from->most, f->n * sizeof *to->most);
    to->pairs = from->pairs;
}

uint64_t loads_bytes(const bough_failures *f) {
    return bough_add(bough_mul(2 * (uint64_t)f->n, f->links), bough_mul(4 * row(f), f->n));
}

/* A link has at most n - 1 flows of a shift, which fits in 16 bits. */
void loads_add(const bough_failures *f, failure_loads *o, uint32_t k, uint32_t link) {
    uint32_t *of = o->of + k * row(f);
    uint32_t load = ++o->shift[(uint64_t)k * f->links + link];
    o->link[link]++;
    if (load > 1) of[load - 1]--;
    of[load]++;
    if (load > o->most[k]) o->most[k] = load;
}

void loads_count(const bough_failures *f, failure_loads *o, uint32_t k, uint64_t *link) {
    const uint16_t *load = o->shift + (uint64_t)k * f->links;
    uint32_t *of = o->of + k * row(f);
    for (uint32_t l = 0; l < f->links; l++) {
        if (!load[l]) continue;
        link[l] += load[l];
        of[load[l]]++;
        if (load[l] > o->most[k]) o->most[k] = load[l];
    }
}

void loads_remove(const bough_failures *f, failure_loads *o, uint32_t k, uint32_t link) {
    uint32_t *of = o->of + k * row(f);
    uint32_t load = o->shift[(uint64_t)k * f->links + link]--;
    o->link[link]--;
    of[load]--;
    if (load > 1) of[load - 1]++;
    while (o->most[k] && !of[o->most[k]]) o->most[k]--;
}

static double time_of(const bough_failures *f, uint32_t link, uint32_t flows) {
    uint64_t rate = f->rates ? bough_net_link_rate(f->net, link) : 1;
    return rate ? (double)flows / (double)rate : 0;
}

double loads_measure(const bough_failures *f, const failure_loads *o, const uint64_t *dead,
                     bough_failure_load *m) {
    double hosts = 0, switches = 0, sum = 0;
    uint64_t between = 0, shifts = 0;
    *m = (bough_failure_load){.pairs = o->pairs};
    for (uint32_t l = 0; l < f->links; l++) {
        bool joins_switches = f->is_switch[f->start[l]] && f->is_switch[f->end[l]];
        double time = time_of(f, l, o->link[l]), *most = joins_switches ? &switches : &hosts;
        if (o->link[l] > m->alltoall_max) m->alltoall_max = o->link[l];
        if (time > *most) *most = time;
        if (bit_of(dead, l) || !joins_switches) continue;
        between++;
        sum += o->link[l];
    }
    m->hosts_limit = hosts > 0 && hosts >= switches * (1 - 1e-12);
    if (between) m->alltoall_mean = sum / (double)between;
    for (uint32_t k = 1; k <= f->shifts; k++) {
        shifts += o->most[k];
        if (o->most[k] > m->shift_max) m->shift_max = o->most[k];
    }
    if (f->shifts) m->shift_mean = (double)shifts / f->shifts;
    return hosts > switches ? hosts : switches;
}
