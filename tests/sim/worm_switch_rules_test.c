/* Virtual channels with credits: bad input, what can be done by hand, what must hold in every cycle,
 * deadlock. Agreement with the oracle is in worm_switch_test.c. */
#include "sim/worm_switch.h"
#include "sim/worm_switch_state.h"
#include "support/fabrics.h"
#include "support/listed.h"
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
    worm_switch *w;
    listed l;
    worm_delivery d[1000]; /* by id */
} bed;

static void lay(bed *b, bough_routing *routing, worm_options o) {
    bough_error error = {0};
    *b = (bed){.routing = routing, .net = routing->net, .o = o};
    bough_point point = {b->net, routing, NULL};
    if (worm_switch_make(&point, &o, &b->w, &error)) fail_msg("%s %s", error.place, error.reason);
}

static void lay_net(bed *b, const char *net, worm_options o) {
    lay(b, routing_make(net_make(net), "random"), o);
}

static void clear(bed *b) {
    worm_switch_free(b->w);
    bough_routing_destroy(b->routing);
    bough_net_destroy((bough_net *)b->net);
    listed_fini(&b->l);
}

/* Until `until`, or until everything has arrived; returns how many have. */
static uint32_t run_until(bed *b, uint64_t until) {
    worm_delivery d[16];
    bough_error error = {0};
    uint32_t got, all = 0;
    while (worm_switch_now(b->w) < until) {
        if (worm_switch_advance(b->w, until, d, COUNT(d), &got, NULL, &error)) fail_msg("%s", error.reason);
        for (uint32_t i = 0; i < got; i++) b->d[d[i].id] = d[i];
        all += got;
    }
    return all;
}

static uint32_t start_and_run(bed *b, uint64_t until, bough_key key) {
    listed_again(&b->l);
    worm_switch_start(b->w, key, &b->l.base);
    return run_until(b, until);
}

static void put(bed *b, uint32_t id, uint64_t time, uint32_t source, uint64_t target) {
    b->l.message[id] = (bough_message){time, 1, source, (uint32_t)bough_endpoint_address(b->net, target), id};
}

/* ---- bad input ---- */

static void refuses(const char *spec, worm_options o, bough_status status, const char *place) {
    bough_routing *routing = routing_make(net_make(spec), "random");
    bough_point point = {routing->net, routing, NULL};
    worm_switch *w = (worm_switch *)&point;
    bough_error error = {0};
    assert_int_equal(worm_switch_make(&point, &o, &w, &error), status);
    assert_null(w);
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
    worm_delivery d;
    uint32_t got;
    bough_error error = {0};
    listed_again(&b->l);
    worm_switch_start(b->w, bough_key_make(1, 0), &b->l.base);
    assert_int_equal(worm_switch_advance(b->w, 100, &d, 1, &got, NULL, &error), status);
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
    fails(&b, BOUGH_FAILED, "lost at S2");
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

static void it_stops_when_told_to(void **state) {
    (void)state;
    worm_delivery d;
    uint32_t got;
    bed b;
    atomic_bool stop = true;
    lay_net(&b, "fattree:n=4", (worm_options){4, 2, 2, 1, false});
    b.l = listed_make(1);
    put(&b, 0, 0, 0, 1);
    worm_switch_start(b.w, bough_key_make(1, 0), &b.l.base);
    assert_int_equal(worm_switch_advance(b.w, 100, &d, 1, &got, &stop, NULL), BOUGH_INTERRUPTED);
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
            held = c->to == SWITCH_NONE ? c->here : w->channel[c->to].hand;
        assert_true(held <= w->o.buffer);
        assert_int_equal(c->credits + held + under_way[i], w->o.buffer);
        assert_int_equal((l->ready & bit) != 0, c->hand > 0 && c->credits > 0);
        assert_true(!free || (c->message == SWITCH_NONE && c->left == 0 && c->credits == w->o.buffer));
        assert_true(c->hand <= c->left);
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
        worm_switch_start(b.w, key, &b.l.base);
        while (all < 400) {
            all += run_until(&b, worm_switch_now(b.w) + 1);
            check_state(b.w, scratch);
            for (uint64_t l = 0; l < b.net->links; l++) {
                uint64_t now = worm_switch_counts(b.w)->held[l];
                assert_true(now - crossed[l] <= 1); /* one flit a cycle */
                crossed[l] = now;
            }
            if (worm_switch_now(b.w) % 64 == 0) assert_false(worm_switch_stuck(b.w));
        }
        for (uint32_t i = 0; i < 400; i++) hops += b.d[i].hops * 5 * b.l.message[i].size;
        for (uint64_t l = 0; l < b.net->links; l++) carried += crossed[l];
        assert_int_equal(carried, hops);
        worm_switch_reset(b.w);
        assert_int_equal(worm_switch_counts(b.w)->held[0] + worm_switch_counts(b.w)->grants[0], 0);
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
            assert_int_equal(worm_switch_stuck(b.w), full);
            assert_int_equal(worm_switch_backlog(b.w), full ? 4 * each : 0);
            clear(&b);
        }
}

/* Neighbours of one switch go on talking. */
static void a_knot_is_found_while_others_run(void **state) {
    (void)state;
    bed b;
    lay(&b, ring_routing(4, 3), (worm_options){64, 1, 1, 1, false});
    b.l = listed_make(200);
    for (uint32_t i = 0; i < 200; i++) put(&b, i, i < 4 ? 0 : 10 * i, 1, 2);
    for (uint32_t i = 0; i < 4; i++) put(&b, i, 0, i * 3, (i + 2) % 4 * 3);
    listed_again(&b.l);
    worm_switch_start(b.w, bough_key_make(1, 0), &b.l.base);
    assert_int_equal(run_until(&b, 1), 0);
    assert_false(worm_switch_stuck(b.w));
    uint32_t some = run_until(&b, 1000);
    assert_true(some > 3);
    assert_true(worm_switch_stuck(b.w));
    assert_int_equal(some + run_until(&b, UINT64_C(1) << 40),
                     196); /* and sleeps when nothing is left to do */
    clear(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(bad_messages_are_refused),
        cmocka_unit_test(it_stops_when_told_to),
        cmocka_unit_test(lone_worms_wait_for_credits_only),
        cmocka_unit_test(channels_share_a_link),
        cmocka_unit_test(a_second_channel_passes_a_worm_that_waits),
        cmocka_unit_test(chains_take_their_time),
        cmocka_unit_test(flits_are_neither_lost_nor_made),
        cmocka_unit_test(a_full_ring_is_stuck),
        cmocka_unit_test(a_knot_is_found_while_others_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
