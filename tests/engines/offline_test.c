/* Off-line and randomised on-line routing on channels: by hand, every set and cycle against the wires it
 * needs, the theorem's bound, and the random one step by step against a plain program. */
#include "engines/channels/offline.h"
#include "engines/channels/online.h"
#include "support/fabrics.h"
#include "support/message_set.h"
#include "support/points.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const networks[] = {"fattree:n=16",      "fattree:n=128", "pruned:n=64",
                                       "pruned:n=1024",     "bft:n=256",     "xgft:down=4x3x5,up=1x2x2",
                                       "kary:k=3,levels=3", "transit:n=64"};
enum { NETWORKS = sizeof networks / sizeof *networks };

typedef struct scene {
    bough_net *net;
    channel_tree tree;
    offline_splitter *splitter;
    online_engine *online;
} scene;

/* In place: the engines borrow its tree. */
static void open_scene(scene *s, const char *spec) {
    *s = (scene){.net = net_make(spec)};
    bough_error error = {0};
    uint64_t messages = 9 * s->net->endpoints;
    if (channel_tree_make(s->net, &s->tree, &error) ||
        offline_create(&s->tree, true, messages, &s->splitter, &error) ||
        online_create(&s->tree, messages, &s->online, &error))
        fail_msg("%s: %s", spec, error.reason);
}

static void close_scene(scene *s) {
    offline_destroy(s->splitter);
    online_destroy(s->online);
    channel_tree_fini(&s->tree);
    bough_net_destroy(s->net);
}

/* Every message in a cycle, and in each cycle no channel with more than its wires. */
static void check_cycles(const scene *s, const bough_batch *b, const uint32_t *cycle, uint64_t cycles) {
    const bough_net *net = s->net;
    for (uint64_t i = 0; i < b->count; i++) {
        bool stays = b->source[i] == bough_address_node(net, b->address[i]);
        assert_true(stays ? cycle[i] == UINT32_MAX : cycle[i] < cycles);
    }
    for (unsigned l = 0; l < s->tree.levels; l++) {
        uint64_t channels = s->tree.first[l + 1] - s->tree.first[l];
        uint32_t *used = calloc(2 * channels * cycles, sizeof *used);
        for (uint64_t i = 0; i < b->count; i++) {
            uint64_t from = net->ops->subtree(net, l, b->source[i]);
            uint64_t to = net->ops->subtree(net, l, bough_address_node(net, b->address[i]));
            if (from == to) continue;
            assert_true(++used[(cycle[i] * channels + from) * 2] <= net->ops->channel_capacity(net, l, from));
            assert_true(++used[(cycle[i] * channels + to) * 2 + 1] <= net->ops->channel_capacity(net, l, to));
        }
        free(used);
    }
}

/* Four endpoints on wires of their own: three messages to one take three cycles, a turn takes one. */
static void by_hand(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "fattree:n=4");
    uint32_t from[] = {0, 1, 2, 3}, to[] = {3, 3, 3, 3}, cycle[4];
    bough_batch b = {from, to, 4};
    offline_result r;
    bough_error error = {0};
    assert_int_equal(offline_split(s.splitter, &b, cycle, &r, &error), 0);
    assert_int_equal(r.cycles, 3);
    assert_int_equal(r.level_cycles[1], 1); /* 2 to 3 */
    assert_int_equal(r.level_cycles[2], 2);
    assert_int_equal(cycle[2], 0);
    assert_int_equal(cycle[3], UINT32_MAX);
    check_cycles(&s, &b, cycle, r.cycles);
    uint32_t turned[] = {3, 2, 1, 0};
    b.address = turned;
    assert_int_equal(offline_split(s.splitter, &b, cycle, &r, &error), 0);
    assert_int_equal(r.cycles, 1);
    b.count = 0;
    assert_int_equal(offline_split(s.splitter, &b, cycle, &r, &error), 0);
    assert_int_equal(r.cycles, 0);
    close_scene(&s);
}

static void sets_fit(void **state) {
    (void)state;
    for (unsigned n = 0; n < NETWORKS; n++) {
        scene s;
        open_scene(&s, networks[n]);
        uint32_t *up = malloc(s.tree.channels * sizeof *up), *down = malloc(s.tree.channels * sizeof *down);
        for (unsigned degree = 1; degree <= 9; degree += 4) {
            message_list list = list_permutations(s.net->endpoints, degree, 17 * n + degree);
            if (degree == 9) /* and a hot spot */
                for (uint64_t i = 0; i < list.count; i += 7) list.target[i] = 1;
            bough_batch b = {list.source, list.target, list.count};
            uint32_t *cycle = malloc(list.count * sizeof *cycle);
            offline_result r;
            bough_error error = {0};
            channel_load load = channel_tree_load(&s.tree, &b, up, down);
            if (offline_split(s.splitter, &b, cycle, &r, &error))
                fail_msg("%s: %s", networks[n], error.reason);
            check_cycles(&s, &b, cycle, r.cycles);
            assert_true((double)r.cycles >= load.either);
            assert_true((double)r.cycles <= exp2(ceil(log2(load.either))) * s.tree.levels);
            free(cycle);
            message_list_free(&list);
        }
        free(up);
        free(down);
        close_scene(&s);
    }
}

/* ---- at random ---- */

