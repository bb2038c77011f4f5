/* Virtual channels with credits: bad input, what can be done by hand, what must hold in every cycle,
 * deadlock. Agreement with the oracle is in worm_switch_test.c. */
#include "engines/wormhole/switches/worm_switch_state.h"
#include "support/fabrics.h"
#include "support/listed.h"
#include "support/points.h"
#include "support/rings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef struct bed {
    bough_routing *routing;
    const bough_net *net;
    worm_options o;
    sim_engine *e;
    worm_switch *w; /* the same */
    listed l;
    sim_delivery d[1000]; /* by id */
} bed;

static void lay(bed *b, bough_routing *routing, worm_options o) {
    bough_error error = {0};
    *b = (bed){.routing = routing, .net = routing->net, .o = o};
    if (worm_switch_make(routing, &o, &b->e, &error)) fail_msg("%s %s", error.place, error.reason);
    b->w = (worm_switch *)b->e;
}

static void lay_net(bed *b, const char *net, worm_options o) {
    lay(b, routing_make(net_make(net), "free"), o);
}

static void clear(bed *b) {
    b->e->ops->destroy(b->e);
    bough_routing_destroy(b->routing);
    bough_net_destroy((bough_net *)b->net);
    listed_fini(&b->l);
}

/* Until `until`, or until nothing is left to do; returns how many have arrived. */
static uint32_t run_until(bed *b, uint64_t until) {
    sim_advance part = {.until = until, .want = UINT64_MAX};
    bough_error error = {0};
    if (b->e->ops->advance(b->e, &part, &error)) fail_msg("%s", error.reason);
    for (uint32_t i = 0; i < part.count; i++) b->d[part.deliveries[i].id] = part.deliveries[i];
    return (uint32_t)part.count;
}

static void begin(bed *b, bough_key key) {
    listed_again(&b->l);
    b->e->ops->start(b->e, key, &b->l.base);
}

static uint32_t start_and_run(bed *b, uint64_t until, bough_key key) {
    begin(b, key);
    return run_until(b, until);
}

static uint64_t stuck(const bed *b) {
    uint64_t count, link;
    assert_int_equal(b->e->ops->stuck(b->e, &count, &link, NULL), BOUGH_OK);
    if (count) assert_true(link < b->net->links);
    return count;
}

static void put(bed *b, uint32_t id, uint64_t time, uint32_t source, uint64_t target) {
    b->l.message[id] = (bough_message){time, 1, source, (uint32_t)bough_endpoint_address(b->net, target), id};
}

/* ---- bad input ---- */

static void refuses(const char *spec, worm_options o, bough_status status, const char *place) {
    bough_routing *routing = routing_make(net_make(spec), "free");
    sim_engine *e;
    bough_error error = {0};
    assert_int_equal(worm_switch_make(routing, &o, &e, &error), status);
    assert_null(e);
    assert_string_equal(error.place, place);
    bough_net *net = (bough_net *)routing->net;
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

static void bad_options_are_refused(void **state) {
    (void)state;
    refuses("fattree:n=4", (worm_options){1, 1, 0, 0, false}, BOUGH_INVALID, "vcs");
    refuses("fattree:n=4", (worm_options){1, 1, WORM_SWITCH_VCS + 1, 0, false}, BOUGH_INVALID, "vcs");
    refuses("fattree:n=4", (worm_options){1, 0, 1, 0, false}, BOUGH_INVALID, "buffer");
    refuses("fattree:n=4", (worm_options){1, WORM_SWITCH_BUFFER + 1, 1, 0, false}, BOUGH_INVALID, "buffer");
    refuses("fattree:n=4", (worm_options){1, 1, 1, WORM_SWITCH_CREDIT + 1, false}, BOUGH_INVALID, "credit");
    refuses("fattree:n=2^24", (worm_options){1, 1, 32, 1, false}, BOUGH_TOO_LARGE, "");
}

static void fails(bed *b, bough_status status, const char *text) {
    sim_advance part = {.until = 100, .want = 1};
    bough_error error = {0};
    begin(b, bough_key_make(1, 0));
    assert_int_equal(b->e->ops->advance(b->e, &part, &error), status);
    if (!strstr(error.reason, text)) fail_msg("'%s' does not say '%s'", error.reason, text);
}

static void bad_messages_are_refused(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 11", "H2 lid 12",
                                        "H1:1 S1:1", "H2:1 S2:1", "S1:3 S2:3", NULL};
    static const char *const tables[] = {"S1 11>1 12>3", "S2 11>3", NULL};
    bed b;
    lay(&b, fabric_routing(lines, tables), (worm_options){4, 2, 2, 1, false});
    b.l = listed_make(1);
    put(&b, 0, 0, 0, 1);
    fails(&b, BOUGH_FAILED, "(at S2)");
    b.l.message[0].size = 0;
    fails(&b, BOUGH_INVALID, "no flits");
    b.l.message[0].size = UINT64_C(1) << 62;
    fails(&b, BOUGH_INVALID, "too many flits");
    b.l.message[0].size = UINT64_C(1) << 30;
    fails(&b, BOUGH_INVALID, "too many flits");
    put(&b, 0, 0, 1, 0); /* and a trial can begin after all that */
    assert_int_equal(start_and_run(&b, 100, bough_key_make(1, 0)), 1);
    assert_int_equal(b.d[0].arrived, 3 + 4 - 1);
    clear(&b);
}

