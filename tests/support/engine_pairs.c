#include "support/engine_pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { CHOICES = 32 };

/* A routing whose choices are given: those of `face` first, then zeros, which are noted so that the next run
 * can advance the last of them. */
typedef struct enumerated {
    bough_routing base;
    unsigned face[CHOICES], count[CHOICES], met;
} enumerated;

static uint32_t select_next(const bough_routing *routing, const bough_choice *choice) {
    enumerated *e = (enumerated *)routing;
    assert_true(e->met < CHOICES);
    e->count[e->met] = choice->count;
    return e->face[e->met++];
}

static bool next_leaf(enumerated *e) {
    while (e->met && e->face[e->met - 1] + 1 == e->count[e->met - 1]) e->face[--e->met] = 0;
    if (e->met) e->face[e->met - 1]++;
    bool more = e->met > 0;
    e->met = 0;
    return more;
}

static const bough_routing_kind enumerating = {
    .name = "enumerated", .needs = BOUGH_HAS_ROUTES, .even = true, .select = select_next};

typedef struct two {
    bough_source base;
    bough_message message[2];
    uint32_t next;
} two;

static uint64_t two_next_time(bough_source *source) {
    return ((two *)source)->next < 2 ? 0 : BOUGH_NONE;
}
static uint32_t two_pop(bough_source *source, uint64_t now, bough_message *out, uint32_t capacity) {
    two *p = (two *)source;
    uint32_t got = 0;
    (void)now;
    while (got < capacity && p->next < 2) out[got++] = p->message[p->next++];
    return got;
}
static void two_close(bough_source *source) {
    ((two *)source)->next = 0;
}
static bough_status two_open(const bough_traffic *traffic, bough_key key, const bough_clock *clock,
                             bough_source **source, bough_error *error) {
    two *p = traffic->data;
    (void)key;
    (void)clock;
    (void)error;
    *source = &p->base;
    return BOUGH_OK;
}
static const bough_traffic_kind twos = {.name = "two", .shape = BOUGH_BATCH, .open = two_open};

typedef struct experiment {
    enumerated routing;
    two messages;
    bough_traffic traffic;
    bough_run *run;
    void *workspace;
    bough_rows rows;
} experiment;

static void set_up(experiment *x, bough_net *net, const char *method) {
    bough_error error = {0};
    *x = (experiment){.routing = {.base = {.net = net, .kind = &enumerating}},
                      .messages = {.base = {two_next_time, two_pop, NULL, two_close}}};
    x->traffic = (bough_traffic){.net = net, .kind = &twos, .messages = 2, .data = &x->messages};
    x->routing.base.spec = (char *)"enumerated";
    x->traffic.spec = (char *)"two";
    bough_point point = {net, &x->routing.base, &x->traffic};
    if (bough_run_create(method, &point, &x->run, &error)) fail_msg("%s: %s", method, error.reason);
}

static void tear_down(experiment *x) {
    bough_rows_fini(&x->rows);
    bough_run_free_workspace(x->run, x->workspace);
    bough_run_destroy(x->run);
}

static bool collide(experiment *x) {
    assert_int_equal(bough_run_trial(x->run, bough_key_make(1, 0), &x->workspace, &x->rows, NULL), BOUGH_OK);
    for (size_t i = 0; i < x->rows.count; i++)
        if (x->rows.row[i].metric == BOUGH_METRIC_FIRST_SUCCESS) return x->rows.row[i].value != 1;
    fail_msg("no first_success");
    return false;
}

static double explore(experiment *x, const bough_flow flow[2]) {
    double sum = 0;
    for (uint32_t i = 0; i < 2; i++)
        x->messages.message[i] = (bough_message){
            .size = 1, .source = (uint32_t)flow[i].source, .address = (uint32_t)flow[i].address, .id = i};
    do {
        bool collided = collide(x);
        double chance = 1;
        for (unsigned i = 0; i < x->routing.met; i++) chance /= x->routing.count[i];
        sum += collided ? chance : 0;
    } while (next_leaf(&x->routing));
    return sum;
}

double engine_pair(bough_net *net, const bough_flow flow[2], const char *method) {
    experiment x;
    set_up(&x, net, method);
    double p = explore(&x, flow);
    tear_down(&x);
    return p;
}

double engine_pairs_uniform(bough_net *net, const char *method) {
    experiment x;
    set_up(&x, net, method);
    double sum = 0, pairs = 0;
    uint64_t n = net->endpoints;
    for (uint64_t s1 = 0; s1 < n; s1++)
        for (uint64_t s2 = 0; s2 < n; s2++)
            for (uint64_t t1 = 0; t1 < n; t1++)
                for (uint64_t t2 = 0; t2 < n; t2++) {
                    const bough_flow flow[2] = {{s1, bough_endpoint_address(net, t1), 0},
                                                {s2, bough_endpoint_address(net, t2), 1}};
                    if (s1 == s2 || s1 == t1 || s2 == t2) continue;
                    sum += explore(&x, flow);
                    pairs++;
                }
    tear_down(&x);
    return sum / pairs;
}
