#include "support/results.h"

#include "base/memory/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of texts and lists that no study owns, until the program ends. */
static arena memory;

void *made(size_t count, size_t size) {
    void *out;
    return arena_alloc(&memory, &out, count, size, NULL) ? NULL : out;
}

char *copied(const char *text) {
    char *out;
    return arena_copy(&memory, &out, text, NULL) ? NULL : out;
}

bough_cell cell(bough_metric_id metric, int64_t index, size_t count, const double *value) {
    bough_cell c = {.metric = metric, .index = index};
    for (size_t i = 0; i < count; i++) bough_stats_add(&c.stats, value[i]);
    return c;
}

bough_answer answer(const char *method, bool exact, size_t asked, size_t routing, const bough_cell *cells,
                    size_t count) {
    bough_answer a = {.method = copied(method),
                      .exact = exact,
                      .asked = asked,
                      .routing = routing,
                      .routed = true,
                      .complete = true,
                      .cells = count,
                      .trials = cells[0].stats.count};
    a.cell = malloc(count * sizeof *a.cell);
    memcpy(a.cell, cells, count * sizeof *cells);
    return a;
}

bough_study_point point(const char *value, const char *network, const char *traffic, size_t routings) {
    bough_study_point p = {.endpoints = 16, .switches = 32, .links = 128, .routings = routings};
    p.value = made(1, sizeof *p.value);
    *p.value = copied(value);
    p.network.spec = copied(network);
    p.traffic.spec = copied(traffic);
    p.routing = made(routings, sizeof *p.routing);
    for (size_t i = 0; i < routings; i++) p.routing[i].spec = copied(i ? "dmodk" : "random");
    p.answer = made(4, sizeof *p.answer);
    return p;
}

bough_study study_by_hand(void) {
    bough_study s = {
        .title = copied("by hand"), .axes = 1, .points = 2, .seed = 1, .effort = {3, 0, BOUGH_METRIC_COUNT}};
    s.axis = made(1, sizeof *s.axis);
    s.axis[0] = copied("n");
    s.point = made(2, sizeof *s.point);
    for (int i = 0; i < 2; i++) {
        bough_study_point *p = &s.point[i];
        *p = point(i ? "32" : "16", "fattree:n=16", "uniform:m=2", 1);
        double v[] = {1 + i, 2 + i, 3 + i}, many[] = {0.1, 0.1, 0.1};
        bough_cell first[] = {cell(BOUGH_METRIC_ROUNDS, NONE, 3, v),
                              cell(BOUGH_METRIC_DELIVERED_ROUND, 1, 3, many),
                              cell(BOUGH_METRIC_DELIVERED_ROUND, 2, 1, many)};
        bough_cell second[] = {cell(BOUGH_METRIC_ROUNDS, NONE, 1, v),
                               cell(BOUGH_METRIC_LG_M, NONE, 1, (double[]){NAN})};
        p->answer[p->answers++] = answer("circuit:mode=rounds", false, 0, 0, first, 3);
        p->answer[p->answers++] = answer("bound", true, 1, 0, second, 2);
        p->comparison = malloc(sizeof *p->comparison);
        p->comparison[p->comparisons++] =
            (bough_comparison){BOUGH_METRIC_ROUNDS, 1, 0, -1, 0.5, 0.75, NAN, 3};
    }
    return s;
}
