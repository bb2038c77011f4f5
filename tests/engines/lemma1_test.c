/* Lemma 1 of strumpen2005 is exact: the generic engine with its coins enumerated instead of drawn, over every
 * source of the second message and every two destinations, gives the very fraction. */
#include "method/method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define LEVELS   4            /* n = 16 */
#define COINS    (2 * LEVELS) /* more than two messages can meet below the roots */

/* A routing whose coins are given: those of `face` first, then heads, which are noted so that the next run
 * can turn the last of them. */
typedef struct enumerated {
    bough_routing base;
    unsigned face[COINS];
    unsigned met;
    uint64_t asked; /* over all runs */
} enumerated;

static uint32_t select_next(const bough_routing *routing, const bough_choice *choice) {
    enumerated *e = (enumerated *)routing;
    assert_int_equal(choice->count, 2);
    assert_true(e->met < COINS);
    e->asked++;
    return e->face[e->met++];
}

/* The next leaf of the tree of coins, depth first. False: that was the last. */
static bool turn_last(enumerated *e) {
    while (e->met && e->face[e->met - 1]) e->face[--e->met] = 0;
    if (e->met) e->face[e->met - 1] = 1;
    bool more = e->met > 0;
    e->met = 0;
    return more;
}

static const bough_routing_kind enumerating = {
    .name = "enumerated", .needs = BOUGH_HAS_ROUTES, .even = true, .select = select_next};

/* Two messages, the same in every trial until they are changed. */
typedef struct pair {
    bough_source base;
    bough_message message[2];
    uint32_t next;
} pair;

static uint64_t pair_next_time(bough_source *source) {
    return ((pair *)source)->next < 2 ? 0 : BOUGH_NONE;
}
static uint32_t pair_pop(bough_source *source, uint64_t now, bough_message *out, uint32_t capacity) {
    pair *p = (pair *)source;
    uint32_t got = 0;
    (void)now;
    while (got < capacity && p->next < 2) out[got++] = p->message[p->next++];
    return got;
}
static void pair_close(bough_source *source) {
    ((pair *)source)->next = 0;
}

static bough_status pair_open(const bough_traffic *traffic, bough_key key, const bough_clock *clock,
                              bough_source **source, bough_error *error) {
    (void)clock;
    pair *p = traffic->data;
    (void)key;
    (void)error;
    *source = &p->base;
    return BOUGH_OK;
}
static const bough_traffic_kind pairs = {.name = "pair", .shape = BOUGH_BATCH, .open = pair_open};

typedef struct experiment {
    bough_net *net;
    enumerated routing;
    pair messages;
    bough_traffic traffic;
    bough_run *run;
    void *workspace;
    bough_rows rows;
} experiment;

static void set_up(experiment *x, unsigned n, const char *method) {
    char spec[32];
    bough_error error = {0};
    *x = (experiment){0};
    snprintf(spec, sizeof spec, "fattree:n=%u", n);
    assert_int_equal(bough_net_create(spec, &x->net, NULL), BOUGH_OK);
    x->routing.base = (bough_routing){.net = x->net, .kind = &enumerating};
    x->messages.base = (bough_source){pair_next_time, pair_pop, NULL, pair_close};
    x->traffic =
        (bough_traffic){.net = x->net, .kind = &pairs, .messages = 2, .distinct = true, .data = &x->messages};
    bough_point point = {x->net, &x->routing.base, &x->traffic};
    if (bough_run_create(method, &point, &x->run, &error)) fail_msg("%s: %s", method, error.reason);
}

static void tear_down(experiment *x) {
    bough_rows_fini(&x->rows);
    bough_run_free_workspace(x->run, x->workspace);
    bough_run_destroy(x->run);
    bough_net_destroy(x->net);
}

/* True when the two are not both delivered in the first round. */
static bool collide(experiment *x) {
    assert_int_equal(bough_run_trial(x->run, bough_key_make(1, 0), &x->workspace, &x->rows, NULL), BOUGH_OK);
    for (size_t i = 0; i < x->rows.count; i++)
        if (x->rows.row[i].metric == BOUGH_METRIC_FIRST_SUCCESS) {
            assert_true(x->rows.row[i].value == 1 || x->rows.row[i].value == 0.5); /* one always arrives */
            return x->rows.row[i].value != 1;
        }
    fail_msg("no first_success");
    return false;
}

/* The probability that 0 -> t1 and s2 -> t2 collide, times 2^COINS. */
static uint64_t probability(experiment *x, uint32_t t1, uint32_t s2, uint32_t t2) {
    uint64_t sum = 0;
    x->messages.message[0] = (bough_message){.size = 1, .source = 0, .address = t1, .id = 0};
    x->messages.message[1] = (bough_message){.size = 1, .source = s2, .address = t2, .id = 1};
    do {
        bool collided = collide(x);
        if (collided) sum += UINT64_C(1) << (COINS - x->routing.met);
    } while (turn_last(&x->routing));
    return sum;
}