static uint64_t advance(bed *b, uint64_t until, uint64_t want, const sim_delivery **d) {
    sim_advance part = {.until = until, .want = want};
    assert_int_equal(b->e->ops->advance(b->e, &part, NULL), BOUGH_OK);
    *d = part.deliveries;
    return part.count;
}

/* It stops at `until`, after the cycle with what was wanted, or when nothing is left to do. */
static void it_stops_where_it_should(void **state) {
    (void)state;
    const sim_delivery *d;
    bed b;
    lay_net(&b, "kary:k=4,levels=1", (worm_options){4, 2, 2, 1, false});
    b.l = listed_make(3);
    put(&b, 0, 100, 0, 1); /* arrives in 105, as the next */
    put(&b, 1, 100, 2, 3);
    put(&b, 2, 1000, 1, 3);
    begin(&b, bough_key_make(1, 0));
    assert_true(advance(&b, 50, 1, &d) == 0 && b.e->now == 50);
    assert_true(advance(&b, 5000, 1, &d) == 2 && d[0].id == 0 && d[1].id == 1 && d[1].arrived == 105 &&
                b.e->now == 106);
    assert_true(b.e->offered == 2 && b.e->arrived == 2);
    assert_true(advance(&b, 1000, 1, &d) == 0 && b.e->now == 1000);
    assert_true(advance(&b, 5000, 2, &d) == 1 && d[0].arrived == 1005 && b.e->now < 1010);
    assert_true(advance(&b, 5000, 1, &d) == 0 && b.e->now < 1010);
    clear(&b);
}

/* What it counts: heads, cycles they wait, flits. Three of two flits to one sink, two channels: the second
 * takes turns with the first, the third has the first one's channel. */
static void the_tally_by_hand(void **state) {
    (void)state;
    sim_tally t;
    bed b;
    lay_net(&b, "kary:k=4,levels=1", (worm_options){2, 2, 2, 1, false});
    b.l = listed_make(3);
    for (uint32_t i = 0; i < 3; i++) put(&b, i, 0, i, 3);
    begin(&b, bough_key_make(1, 0));
    assert_int_equal(run_until(&b, 4), 0);
    assert_int_equal(run_until(&b, 100), 3);
    b.e->ops->tally(b.e, &t);
    assert_int_equal(t.entered, 3);
    assert_int_equal(t.entry_waited, 0);
    assert_int_equal(t.links[0], 4);
    assert_int_equal(t.links[1], 4);
    assert_int_equal(t.grants[0], 3);
    assert_int_equal(t.held[0], 6);
    assert_int_equal(t.grants[1], 3);
    assert_int_equal(t.held[1], 6);
    assert_int_equal(t.waited[0], 0);
    assert_int_equal(t.waited[1],
                     4); /* head there in 1; tails cross in 3 and 4, one is known to be out in 5 */
    assert_int_equal(t.hot_held[0], 6);
    b.e->ops->reset(b.e);
    b.e->ops->tally(b.e, &t);
    assert_int_equal(t.cycles + t.entered + t.grants[0] + t.waited[1] + t.held[1] + t.hot_held[0], 0);
    clear(&b);
}

