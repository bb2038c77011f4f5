/* Streams whose messages differ in length, and streams of bursts. Statistical tests have fixed seeds; their
 * limits are six standard deviations. */
#include "traffic/streams/lengths.h"
#include "traffic/streams/stream.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/draws.h"
#include "support/points.h"
#include "support/specs.h"

static void wrong_lengths_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *spec, *reason;
    } cases[] = {
        {"poisson:load=0.1,lengths=", "not a list of flits:share"},
        {"poisson:load=0.1,lengths=16", "not a list of flits:share"},
        {"poisson:load=0.1,lengths=uniform", "accepted: geometric, or lengths and their shares"},
        {"poisson:load=0.1,lengths=4:0.5", "the shares add up to 0.5, not 1"},
        {"poisson:load=0.1,lengths=4:0.5+8:0.6", "the shares add up to 1.1, not 1"},
        {"poisson:load=0.1,lengths=4:0.5+", "not a list of flits:share"},
        {"poisson:load=0.1,lengths=4:0.5+4:0.5", "a length is given twice"},
        {"poisson:load=0.1,lengths=4:0+8:1", "a share is above 0 and at most 1"},
        {"poisson:load=0.1,lengths=4:nan+8:1", "is not a number"},
        {"poisson:load=0.1,lengths=0:0.5+8:0.5", "between 1 and"},
        {"poisson:load=0.1,lengths=2000000:1", "between 1 and"},
        {"poisson:load=0.1,flits=8,lengths=4:0.5+8:0.5", "flits= and a list of lengths= are alternatives"},
        {"poisson:load=0.1,flits=1,lengths=geometric", "a mean of 2 flits or more"},
        {"poisson:load=60000,lengths=4:0.5+8:0.5", "lengths of mean=6 is 10000 messages per cycle"},
        {"poisson:load=0.1,burst=0.5", "burst must lie between 1 and"},
        {"bernoulli:load=0.1,burst=2", "burst=2 applies to poisson"},
        {"poisson:load=0.1,lengths=1:0.05+2:0.05+3:0.05+4:0.05+5:0.05+6:0.05+7:0.05+8:0.05+9:0.05+10:0.05+"
         "11:0.05+12:0.05+13:0.05+14:0.05+15:0.05+16:0.05+17:0.2",
         "more than 16 lengths"},
    };
    bough_net *net = net_make("fattree:n=8");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_traffic *t;
        bough_error error = {0};
        assert_int_equal(bough_traffic_create(net, cases[i].spec, &t, &error), BOUGH_INVALID);
        if (!strstr(error.reason, cases[i].reason))
            fail_msg("%s: '%s' does not say '%s'", cases[i].spec, error.reason, cases[i].reason);
    }
    bough_net_destroy(net);
}

static void specs_are_echoed(void **state) {
    (void)state;
    static const struct {
        const char *given, *echo;
        double rate, mean;
    } cases[] = {
        {"poisson:load=0.1,lengths=64:0.2+4:0.8", "poisson:load=0.1,lengths=\"64:0.2+4:0.8\"", 0.1 / 16, 16},
        {"bernoulli:rate=0.01,lengths=16:1", "bernoulli:rate=0.01,lengths=16:1", 0.01, 16},
        {"poisson:load=0.1,lengths=geometric", "poisson:load=0.1,flits=32,lengths=geometric", 0.1 / 32, 32},
        {"poisson:load=0.1,flits=8,burst=4", "poisson:load=0.1,flits=8,burst=4", 0.1 / 8, 8},
        {"poisson:load=0.1,burst=1", "poisson:load=0.1,flits=32", 0.1 / 32, 32},
    };
    bough_net *net = net_make("fattree:n=8");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_traffic *t = traffic_make(net, cases[i].given), *again = traffic_make(net, t->spec);
        assert_string_equal(t->spec, cases[i].echo);
        assert_string_equal(again->spec, cases[i].echo);
        assert_true(fabs(t->law->rate - cases[i].rate) < 1e-15);
        assert_true(fabs(bough_law_mean_flits(t->law) - cases[i].mean) < 1e-12);
        bough_traffic_destroy(again);
        bough_traffic_destroy(t);
    }
    char *load = NULL;
    assert_int_equal(stream_relload_replace("poisson:relload=0.5,lengths=4:0.8+64:0.2", 0.25, &load, NULL),
                     BOUGH_OK);
    assert_string_equal(load, "poisson:load=0.25,lengths=\"4:0.8+64:0.2\"");
    free(load);
    bough_net_destroy(net);
}

