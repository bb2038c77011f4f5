#include "support/fluid_oracle.h"

#include <math.h>
#include <stdlib.h>

static long double crossings(const fluid_flow *f, uint32_t link) {
    long double n = 0;
    for (uint32_t i = 0; i < f->hops; i++)
        if (f->path[i] == link) n += f->part[i] > 0 ? f->part[i] : 1;
    return n;
}

void fluid_share(const long double *capacity, uint32_t links, fluid_flow *flow, uint32_t flows) {
    bool *fixed = calloc(flows + 1, sizeof *fixed);
    uint32_t open = 0;
    if (!fixed) abort();
    for (uint32_t i = 0; i < flows; i++) {
        fixed[i] = !flow[i].runs;
        flow[i].rate = 0;
        open += flow[i].runs;
    }
    while (open) {
        long double least = INFINITY;
        uint32_t narrow = 0;
        for (uint32_t l = 0; l < links;
             l++) { /* the link that is full first when all open flows grow alike */
            long double left = capacity[l];
            long double growing = 0;
            for (uint32_t i = 0; i < flows; i++) {
                if (fixed[i]) left -= flow[i].rate * crossings(&flow[i], l);
                if (!fixed[i]) growing += crossings(&flow[i], l);
            }
            if (growing > 0 && left / growing < least) least = left / growing, narrow = l;
        }
        for (uint32_t i = 0; i < flows; i++)
            if (!fixed[i] && crossings(&flow[i], narrow) > 0) {
                fixed[i] = true;
                flow[i].rate = least;
                flow[i].bottleneck = narrow;
                open--;
            }
    }
    free(fixed);
}

void fluid_run(const long double *capacity, uint32_t links, fluid_flow *flow, uint32_t flows) {
    long double now = 0;
    uint32_t done = 0;
    long double *before = calloc(flows + 1, sizeof *before);
    if (!before) abort();
    for (uint32_t i = 0; i < flows; i++) {
        flow[i].runs = false;
        flow[i].left = flow[i].volume;
        flow[i].end = -1;
        flow[i].phases = 0;
    }
    while (done < flows) {
        for (uint32_t i = 0; i < flows; i++) {
            if (flow[i].end >= 0 || flow[i].runs || flow[i].start > now) continue;
            flow[i].runs = flow[i].volume > 0 && flow[i].hops > 0;
            if (!flow[i].runs) flow[i].end = now, done++;
        }
        for (uint32_t i = 0; i < flows; i++) before[i] = flow[i].rate;
        fluid_share(capacity, links, flow, flows);
        long double next = INFINITY;
        uint32_t first = UINT32_MAX; /* who ends then; nobody: somebody starts */
        for (uint32_t i = 0; i < flows; i++) {
            if (flow[i].runs && now + flow[i].left / flow[i].rate < next)
                next = now + flow[i].left / flow[i].rate, first = i;
            if (flow[i].runs && flow[i].rate != before[i]) flow[i].phases++;
        }
        for (uint32_t i = 0; i < flows; i++)
            if (flow[i].end < 0 && !flow[i].runs && flow[i].start < next)
                next = flow[i].start, first = UINT32_MAX;
        for (uint32_t i = 0; i < flows; i++) {
            if (!flow[i].runs) continue;
            flow[i].left -= flow[i].rate * (next - now);
            if (i != first) continue;
            flow[i].runs = false;
            flow[i].end = next;
            done++;
        }
        now = next;
    }
    free(before);
}
