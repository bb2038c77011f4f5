#include "engines/flow/flow_watch.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

void flow_watch_fini(flow_watch *w) {
    FREE_ALL(w->flow, w->lost);
}

bough_status flow_watch_enter(flow_watch *w, const max_min *share, uint32_t flow, bough_error *error) {
    const max_min_flow *g = &share->flow[flow];
    bough_status status = bough_grow(&w->flow, &w->flows, (uint64_t)flow + 1, sizeof *w->flow, error);
    TRY(bough_grow(&w->lost, &w->crossings, (uint64_t)g->first + g->hops, sizeof *w->lost, error));
    if (status) return status;
    flow_seen *f = &w->flow[flow];
    *f = (flow_seen){UINT64_MAX, MAX_MIN_NONE};
    for (uint32_t c = g->first; c < g->first + g->hops; c++) {
        uint64_t most = share->link[share->crossing[c].link].capacity / max_min_weight(share, c);
        if (most < f->full) f->full = most;
        w->lost[c] = 0;
    }
    return BOUGH_OK;
}

void flow_watch_phase(flow_watch *w, const max_min *share, const flow_phase *p) {
    const max_min_flow *g = &share->flow[p->flow];
    const flow_seen *f = &w->flow[p->flow];
    double lasts = (double)(p->to - p->from), bits = (double)p->rate * w->unit * lasts / 1e12;
    if (p->to == p->from) return;
    for (uint32_t c = g->first; c < g->first + g->hops; c++) {
        uint32_t link = share->crossing[c].link;
        timeline_carry(w->seen, link, p->from, p->to, bits * (double)max_min_weight(share, c));
        if (link == f->limit) w->lost[c] += lasts * (1 - (double)p->rate / (double)f->full);
    }
}

void flow_watch_limit(flow_watch *w, const max_min *share, uint32_t flow) {
    w->flow[flow].limit = share->flow[flow].bottleneck;
}

void flow_watch_leave(flow_watch *w, const max_min *share, uint32_t flow, uint32_t id) {
    const max_min_flow *g = &share->flow[flow];
    for (uint32_t c = g->first; c < g->first + g->hops; c++)
        if (w->lost[c] >= 1) timeline_lose(w->seen, id, share->crossing[c].link, (uint64_t)w->lost[c]);
}