static unsigned highest_bit(uint32_t v) {
    unsigned b = 0;
    while (v >>= 1) b++;
    return b;
}

/* Eq. 2 with its misprints put right, times 2^COINS. */
static uint64_t entry(unsigned k, unsigned i, unsigned j) {
    if (i == k && j < k) return (uint64_t)(j + 2) << COINS >> (i + 1);
    if (j == k && i < k) return (uint64_t)(i + 2) << COINS >> (k + 1);
    if (i == j && i > k) return (uint64_t)(k + 2) << COINS >> (i + 1);
    return 0;
}

/* Pr[C2] over the whole sample space, in units of 1 / (2^COINS (n-1)^3); each Pr[k,i,j] on the way. */
static uint64_t sum_over_all(unsigned n, const char *method) {
    experiment x;
    static uint64_t sum[LEVELS][LEVELS][LEVELS], cases[LEVELS][LEVELS][LEVELS];
    uint64_t all = 0;
    memset(sum, 0, sizeof sum);
    memset(cases, 0, sizeof cases);
    set_up(&x, n, method);
    for (uint32_t t1 = 1; t1 < n; t1++)
        for (uint32_t s2 = 1; s2 < n; s2++)
            for (uint32_t t2 = 0; t2 < n; t2++) {
                if (t2 == s2) continue;
                unsigned k = highest_bit(s2), i = highest_bit(t1), j = highest_bit(s2 ^ t2);
                uint64_t p = probability(&x, t1, s2, t2);
                sum[k][i][j] += p;
                cases[k][i][j]++;
                all += p;
            }
    for (unsigned k = 0; k < LEVELS; k++)
        for (unsigned i = 0; i < LEVELS; i++)
            for (unsigned j = 0; j < LEVELS; j++)
                if (sum[k][i][j] != cases[k][i][j] * entry(k, i, j))
                    fail_msg("n = %u, Pr[%u,%u,%u] is off", n, k, i, j);
    if (n > 2) assert_true(x.routing.asked > 0);
    tear_down(&x);
    return all;
}

static void pr_c2_is_exact(void **state) {
    (void)state;
    static const struct {
        unsigned n, numerator, denominator;
    } want[] = {{2, 0, 1}, {4, 2, 9}, {8, 54, 343}, {16, 38, 375}};
    static const char *const method[] = {
        "circuit:mode=attempt,engine=generic", "circuit:mode=rounds,limit=1,engine=generic",
        "circuit:mode=rounds,limit=1,release=end,engine=generic",
        "circuit:mode=rounds,limit=1"}; /* auto: labels have coins of their own */
    for (size_t w = 0; w < COUNT(want); w++)
        for (size_t i = 0; i < COUNT(method); i++) {
            uint64_t n = want[w].n, cube = (n - 1) * (n - 1) * (n - 1),
                     all = sum_over_all(want[w].n, method[i]);
            if (all * want[w].denominator != want[w].numerator * (cube << COINS))
                fail_msg("%s: Pr[C2] = %llu / %llu at n = %u", method[i], (unsigned long long)all,
                         (unsigned long long)(cube << COINS), want[w].n);
            uint64_t six = n * n * 3 * highest_bit(want[w].n) + 4 - n * n * 4; /* 6 (n-1)^3 Pr[C2] */
            assert_true(6 * all == six << COINS);
        }
}

/* The enumeration itself: how many coins a pair of messages meets. */
static void coins_met(void **state) {
    (void)state;
    experiment x;
    set_up(&x, 16, "circuit:mode=attempt,engine=generic");
    /* 0 and 8 climb three levels each, alone: six coins, 64 runs, all of them counted once. */
    x.messages.message[0] = (bough_message){.size = 1, .source = 0, .address = 8, .id = 0};
    x.messages.message[1] = (bough_message){.size = 1, .source = 8, .address = 0, .id = 1};
    unsigned runs = 0;
    do {
        assert_false(collide(&x)); /* criss-cross */
        assert_int_equal(x.routing.met, 6);
        runs++;
    } while (turn_last(&x.routing));
    assert_int_equal(runs, 64);
    /* 0 and 1 share the first router's coin. */
    x.messages.message[1] = (bough_message){.size = 1, .source = 1, .address = 9, .id = 1};
    collide(&x);
    assert_int_equal(x.routing.met, 5);
    tear_down(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coins_met),
        cmocka_unit_test(pr_c2_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
