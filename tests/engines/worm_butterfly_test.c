/* The fast path of the butterfly fat-tree against the event-driven engine (which equals the flit stepper):
 * every delivery and every counter the same. */
#include "engines/wormhole/worm_butterfly.h"
#include "engines/wormhole/worm_events.h"
#include "support/fabrics.h"
#include "traffic/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void same_tally(const sim_engine *a, const sim_engine *b) {
    sim_tally x, y;
    assert_int_equal(a->now, b->now);
    assert_int_equal(a->offered, b->offered);
    assert_int_equal(a->arrived, b->arrived);
    assert_int_equal(a->moves, b->moves);
    a->ops->tally(a, &x);
    b->ops->tally(b, &y);
    /* links with the same time may stand in another order */
    memset(x.hot_link, 0, sizeof x.hot_link);
    memset(y.hot_link, 0, sizeof y.hot_link);
    assert_memory_equal(&x, &y, sizeof x);
}

static int by_id(const void *a, const void *b) {
    const sim_delivery *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* What arrives up to a cycle, by id; heap. */
static sim_delivery *until(sim_engine *e, uint64_t cycle, uint64_t *count) {
    sim_delivery *all = NULL;
    bough_error error;
    *count = 0;
    while (e->now < cycle) {
        sim_advance part = {.until = cycle, .want = 1000};
        if (e->ops->advance(e, &part, &error)) fail_msg("%s", error.reason);
        all = realloc(all, (*count + part.count + 1) * sizeof *all);
        assert_non_null(all);
        memcpy(all + *count, part.deliveries, part.count * sizeof *all);
        *count += part.count;
    }
    qsort(all, *count, sizeof *all, by_id);
    return all;
}

static void agree(const char *net_spec, const char *traffic_spec, uint64_t cycles) {
    bough_net *net = net_make(net_spec);
    bough_routing *routing = routing_make(net, "free");
    bough_traffic *traffic;
    bough_error error = {0};
    if (bough_traffic_create(net, traffic_spec, &traffic, &error)) fail_msg("%s", error.reason);
    worm_options o = {.flits = 1, .buffer = 1, .vcs = 1};
    bough_point point = {net, routing, traffic};
    assert_true(worm_butterfly_fits(&point, &o));
    sim_engine *slow, *fast;
    assert_int_equal(worm_events_make(routing, &o, net->hops_max, &slow, &error), BOUGH_OK);
    assert_int_equal(worm_butterfly_make(&point, 1, &fast, &error), BOUGH_OK);
    for (uint64_t trial = 0; trial < 3; trial++) {
        bough_key key = bough_key_make(3, trial);
        bough_source *s, *f;
        assert_int_equal(bough_traffic_open(traffic, key, NULL, &s, &error), BOUGH_OK);
        assert_int_equal(bough_traffic_open(traffic, key, NULL, &f, &error), BOUGH_OK);
        slow->ops->start(slow, key, s);
        fast->ops->start(fast, key, f);
        for (uint64_t at = cycles / 4; at <= cycles; at += cycles / 4) {
            uint64_t x, y;
            sim_delivery *a = until(slow, at, &x), *b = until(fast, at, &y);
            assert_int_equal(x, y);
            for (uint64_t i = 0; i < x; i++)
                if (memcmp(&a[i], &b[i], sizeof *a) != 0)
                    fail_msg("%s %s: message %u, arrived %d, fast path: message %u, %d", net_spec,
                             traffic_spec, a[i].id, (int)a[i].arrived, b[i].id, (int)b[i].arrived);
            free(a);
            free(b);
            same_tally(slow, fast);
            slow->ops->reset(slow);
            fast->ops->reset(fast);
        }
        s->close(s);
        f->close(f);
    }
    slow->ops->destroy(slow);
    fast->ops->destroy(fast);
    bough_traffic_destroy(traffic);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

static void test_sizes_and_loads(void **state) {
    (void)state;
    agree("bft:n=4", "poisson:load=0.7,flits=2", 4000);
    agree("bft:n=4", "poisson:load=1.3,flits=5", 4000);
    agree("bft:n=16", "poisson:load=0.1,flits=4", 4000);
    agree("bft:n=16", "poisson:load=0.4,flits=4", 4000);
    agree("bft:n=16", "bernoulli:load=0.9,flits=7", 4000);
    agree("bft:n=64", "poisson:load=0.08,flits=6", 8000);
    agree("bft:n=64", "poisson:load=0.16,flits=16", 8000);
    agree("bft:n=64", "poisson:load=0.4,flits=64", 8000);
    agree("bft:n=256", "poisson:load=0.08,flits=32", 8000);
    agree("bft:n=1024", "poisson:load=0.04,flits=32", 6000);
    agree("bft:n=1024", "poisson:load=0.06,flits=10", 6000);
    agree("bft:n=4096", "poisson:load=0.02,flits=32", 3000);
    agree("bft:n=16384", "poisson:load=0.008,flits=32", 1000); /* coins as they are asked for */
}

static void test_lengths_and_bursts(void **state) {
    (void)state;
    agree("bft:n=16", "poisson:load=0.4,lengths=4:0.8+40:0.2", 4000);
    agree("bft:n=64", "poisson:load=0.14,lengths=6:0.5+7:0.3+200:0.2", 8000);
    agree("bft:n=256", "poisson:load=0.07,lengths=8:0.9+256:0.1", 8000);
    agree("bft:n=64", "poisson:load=0.12,flits=16,burst=4", 8000);
    agree("bft:n=64", "poisson:load=0.1,lengths=16:0.8+64:0.2,burst=20", 8000);
}

/* More messages of a source in a cycle than are taken from the stream together. */
static void test_crowds(void **state) {
    (void)state;
    agree("bft:n=4", "poisson:rate=4,flits=5", 400);
    agree("bft:n=4", "poisson:rate=40,flits=5", 100);
    agree("bft:n=64", "poisson:rate=0.9,flits=8", 400);
    agree("bft:n=64", "poisson:rate=3,flits=6,pattern=incast", 200);
}

static void test_patterns(void **state) {
    (void)state;
    agree("bft:n=64", "poisson:load=0.1,flits=16,pattern=bitcomp", 4000);
    agree("bft:n=64", "poisson:load=0.02,flits=8,pattern=incast", 4000);
    agree("bft:n=256", "poisson:load=0.1,flits=16,pattern=transpose", 4000);
    agree("bft:n=64", "poisson:load=0.3,flits=16,pattern=neighbor", 4000);
}

/* Long idle stretches, beyond what 32 bits of cycles hold. */
static void test_long_runs(void **state) {
    (void)state;
    agree("bft:n=16", "poisson:rate=1e-10,flits=8", UINT64_C(40000000000));
    agree("bft:n=4", "poisson:rate=2e-9,flits=8", UINT64_C(40000000000));
}

static void test_what_does_not_fit(void **state) {
    (void)state;
    bough_net *net = net_make("bft:n=64");
    bough_routing *routing = routing_make(net, "free"), *other = routing_make(net, "dmodk");
    bough_traffic *t, *few, *batch;
    bough_error error;
    assert_int_equal(bough_traffic_create(net, "poisson:load=0.1,flits=6", &t, &error), BOUGH_OK);
    assert_int_equal(bough_traffic_create(net, "poisson:load=0.1,flits=5", &few, &error), BOUGH_OK);
    assert_int_equal(bough_traffic_create(net, "uniform", &batch, &error), BOUGH_OK);
    worm_options plain = {.flits = 1, .buffer = 1, .vcs = 1}, buffers = {.flits = 1, .buffer = 2, .vcs = 1};
    assert_true(worm_butterfly_fits(&(bough_point){net, routing, t}, &plain));
    assert_false(worm_butterfly_fits(&(bough_point){net, routing, t}, &buffers));
    assert_false(worm_butterfly_fits(&(bough_point){net, other, t}, &plain));
    assert_false(worm_butterfly_fits(&(bough_point){net, routing, few}, &plain)); /* shorter than its path */
    assert_false(worm_butterfly_fits(&(bough_point){net, routing, batch}, &plain));
    bough_traffic_destroy(t);
    bough_traffic_destroy(few);
    bough_traffic_destroy(batch);
    bough_routing_destroy(routing);
    bough_routing_destroy(other);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_and_loads), cmocka_unit_test(test_lengths_and_bursts),
        cmocka_unit_test(test_crowds),          cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_long_runs),       cmocka_unit_test(test_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