static bool through(const scene *s, const bough_batch *b, const bool *alive, const uint64_t *word, uint64_t m,
                    unsigned l, bool down) {
    const bough_net *net = s->net;
    uint64_t at = net->ops->subtree(net, l, down ? b->address[m] : b->source[m]), before = 0;
    if (at == net->ops->subtree(net, l, down ? b->source[m] : b->address[m])) return true;
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t here = net->ops->subtree(net, l, down ? b->address[i] : b->source[i]);
        uint64_t there = net->ops->subtree(net, l, down ? b->source[i] : b->address[i]);
        before +=
            alive[i] && here == at && there != at && (word[i] < word[m] || (word[i] == word[m] && i < m));
    }
    return before < net->ops->channel_capacity(net, l, at);
}

/* One cycle, message by message and channel by channel; returns how many arrive. */
static uint64_t plain_cycle(const scene *s, const bough_batch *b, bough_key key, double p, uint64_t now,
                            uint32_t *cycle) {
    bool *alive = calloc(b->count, 1), *next = calloc(b->count, 1);
    uint64_t *word = calloc(b->count, sizeof *word), arrived = 0;
    for (uint64_t i = 0; i < b->count; i++) {
        word[i] = bough_word(key, BOUGH_DRAW_ONLINE, i, now);
        alive[i] = cycle[i] == UINT32_MAX && b->source[i] != b->address[i] && bough_unit(word[i]) < p;
    }
    for (unsigned step = 0; step < 2 * s->tree.levels; step++) {
        bool down = step >= s->tree.levels;
        unsigned l = down ? 2 * s->tree.levels - 1 - step : step;
        for (uint64_t i = 0; i < b->count; i++) next[i] = alive[i] && through(s, b, alive, word, i, l, down);
        memcpy(alive, next, b->count);
    }
    for (uint64_t i = 0; i < b->count; i++)
        if (alive[i]) cycle[i] = (uint32_t)now, arrived++;
    free(alive);
    free(next);
    free(word);
    return arrived;
}

/* The guesses, as the header tells them. */
static uint64_t plain_run(const scene *s, const bough_batch *b, const online_options *o, uint32_t *cycle) {
    uint64_t left = 0, now = 0;
    double lg = log2((double)s->net->endpoints), guess = 2;
    for (uint64_t i = 0; i < b->count; i++) cycle[i] = UINT32_MAX, left += b->source[i] != b->address[i];
    while (o->k1 * guess < o->k2 * lg && left) {
        for (double i = 0; i < ceil(o->k2 * lg) && left; i++, now++)
            left -= plain_cycle(s, b, o->key, 1 / (o->r * guess), now, cycle);
        guess *= guess;
    }
    for (double z = 1; left; z *= 2) {
        guess = fmax(1, z * o->k2 * lg / o->k1);
        for (double round = 0; round <= log2(z) && left; round++) {
            for (double i = 0; i < ceil(o->k1 * guess) && left; i++, now++)
                left -= plain_cycle(s, b, o->key, 1 / (o->r * guess), now, cycle);
            guess = fmax(1, guess / 2);
        }
    }
    return now;
}

static void as_a_plain_program_has_it(void **state) {
    (void)state;
    for (unsigned n = 0; n < NETWORKS; n++) {
        scene s;
        open_scene(&s, networks[n]);
        for (unsigned degree = 1; degree <= 3 && s.net->endpoints < 300; degree++) {
            message_list list = list_permutations(s.net->endpoints, degree, 5 * n + degree);
            bough_batch b = {list.source, list.target, list.count};
            uint32_t *want = malloc(list.count * sizeof *want);
            const online_options o = {1 + degree % 2, 2, 1, bough_key_make(n, degree), NULL};
            online_result r;
            bough_error error = {0};
            assert_int_equal(online_run(s.online, &b, &o, &r, &error), 0);
            assert_int_equal(r.cycles, plain_run(&s, &b, &o, want));
            assert_memory_equal(r.cycle, want, list.count * sizeof *want);
            check_cycles(&s, &b, r.cycle, r.cycles);
            uint64_t moving = 0;
            for (uint64_t i = 0; i < b.count; i++) moving += b.source[i] != b.address[i];
            assert_int_equal(r.sent - r.lost, moving);
            free(want);
            message_list_free(&list);
        }
        close_scene(&s);
    }
}

/* ---- the methods ---- */

static void methods(void **state) {
    (void)state;
    bough_point p = point_make("pruned:n=1024", "free", "bitcomp");
    bough_rows rows = rows_of(&p, "offline:verify=1,body=6");
    /* All meet at the root: 1024 messages over 32 wires either way of a half, 512 each way. */
    assert_true(row_value(&rows, BOUGH_METRIC_PASSES, BOUGH_NO_ROW_INDEX) == 16);
    assert_true(row_value(&rows, BOUGH_METRIC_BIT_STEPS, BOUGH_NO_ROW_INDEX) == 16 * (2 * 10 + 6));
    assert_true(row_value(&rows, BOUGH_METRIC_LOAD_FACTOR, BOUGH_NO_ROW_INDEX) == 32);
    bough_rows_fini(&rows);
    rows = rows_of(&p, "online");
    assert_true(row_value(&rows, BOUGH_METRIC_PASSES, BOUGH_NO_ROW_INDEX) >= 16);
    bough_rows_fini(&rows);
    run_refused(&p, "online:r=0", BOUGH_INVALID, "r");
    run_refused(&p, "offline:body=0", BOUGH_INVALID, "body");
    point_free(&p);
    p = point_make("cube:n=16", "bitfix", "bitcomp");
    run_refused(&p, "offline", BOUGH_UNSUPPORTED, "channels");
    point_free(&p);
    p = point_make("pruned:n=16", "free", "poisson:rate=0.1");
    run_refused(&p, "online", BOUGH_UNSUPPORTED, "");
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(sets_fit),
        cmocka_unit_test(as_a_plain_program_has_it),
        cmocka_unit_test(methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