/* Words on a grid: every length as often as its share says. */
static void draws_have_the_distribution(void **state) {
    (void)state;
    enum { WORDS = 1 << 20, LONGEST = 4096 };
    static const struct {
        const char *text;
        uint64_t flits;
        double tolerance; /* of the moments: the grid ends at 2^-21 */
    } cases[] = {{"4:0.75+64:0.25", 32, 1e-6},
                 {"1:0.1+2:0.2+3:0.7", 32, 1e-5},
                 {"geometric", 2, 1e-3},
                 {"geometric", 32, 1e-3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_lengths l;
        double moment[3] = {0}, *share = calloc(LONGEST, sizeof *share);
        assert_non_null(share);
        assert_int_equal(lengths_parse(cases[i].text, cases[i].flits, &l, NULL), BOUGH_OK);
        for (uint64_t w = 0; w < WORDS; w++) {
            uint64_t flits = lengths_draw(&l, (2 * w + 1) << 43);
            assert_true(flits >= l.shortest && flits <= l.longest && flits < LONGEST);
            share[flits] += 1.0 / WORDS;
            for (int k = 0; k < 3; k++) moment[k] += pow((double)flits, k + 1) / WORDS;
        }
        for (uint64_t f = 0; f < LONGEST; f++)
            if (fabs(share[f] - bough_lengths_share(&l, f)) > 2.0 / WORDS)
                fail_msg("%s: %g of %u flits", cases[i].text, share[f], (unsigned)f);
        for (int k = 0; k < 3; k++) assert_true(fabs(moment[k] / l.moment[k] - 1) < cases[i].tolerance);
        assert_true(lengths_draw(&l, 0) <= l.longest && lengths_draw(&l, UINT64_MAX) >= l.shortest);
        free(share);
    }
}

/* Times, senders and destinations are those of messages of one length. */
static void lengths_change_nothing_else(void **state) {
    (void)state;
    enum { MESSAGES = 20000 };
    bough_net *net = net_make("fattree:n=16");
    bough_traffic *one = traffic_make(net, "poisson:rate=0.01,flits=32");
    bough_traffic *two = traffic_make(net, "poisson:rate=0.01,lengths=4:0.8+64:0.2");
    bough_message *a = first_messages(one, 3, MESSAGES), *b = first_messages(two, 3, MESSAGES);
    double longs = 0;
    for (uint32_t k = 0; k < MESSAGES; k++) {
        assert_true(a[k].time == b[k].time && a[k].source == b[k].source && a[k].address == b[k].address);
        assert_true(b[k].size == 4 || b[k].size == 64);
        longs += b[k].size == 64;
    }
    assert_true(fabs(longs - 0.2 * MESSAGES) < 6 * sqrt(0.16 * MESSAGES));
    free(a);
    free(b);
    bough_traffic_destroy(one);
    bough_traffic_destroy(two);
    bough_net_destroy(net);
}

/* Batches: their sizes are geometric, their gaps exponential; destinations remain independent. */
static void bursts_are_batches(void **state) {
    (void)state;
    enum { MESSAGES = 60000, MEAN = 4 };
    bough_net *net = net_make("fattree:n=16");
    bough_traffic *t = traffic_make(net, "poisson:rate=1e-4,burst=4");
    bough_message *m = first_messages(t, 3, MESSAGES);
    double batches = 0, size[64] = {0}, to[16] = {0};
    for (uint32_t k = 0, run = 1; k + 1 < MESSAGES; k++, run++) {
        to[m[k].address]++;
        if (m[k].time == m[k + 1].time && m[k].source == m[k + 1].source) continue;
        assert_true(m[k].time < m[k + 1].time || m[k].source != m[k + 1].source);
        size[run < 63 ? run : 63]++;
        batches++;
        run = 0;
    }
    assert_true(fabs(batches - MESSAGES / MEAN) < 6 * sqrt(MESSAGES * 0.1875) + 50);
    for (unsigned n = 1; n < 12; n++) {
        double want = batches * pow(0.75, n - 1) / MEAN;
        if (fabs(size[n] - want) > 6 * sqrt(want)) fail_msg("%g batches of %u, not %g", size[n], n, want);
    }
    for (unsigned d = 0; d < 16; d++) assert_true(fabs(to[d] - MESSAGES / 16.0) < 6 * sqrt(MESSAGES / 16.0));
    double cycles = MESSAGES / (16 * 1e-4); /* total rate 16e-4 */
    assert_true(fabs((double)m[MESSAGES - 1].time / cycles - 1) < 6 * sqrt(7.0 / MESSAGES));
    free(m);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_lengths_are_refused),   cmocka_unit_test(specs_are_echoed),
        cmocka_unit_test(draws_have_the_distribution), cmocka_unit_test(lengths_change_nothing_else),
        cmocka_unit_test(bursts_are_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
