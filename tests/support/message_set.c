#include "support/message_set.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *shuffled(uint64_t n, uint64_t seed, uint64_t which) {
    uint32_t *p = malloc(n * sizeof *p);
    bough_stream s = bough_stream_make(bough_key_make(seed, which), BOUGH_DRAW_TEST, n, 0);
    if (!p) abort();
    for (uint64_t i = 0; i < n; i++) p[i] = (uint32_t)i;
    for (uint64_t i = n; i-- > 1;) {
        uint64_t k = bough_stream_below(&s, i + 1);
        uint32_t one = p[i];
        p[i] = p[k];
        p[k] = one;
    }
    return p;
}

message_list list_partial(uint64_t n, uint64_t count, uint64_t seed) {
    message_list l = {shuffled(n, seed, 0), shuffled(n, seed, 1), NULL, 0};
    for (uint64_t i = 0; i < count; i++) {
        if (l.source[i] == l.target[i]) continue;
        l.source[l.count] = l.source[i];
        l.target[l.count++] = l.target[i];
    }
    return l;
}

message_list list_permutations(uint64_t n, uint64_t degree, uint64_t seed) {
    message_list l = {malloc(n * degree * 4), malloc(n * degree * 4), NULL, 0};
    if (!l.source || !l.target) abort();
    for (uint64_t d = 0; d < degree; d++) {
        uint32_t *p = shuffled(n, seed, d);
        for (uint64_t i = 0; i < n; i++) {
            if (p[i] == i) continue;
            l.source[l.count] = (uint32_t)i;
            l.target[l.count++] = p[i];
        }
        free(p);
    }
    return l;
}

void message_list_free(message_list *list) {
    free(list->source);
    free(list->target);
    free(list->size);
    *list = (message_list){0};
}

/* ---- traffic ---- */

typedef struct list_source {
    bough_source base;
    const message_list *list;
    uint64_t next;
} list_source;

static uint64_t next_time(bough_source *source) {
    list_source *s = (list_source *)source;
    return s->next < s->list->count ? 0 : BOUGH_NONE;
}

static uint32_t pop(bough_source *source, uint64_t now, bough_message *out, uint32_t capacity) {
    list_source *s = (list_source *)source;
    uint32_t got = 0;
    (void)now;
    for (; got < capacity && s->next < s->list->count; got++, s->next++)
        out[got] = (bough_message){0, s->list->size ? s->list->size[s->next] : 1, s->list->source[s->next],
                                   s->list->target[s->next], (uint32_t)s->next};
    return got;
}

static void close_source(bough_source *source) {
    free(source);
}

static bough_status bind(bough_args *args, const bough_net *net, bough_traffic *traffic, bough_error *error) {
    (void)args, (void)net, (void)traffic, (void)error;
    return BOUGH_OK;
}

static bough_status open_source(const bough_traffic *traffic, bough_key key, const bough_clock *clock,
                                bough_source **source, bough_error *error) {
    (void)clock;
    list_source *s = malloc(sizeof *s);
    (void)key;
    if (!s) return bough_fail_memory(error, sizeof *s);
    *s = (list_source){{next_time, pop, NULL, close_source}, traffic->data, 0};
    *source = &s->base;
    return BOUGH_OK;
}

static const bough_param no_params[] = {BOUGH_PARAMS_END};
static const bough_traffic_kind list_kind = {
    .name = "list", .summary = "", .source = "", .params = no_params, .bind = bind, .open = open_source};

bough_traffic *list_traffic(const bough_net *net, const message_list *list) {
    bough_traffic *traffic;
    bough_spec spec;
    bough_error error;
    if (bough_spec_parse("list", &spec, &error)) abort();
    if (bough_traffic_make(net, &list_kind, &spec, &traffic, &error)) abort();
    bough_spec_fini(&spec);
    traffic->messages = list->count;
    traffic->data = (void *)list;
    return traffic;
}

/* ---- eta ---- */

double reference_load_factor(uint64_t n, const message_list *list, bool upper) {
    double eta = 0;
    uint32_t *load = malloc(n * sizeof *load);
    if (!load) abort();
    for (unsigned h = 0; UINT64_C(1) << h < n; h++) { /* edges whose lower end is at height h */
        double weight = (double)(UINT64_C(1) << (h + upper + 1) / 2);
        memset(load, 0, n * sizeof *load);
        for (uint64_t i = 0; i < list->count; i++) {
            uint32_t from = list->source[i] >> h, to = list->target[i] >> h;
            if (from == to) continue;
            load[from]++;
            load[to]++;
        }
        for (uint64_t v = 0; v < n >> h; v++)
            if (load[v] / weight > eta) eta = load[v] / weight;
    }
    free(load);
    return eta;
}