/* ---- by hand ---- */

/* Flit j crosses the first link in s(j) = max(s(j - 1) + 1, s(j - B) + 1 + credit), and so on behind it. */
static void lone_worms_wait_for_credits_only(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 3 * 5 * 4; k++) {
        uint64_t flits = 1 + k % 3 * 6;
        uint32_t buffer = 1 + k / 3 % 5, credit = k / 15, round = buffer > 1 + credit ? buffer : 1 + credit;
        bed b;
        lay_net(&b, "kary:k=2,levels=3", (worm_options){flits, buffer, 1 + k % 2, credit, false});
        b.l = listed_make(3);
        put(&b, 0, 10, 0, 1); /* 2 links */
        put(&b, 1, 1000, 7, 5);
        put(&b, 2, 2000, 2, 4);
        assert_int_equal(start_and_run(&b, 3000, bough_key_make(1, k)), 3);
        for (uint32_t i = 0; i < 3; i++) {
            uint64_t last = (flits - 1) / buffer * round + (flits - 1) % buffer;
            assert_int_equal(b.d[i].hops, 2 * (i + 1));
            assert_int_equal(b.d[i].entered, b.d[i].offered);
            assert_int_equal(b.d[i].arrived, b.d[i].offered + last + b.d[i].hops);
        }
        clear(&b);
    }
}

/* Messages of one source with a channel each: the link serves them in turn. */
static void channels_share_a_link(void **state) {
    (void)state;
    enum { FLITS = 10 };
    for (uint32_t vcs = 1; vcs <= 4; vcs++) {
        bed b;
        lay_net(&b, "kary:k=4,levels=1", (worm_options){FLITS, 4, vcs, 1, false});
        b.l = listed_make(3);
        for (uint32_t i = 0; i < 3; i++) put(&b, i, 5, 0, 1 + i);
        assert_int_equal(start_and_run(&b, 1000, bough_key_make(1, vcs)), 3);
        uint64_t end[3] = {0};
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t before = 0;
            for (uint32_t j = 0; j < 3; j++) before += b.d[j].arrived < b.d[i].arrived;
            end[before] = b.d[i].arrived - 5;
        }
        if (vcs >= 3) { /* flit j of the i-th crosses in 3 j + i */
            for (uint32_t i = 0; i < 3; i++) assert_int_equal(end[i], 3 * (FLITS - 1) + i + 2);
        } else if (vcs == 1) { /* the tail leaves the buffer a cycle after its crossing, and is known then */
            for (uint32_t i = 0; i < 3; i++) assert_int_equal(end[i], (FLITS + 1) * i + FLITS + 1);
        } else { /* two in turn; the third has the first one's channel when its tail is known to be out */
            assert_int_equal(end[0], 2 * (FLITS - 1) + 2);
            assert_int_equal(end[1], 2 * (FLITS - 1) + 1 + 2);
            assert_int_equal(end[2], 2 * (FLITS - 1) + 2 + (FLITS - 1) + 2);
        }
        clear(&b);
    }
}

/* 1 sends to 2; 0 to 2, which waits for the link into 2; 0 to 3 waits behind that, or passes it. */
static void a_second_channel_passes_a_worm_that_waits(void **state) {
    (void)state;
    enum { FLITS = 50 };
    for (uint32_t vcs = 1; vcs <= 2; vcs++) {
        bed b;
        lay_net(&b, "kary:k=4,levels=1", (worm_options){FLITS, 2, vcs, 1, false});
        b.l = listed_make(4);
        put(&b, 0, 0, 1, 2);
        put(&b, 1, 0, 3, 2);
        put(&b, 2, 5, 0, 2);
        put(&b, 3, 6, 0, 1);
        assert_int_equal(start_and_run(&b, 10000, bough_key_make(1, vcs)), 4);
        if (vcs == 2) { /* 0 and 1 have the channels into 2; 2 fills its buffer and waits; 3 has the link */
            assert_int_equal(b.d[3].entered, 6);
            assert_true(b.d[3].arrived <= 6 + 1 + FLITS + 1);
        } else {
            assert_true(b.d[3].entered > 2 * FLITS);
        }
        clear(&b);
    }
}

