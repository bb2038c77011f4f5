/* What a thread does with one failure: the pairs that crossed it are taken off their paths, put on those that
 * are mended, and at the end everything is put back. All else stays where it is, so the cost is that of the
 * pairs that were hit. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/failures/failures_internal.h"

#include <math.h>

bough_status state_make(const bough_failures *f, failure_state *s, bough_error *error) {
    *s = (failure_state){.f = f};
    bough_status status = loads_make(f, &s->memory, &s->loads, error);
    TRY(arena_alloc(&s->memory, &s->cut, f->n, sizeof *s->cut, error));
    TRY(search_make(f, &s->memory, &s->search, error));
    if (!status) loads_copy(f, &f->loads, &s->loads);
    return status;
}

uint64_t state_bytes(const bough_failures *f) {
    return bough_add(loads_bytes(f), search_bytes(f));
}

/* The old path of a pair off the links, or back on. */
static void shift_old(failure_state *s, uint32_t source, uint32_t target, bool back) {
    const bough_failures *f = s->f;
    uint32_t k = failure_shift(f, source, target);
    for (uint32_t v = source; v != target;) {
        uint32_t l = failure_next(f, target, v);
        if (back)
            loads_add(f, &s->loads, k, l);
        else
            loads_remove(f, &s->loads, k, l);
        v = f->end[l];
    }
    s->loads.pairs += back ? 1 : UINT64_MAX;
}

/* The new path, noted for the way back; nothing where there is none. */
static bough_status put_new(failure_state *s, uint32_t source, uint32_t target, bough_error *error) {
    const bough_failures *f = s->f;
    const failure_search *search = &s->search;
    uint32_t k = failure_shift(f, source, target), v = source;
    bough_status status = arena_grow(&s->memory, &s->path, s->steps + f->nodes + 1, sizeof *s->path, error);
    if (status) return status;
    /* A source with an entry arrives: each mended one leads nearer, and one that stays is good. */
    if (search->good[v] || search->fresh[v] != NO_LINK) {
        while (v != target) {
            uint32_t l = search->good[v] ? failure_next(f, target, v) : search->fresh[v];
            loads_add(f, &s->loads, k, l);
            s->path[s->steps++] = l;
            v = f->end[l];
        }
        s->loads.pairs++;
    } else {
        s->cut[source]++;
        s->cut[target]++;
    }
    s->path[s->steps++] = NO_LINK;
    return BOUGH_OK;
}

static bough_status reroute(failure_state *s, hit_pairs hit, bough_error *error) {
    const bough_failures *f = s->f;
    bough_status status = BOUGH_OK;
    uint32_t mended = UINT32_MAX;
    s->steps = 0;
    for (size_t i = 0; i < hit.count && !status; i++) {
        uint32_t source = hit.pair[i] % f->n, target = hit.pair[i] / f->n;
        if (target != mended) status = search_mend(&s->search, target, error);
        mended = target;
        TRY(put_new(s, source, target, error));
    }
    return status;
}

static void put_back(failure_state *s, hit_pairs hit) {
    const bough_failures *f = s->f;
    size_t step = 0;
    for (size_t i = 0; i < hit.count; i++) {
        uint32_t source = hit.pair[i] % f->n, target = hit.pair[i] / f->n,
                 k = failure_shift(f, source, target);
        s->loads.pairs -= s->path[step] != NO_LINK;
        while (s->path[step] != NO_LINK) loads_remove(f, &s->loads, k, s->path[step++]);
        step++;
        shift_old(s, source, target, true);
        s->cut[source] = s->cut[target] = 0;
    }
    search_end(&s->search);
}

static void count_gone(const failure_state *s, bough_failure *r) {
    for (uint32_t e = 0; e < s->f->n; e++) r->gone += s->cut[e] && s->cut[e] == s->f->talks[e];
}

static void measure(const failure_state *s, bough_failure_load *m) {
    double time = loads_measure(s->f, &s->loads, s->search.dead, m);
    m->slowdown = m->pairs < s->f->whole.pairs ? NAN : s->f->time > 0 ? time / s->f->time : 1;
}

bough_status state_evaluate(failure_state *s, const uint64_t *dead, hit_pairs hit, bough_failure *r,
                            bough_error *error) {
    const bough_failures *f = s->f;
    *r = (bough_failure){.link = BOUGH_NONE, .node = BOUGH_NONE, .lost = hit.count};
    search_begin(&s->search, dead);
    for (size_t i = 0; i < hit.count; i++) shift_old(s, hit.pair[i] % f->n, hit.pair[i] / f->n, false);
    measure(s, &r->as_is);
    bough_status status = reroute(s, hit, error);
    if (status) return status; /* the state is not used again */
    measure(s, &r->rerouted);
    r->cut = r->as_is.pairs + hit.count - r->rerouted.pairs;
    count_gone(s, r);
    put_back(s, hit);
    return BOUGH_OK;
}
