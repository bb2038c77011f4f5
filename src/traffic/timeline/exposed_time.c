#include "traffic/timeline/exposed_time.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>

typedef struct span {
    uint64_t from, to;
    uint64_t sum; /* of computation: its time before this span */
    uint8_t label;
} span;

/* The operations of one rank. */
typedef struct rank_spans {
    span *work, *wait, *covered;
    size_t works, waits, covers;
} rank_spans;

static int by_start(const void *a, const void *b) {
    const span *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* By end; labels and starts make the order total. */
static int by_end(const void *a, const void *b) {
    const span *x = a, *y = b;
    if (x->to != y->to) return x->to > y->to ? 1 : -1;
    if (x->label != y->label) return x->label > y->label ? 1 : -1;
    return (x->from > y->from) - (x->from < y->from);
}

static void collect(const bough_schedule *s, const timeline *t, uint32_t rank, rank_spans *r) {
    r->works = r->waits = r->covers = 0;
    for (uint32_t o = s->first[rank]; o < s->first[rank + 1]; o++) {
        const timeline_op *p = &t->op[o];
        if (p->end == BOUGH_NONE || p->end <= p->start) continue;
        const span one = {p->start, p->end, 0, s->op[o].label};
        if (s->op[o].kind == BOUGH_OP_CALC)
            r->work[r->works++] = one;
        else
            r->wait[r->waits++] = one;
    }
    qsort(r->work, r->works, sizeof *r->work, by_start);
    qsort(r->wait, r->waits, sizeof *r->wait, by_end);
}

/* Makes the spans of computation disjoint, and adds up their times. */
static void join_work(rank_spans *r) {
    size_t count = 0;
    for (size_t i = 0; i < r->works; i++) {
        span *last = count ? &r->work[count - 1] : NULL, one = r->work[i];
        if (last && one.from <= last->to) {
            if (one.to > last->to) last->to = one.to;
            continue;
        }
        one.sum = last ? last->sum + (last->to - last->from) : 0;
        r->work[count++] = one;
    }
    r->works = count;
}

/* The time of computation before an instant. */
static uint64_t worked_until(const rank_spans *r, uint64_t time) {
    size_t low = 0, high = r->works; /* the spans before `low` start before it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->work[middle].from < time)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low) return 0;
    const span *last = &r->work[low - 1];
    return last->sum + ((time < last->to ? time : last->to) - last->from);
}

static uint64_t idle(const rank_spans *r, uint64_t from, uint64_t to) {
    return (to - from) - (worked_until(r, to) - worked_until(r, from));
}

/* Adds the part of a wait that those ending before it do not cover. What is covered is a stack of disjoint
 * spans, none of which ends later. */
static uint64_t cover(rank_spans *r, const span *wait) {
    uint64_t sum = 0, to = wait->to, from = wait->from;
    while (r->covers && r->covered[r->covers - 1].to >= from) {
        const span *top = &r->covered[--r->covers];
        sum += idle(r, top->to, to);
        to = top->from;
        if (to <= from) {
            from = to;
            break;
        }
    }
    if (to > from) sum += idle(r, from, to);
    r->covered[r->covers++] = (span){from, wait->to, 0, 0};
    return sum;
}

bough_status exposed_time_add(const bough_schedule *s, const timeline *t, uint64_t *sum, bough_error *error) {
    rank_spans r = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < s->ranks; i++)
        if (s->first[i + 1] - s->first[i] > most) most = s->first[i + 1] - s->first[i];
    bough_status status = bough_alloc(&r.work, most, sizeof *r.work, error);
    TRY(bough_alloc(&r.wait, most, sizeof *r.wait, error));
    TRY(bough_alloc(&r.covered, most, sizeof *r.covered, error));
    for (uint32_t i = 0; i < s->ranks && !status; i++) {
        collect(s, t, i, &r);
        join_work(&r);
        for (size_t k = 0; k < r.waits; k++) sum[r.wait[k].label] += cover(&r, &r.wait[k]);
    }
    FREE_ALL(r.work, r.wait, r.covered);
    return status;
}