/* A message that is made ready by the delivery of the one before starts in that cycle. */
static void chains_take_their_time(void **state) {
    (void)state;
    bed b;
    lay_net(&b, "fattree:n=16", (worm_options){7, 4, 2, 2, false});
    b.l = listed_make(30);
    b.l.chained = true;
    for (uint32_t i = 0; i < 30; i++) put(&b, i, 0, i * 5 % 16, (i * 5 + 1 + i % 15) % 16);
    assert_int_equal(start_and_run(&b, 10000, bough_key_make(1, 0)), 30);
    for (uint32_t i = 0; i < 30; i++) {
        assert_int_equal(b.d[i].offered, i ? b.d[i - 1].arrived : 0);
        assert_int_equal(b.d[i].arrived, b.d[i].offered + 7 + b.d[i].hops - 1);
    }
    clear(&b);
}

/* ---- what must hold in every cycle ---- */

/* Every slot of every buffer is known to be free, holds a flit, or its credit is under way. */
static void check_state(const worm_switch *w, uint32_t *under_way) {
    uint64_t channels = w->net->links << w->shift;
    memset(under_way, 0, channels * sizeof *under_way);
    for (uint32_t i = 0; i < w->o.credit + 2; i++)
        for (uint32_t k = 0; k < w->credit[i].count; k++) under_way[w->credit[i].item[k]]++;
    for (uint64_t i = 0; i < channels; i++) {
        const switch_channel *c = &w->channel[i];
        const switch_link *l = &w->link[i >> w->shift];
        uint32_t bit = 1u << (i & ((1u << w->shift) - 1)), held = 0;
        bool last = c->to == SWITCH_SINK || c->to == SWITCH_NEW, free = l->free & bit;
        if (c->message != SWITCH_NONE && !last)
            held = c->to == SWITCH_NONE ? c->buffered : w->channel[c->to].at_start;
        assert_true(held <= w->o.buffer);
        assert_int_equal(c->credits + held + under_way[i], w->o.buffer);
        assert_int_equal((l->ready & bit) != 0, c->at_start > 0 && c->credits > 0);
        assert_true(!free || (c->message == SWITCH_NONE && c->left == 0 && c->credits == w->o.buffer));
        assert_true(c->at_start <= c->left);
    }
    for (uint64_t l = 0; l < w->net->links; l++)
        assert_int_equal(w->active[l >> 6] >> (l & 63) & 1, w->link[l].ready != 0);
}

static void flits_are_neither_lost_nor_made(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 4 * 3 * 3; k++) {
        bed b;
        worm_options o = {5, 1 + k % 3, 1 + k / 9, k / 3 % 3, false};
        lay_net(&b, k % 2 ? "kary:k=2,levels=3" : "xgft:down=4x4,up=1x2,links=1x2", o);
        bough_key key = bough_key_make(3, k);
        uint32_t *scratch = malloc((b.net->links << b.w->shift) * sizeof *scratch), all = 0;
        uint64_t *crossed = calloc(b.net->links, sizeof *crossed), carried = 0, hops = 0;
        b.l = listed_poisson(b.net, 1.3 / 10, 400, 3, key);
        begin(&b, key);
        while (all < 400) {
            all += run_until(&b, b.e->now + 1);
            check_state(b.w, scratch);
            for (uint64_t l = 0; l < b.net->links; l++) {
                uint64_t now = b.w->crossed[l];
                assert_true(now - crossed[l] <= 1); /* one flit a cycle */
                crossed[l] = now;
            }
            if (b.e->now % 64 == 0) assert_int_equal(stuck(&b), 0);
        }
        for (uint32_t i = 0; i < 400; i++) hops += b.d[i].hops * 5 * b.l.message[i].size;
        for (uint64_t l = 0; l < b.net->links; l++) carried += crossed[l];
        assert_int_equal(carried, hops);
        free(scratch);
        free(crossed);
        clear(&b);
    }
}

/* ---- deadlock ---- */

