#include "support/law.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const bough_param params[] = {
    {"rate", "", BOUGH_REAL, "0", 0, 0},
    {"flits", "", BOUGH_INT, "1", 0, 0x1p40},
    {"law", "", BOUGH_FLAG, "1"},
    BOUGH_PARAMS_END,
};

static bough_status bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    (void)net;
    (void)error;
    if (!args->value[2].integer) return BOUGH_OK;
    bough_stream_law *law = calloc(1, sizeof *law);
    if (!law) abort();
    *law = (bough_stream_law){.rate = args->value[0].real,
                              .fastest = 1,
                              .flits = (uint64_t)args->value[1].integer,
                              .pattern = t,
                              .poisson = true};
    t->law = law;
    return BOUGH_OK;
}

static void fini(bough_traffic *t) {
    free(t->law);
}

static void visit_uniform(const bough_traffic *t, const void *state, uint32_t source,
                          void (*each)(void *, uint32_t, double), void *context) {
    uint32_t n = (uint32_t)t->net->endpoints;
    (void)state;
    for (uint32_t d = 0; d < n; d++)
        if (d != source) each(context, d, 1 / (n - 1.0));
}

static void visit_next(const bough_traffic *t, const void *state, uint32_t source,
                       void (*each)(void *, uint32_t, double), void *context) {
    (void)state;
    each(context, (source + 1) % (uint32_t)t->net->endpoints, 1);
}

static void visit_first(const bough_traffic *t, const void *state, uint32_t source,
                        void (*each)(void *, uint32_t, double), void *context) {
    (void)t;
    (void)state;
    if (source) each(context, 0, 1);
}

static void visit_half(const bough_traffic *t, const void *state, uint32_t source,
                       void (*each)(void *, uint32_t, double), void *context) {
    uint32_t n = (uint32_t)t->net->endpoints, others = (n + 1) / 2 - 1;
    (void)state;
    for (uint32_t d = 0; d < n && source % 2 == 0; d += 2)
        if (d != source) each(context, d, 1.0 / others);
}

static void visit_nobody(const bough_traffic *t, const void *state, uint32_t source,
                         void (*each)(void *, uint32_t, double), void *context) {
    (void)t;
    (void)state;
    (void)source;
    (void)each;
    (void)context;
}

static bough_status open_drawn(const bough_traffic *t, bough_key key, void **state, bough_error *error) {
    uint32_t *shift = malloc(sizeof *shift);
    (void)error;
    if (!shift) abort();
    *shift = 1 + (uint32_t)bough_scale(bough_word(key, BOUGH_DRAW_VIA, 0, 0), t->net->endpoints - 1);
    *state = shift;
    return BOUGH_OK;
}

static void visit_drawn(const bough_traffic *t, const void *state, uint32_t source,
                        void (*each)(void *, uint32_t, double), void *context) {
    each(context, (source + *(const uint32_t *)state) % (uint32_t)t->net->endpoints, 1);
}

static const bough_pattern patterns[] = {
    {.visit = visit_uniform, .uniform = true},
    {.visit = visit_next},
    {.visit = visit_first},
    {.visit = visit_half},
    {.visit = visit_nobody},
    {open_drawn, free, NULL, visit_drawn},
};

#define KIND(i, text)                                                                                        \
    [i] = {.name = text,                                                                                     \
           .params = params,                                                                                 \
           .shape = BOUGH_STREAM,                                                                            \
           .random = true,                                                                                   \
           .bind = bind,                                                                                     \
           .fini = fini,                                                                                     \
           .pattern = &patterns[i]}

static const bough_traffic_kind kinds[] = {
    KIND(0, "uniform"), KIND(1, "next"),   KIND(2, "first"),
    KIND(3, "half"),    KIND(4, "nobody"), KIND(5, "drawn"),
};

static bough_traffic *make(const bough_net *net, const char *text, const char *to) {
    bough_spec spec;
    bough_error error;
    bough_traffic *t = NULL;
    bough_status status = bough_spec_parse(text, &spec, &error);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !status; i++)
        if (strcmp(kinds[i].name, to) == 0) status = bough_traffic_make(net, &kinds[i], &spec, &t, &error);
    if (status || !t) fail_msg("%s to %s: %s", text, to, status ? error.reason : "no such pattern");
    bough_spec_fini(&spec);
    return t;
}

bough_traffic *law_make(const bough_net *net, double rate, uint64_t flits, const char *to) {
    char text[128];
    snprintf(text, sizeof text, "law:rate=%.17g,flits=%llu", rate, (unsigned long long)flits);
    return make(net, text, to);
}

bough_traffic *lawless_make(const bough_net *net) {
    return make(net, "law:law=0", "uniform");
}

bough_point law_point_over(bough_net *net, const char *routing, double rate, uint64_t flits, const char *to) {
    return (bough_point){net, routing_make(net, routing), law_make(net, rate, flits, to)};
}

bough_point law_point(const char *network, const char *routing, double rate, uint64_t flits, const char *to) {
    return law_point_over(net_make(network), routing, rate, flits, to);
}

double law_answer(const char *network, double rate, uint64_t flits, const char *method,
                  bough_metric_id metric) {
    bough_point point = law_point(network, "free", rate, flits, "uniform");
    bough_rows rows = rows_of(&point, method);
    double value = row_value(&rows, metric, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    point_free(&point);
    return value;
}