/* Everybody two switches further, around a ring: vcs messages of each fill every channel. */
static void a_full_ring_is_stuck(void **state) {
    (void)state;
    for (uint32_t vcs = 1; vcs <= 3; vcs++)
        for (uint32_t each = 1; each <= vcs; each++) {
            bed b;
            lay(&b, ring_routing(4, 3), (worm_options){64, 2, vcs, 1, false});
            b.l = listed_make(4 * each);
            for (uint32_t i = 0; i < 4 * each; i++)
                put(&b, i, 0, i % 4 * 3 + i / 4, (i % 4 + 2) % 4 * 3 + i / 4);
            bool full = each == vcs;
            assert_int_equal(start_and_run(&b, 2000, bough_key_make(1, vcs)), full ? 0 : 4 * each);
            assert_int_equal(stuck(&b), full ? 4 * each : 0);
            assert_int_equal(b.e->offered - b.e->arrived, full ? 4 * each : 0);
            clear(&b);
        }
}

/* Neighbours on one switch go on talking; who waits for the knot at a source is counted with it. */
static void a_knot_is_found_while_others_run(void **state) {
    (void)state;
    bed b;
    lay(&b, ring_routing(4, 3), (worm_options){64, 1, 1, 1, false});
    b.l = listed_make(200);
    for (uint32_t i = 0; i < 200; i++) put(&b, i, i < 5 ? 0 : 200 * i, 1, 2);
    for (uint32_t i = 0; i < 4; i++) put(&b, i, 0, i * 3, (i + 2) % 4 * 3);
    put(&b, 4, 1, 0, 1);
    begin(&b, bough_key_make(1, 0));
    assert_int_equal(run_until(&b, 1), 0);
    assert_int_equal(stuck(&b), 0);
    uint32_t some = run_until(&b, 1950);
    assert_true(some > 3);
    assert_int_equal(stuck(&b), 5);
    assert_int_equal(some + run_until(&b, UINT64_C(1) << 40), 195);
    assert_true(b.e->now < 100000); /* and sleeps when nothing is left to do */
    clear(&b);
}

/* ---- the method ---- */

static double latency_of(const bough_point *p, const char *method) {
    bough_run *run = run_make(p, method);
    bough_rows rows = run_once(run, 0);
    double latency = row_value(&rows, BOUGH_METRIC_LATENCY, BOUGH_NO_ROW_INDEX);
    assert_int_equal(rows.outcome, BOUGH_RUN_OK);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    return latency;
}

/* Near the saturation of one channel a second one halves the wait; without load nobody sees it. */
static void the_method_has_virtual_channels(void **state) {
    (void)state;
    bough_point idle = point_make("kary:k=4,levels=3", "free", "poisson:load=0.001,flits=16");
    bough_point busy = point_make("kary:k=4,levels=3", "free", "poisson:load=0.4,flits=16");
    double alone = 16 - 1 + 2 * (3.0 / 63 + 2 * 12.0 / 63 + 3 * 48.0 / 63);
    assert_near(latency_of(&idle, "worm:messages=4096,vcs=2,buffer=2"), alone, 0.2);
    assert_near(latency_of(&idle, "worm:messages=4096,vcs=4,buffer=1,credit=0"), alone, 0.2);
    double one = latency_of(&busy, "worm:messages=20000,buffer=4") - alone;
    double two = latency_of(&busy, "worm:messages=20000,buffer=4,vcs=2") - alone;
    assert_true(two < one * 0.7);
    run_refused(&idle, "worm:vcs=33", BOUGH_INVALID, "vcs");
    point_free(&idle);
    point_free(&busy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(bad_messages_are_refused),
        cmocka_unit_test(it_stops_where_it_should),
        cmocka_unit_test(the_tally_by_hand),
        cmocka_unit_test(lone_worms_wait_for_credits_only),
        cmocka_unit_test(channels_share_a_link),
        cmocka_unit_test(a_second_channel_passes_a_worm_that_waits),
        cmocka_unit_test(chains_take_their_time),
        cmocka_unit_test(flits_are_neither_lost_nor_made),
        cmocka_unit_test(a_full_ring_is_stuck),
        cmocka_unit_test(a_knot_is_found_while_others_run),
        cmocka_unit_test(the_method_has_virtual_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
