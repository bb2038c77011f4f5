/* Streams with a rate, and the patterns they draw from. Statistical tests have fixed seeds; their limits are
 * 99.9 % quantiles. */
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

/* ---- bad input ---- */

static void wrong_streams_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *network, *spec;
        bough_status status;
        const char *reason;
    } cases[] = {
        {"fattree:n=8", "poisson", BOUGH_INVALID, "poisson requires rate= (messages/cycle/endpoint), load="},
        {"fattree:n=8", "bernoulli:flits=3", BOUGH_INVALID, "bernoulli requires rate="},
        {"fattree:n=8", "poisson:0", BOUGH_INVALID, "rate=0 must be positive, as in rate=0.01"},
        {"fattree:n=8", "poisson:rate=-0.1", BOUGH_INVALID, "rate=-0.1 must be positive"},
        {"fattree:n=8", "poisson:load=0", BOUGH_INVALID, "load=0 must be positive"},
        {"fattree:n=8", "poisson:rate=nan", BOUGH_INVALID, "rate=nan is not a number"},
        {"fattree:n=8", "poisson:rate=-nan", BOUGH_INVALID, "rate=-nan is not a number"},
        {"fattree:n=8", "poisson:rate=inf", BOUGH_INVALID, "rate=inf is not a number"},
        {"fattree:n=8", "poisson:rate=1e999", BOUGH_INVALID, "rate=1e999 is not a number"},
        {"fattree:n=8", "poisson:rate=2000", BOUGH_INVALID, "rate must be above 0 and at most 1024"},
        {"fattree:n=8", "poisson:load=2049,flits=2", BOUGH_INVALID, "load must be above 0 and at most 2048"},
        {"fattree:n=8", "poisson:load=5e-324", BOUGH_INVALID, "is 0 messages per cycle"},
        {"fattree:n=8", "bernoulli:rate=1.01", BOUGH_INVALID, "rate must be above 0 and at most 1"},
        {"fattree:n=8", "bernoulli:load=8.1,flits=8", BOUGH_INVALID, "load must be above 0 and at most 8"},
        {"fattree:n=8", "poisson:rate=0.1,load=1", BOUGH_INVALID, "rate and load are alternatives"},
        {"fattree:n=8", "poisson:load=0.1,relload=1", BOUGH_INVALID, "load and relload are alternatives"},
        {"fattree:n=8", "poisson:rate=0.1,of=worm", BOUGH_INVALID, "of=worm applies to relload="},
        {"fattree:n=8", "poisson:relload=0.5", BOUGH_INVALID,
         "relload=0.5 is a fraction of the saturation of queueing"},
        {"fattree:n=8", "poisson:relload=0.5,of=worm", BOUGH_INVALID, "give load= instead"},
        {"fattree:n=8", "poisson:relload=0", BOUGH_INVALID, "relload=0 must be positive"},
        {"fattree:n=8", "poisson:rate=0.1,flits=0", BOUGH_INVALID, "flits must lie between 1 and"},
        {"fattree:n=8", "poisson:rate=0.1,flits=1048577", BOUGH_INVALID, "flits must lie between 1 and"},
        {"fattree:n=8", "poisson:rate=0.1,m=4", BOUGH_INVALID, "has no parameter 'm'"},
        {"fattree:n=8", "poisson:rate=0.1,pattern=unifrom", BOUGH_INVALID, "did you mean 'uniform'"},
        {"fattree:n=8", "poisson:rate=0.1,pattern=poisson", BOUGH_INVALID,
         "available patterns: uniform, shift"},
        {"fattree:n=8", "poisson:rate=0.1,pattern=\"messages:a.csv\"", BOUGH_INVALID,
         "cannot be the pattern"},
        {"fattree:n=8", "poisson:rate=0.1,pattern=\"shift:k=0\"", BOUGH_INVALID,
         "sends nothing on fattree:n=8"},
        {"fattree:n=8", "poisson:rate=0.1,pattern=\"shift:k=1,m=4\"", BOUGH_INVALID, "omit m"},
        {"fattree:n=8", "poisson:rate=0.1,pattern=\"incast:m=4\"", BOUGH_INVALID, "omit m"},
        {"fattree:n=8", "poisson:rate=0.1,pattern=\"hotspot:m=4\"", BOUGH_INVALID, "omit m"},
        {"fattree:n=8", "poisson:rate=0.1,pattern=\"hotspot:hot=9\"", BOUGH_INVALID, "hot=9 exceeds m=8"},
        {"fattree:n=8", "poisson:rate=0.1,pattern=\"hotspot:hot=1,share=5%\"", BOUGH_INVALID,
         "give only one"},
        {"fattree:n=8", "poisson:rate=0.1,pattern=\"hotspot:share=2\"", BOUGH_INVALID, "between 0 and 1"},
        {"fattree:n=8", "poisson:rate=0.1,pattern=\"incast:target=8\"", BOUGH_INVALID,
         "target=8 is not an endpoint"},
        {"kary:k=3,levels=2", "poisson:rate=0.1,pattern=bitrev", BOUGH_UNSUPPORTED, "power of two"},
        {"kary:k=1,levels=2", "poisson:rate=0.1", BOUGH_INVALID, "one endpoint"},
        {"fattree:n=2^33", "poisson:rate=0.1", BOUGH_TOO_LARGE, "2^32 endpoints"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_net *net = net_make(cases[i].network);
        bough_traffic *t;
        bough_error error;
        bough_status status = bough_traffic_create(net, cases[i].spec, &t, &error);
        if (status != cases[i].status) fail_msg("%s: status %d", cases[i].spec, status);
        if (!strstr(error.reason, cases[i].reason) || strchr(error.reason, '\n'))
            fail_msg("%s: '%s' does not say '%s'", cases[i].spec, error.reason, cases[i].reason);
        assert_null(t);
        bough_net_destroy(net);
    }
}

static void a_stream_is_no_batch(void **state) {
    (void)state;
    static const char *const methods[] = {"circuit", "bins", "bound"};
    bough_point p = point_make("fattree:n=16", "dmodk", "poisson:rate=0.01");
    bough_batch batch;
    assert_int_equal(bough_batch_read(p.traffic, bough_key_make(1, 0), &batch, NULL), BOUGH_UNSUPPORTED);
    assert_int_equal(p.traffic->messages, 0);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        run_refused(&p, methods[i], BOUGH_UNSUPPORTED,
                    i ? "does not accept a stream" : "never ends; use mode=cycles");
    point_free(&p);
}

/* ---- specs and laws ---- */

static void specs_are_echoed_and_can_be_pasted_back(void **state) {
    (void)state;
    static const struct {
        const char *given, *echo;
        double rate;
        uint64_t flits;
    } cases[] = {
        {"poisson:0.01", "poisson:rate=0.01,flits=32", 0.01, 32},
        {"poisson:load=0.5,flits=16", "poisson:load=0.5,flits=16", 0.03125, 16},
        {"bernoulli:rate=1,flits=1", "bernoulli:rate=1,flits=1", 1, 1},
        {"bernoulli:load=8,flits=8,pattern=uniform", "bernoulli:load=8,flits=8", 1, 8},
        {"poisson:rate=1e-3,pattern=alltoall", "poisson:rate=0.001,flits=32,pattern=alltoall", 0.001, 32},
        {"poisson:rate=1e-3,pattern=cyclic", "poisson:rate=0.001,flits=32,pattern=\"shift:k=1\"", 0.001, 32},
        {"poisson:rate=1e-3,pattern=\"hotspot:share=5%,target=3\"",
         "poisson:rate=0.001,flits=32,pattern=\"hotspot:target=3,share=0.05\"", 0.001, 32},
        {"poisson:rate=1e-3,pattern=hotspot", "poisson:rate=0.001,flits=32,pattern=\"hotspot:hot=1\"", 0.001,
         32},
        {"poisson:rate=1e-3,pattern=\"incast:\"", "poisson:rate=0.001,flits=32,pattern=incast", 0.001, 32},
    };
    bough_net *net = net_make("fattree:n=8");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_traffic *t = traffic_make(net, cases[i].given);
        assert_string_equal(t->spec, cases[i].echo);
        bough_traffic *again = traffic_make(net, t->spec);
        assert_string_equal(again->spec, cases[i].echo);
        assert_int_equal(t->shape, BOUGH_STREAM);
        assert_non_null(t->law);
        assert_true(t->law->rate == cases[i].rate && again->law->rate == t->law->rate);
        assert_int_equal(t->law->flits, cases[i].flits);
        assert_int_equal(t->law->poisson, *cases[i].given == 'p');
        assert_non_null(t->law->pattern->kind->pattern);
        assert_true(t->law->pattern->of_stream);
        bough_traffic_destroy(again);
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
}

static void a_hotspot_batch_takes_a_share(void **state) {
    (void)state;
    static const struct {
        const char *spec, *echo;
        unsigned hot;
    } cases[] = {
        {"hotspot:share=25%", "hotspot:m=16,share=0.25", 4},
        {"hotspot:share=1", "hotspot:m=16,share=1", 15},
        {"hotspot:share=1,m=5", "hotspot:m=5,share=1", 5},
        {"hotspot:share=0,m=5", "hotspot:m=5,share=0", 0},
    };
    bough_net *net = net_make("fattree:n=16");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_traffic *t = traffic_make(net, cases[i].spec);
        bough_batch batch;
        assert_string_equal(t->spec, cases[i].echo);
        unsigned hot = 0;
        assert_int_equal(bough_batch_read(t, bough_key_make(1, 0), &batch, NULL), BOUGH_OK);
        for (uint64_t k = 0; k < batch.count; k++) {
            hot += batch.address[k] == 0;
            assert_true(batch.source[k] != batch.address[k]);
        }
        assert_true(hot >= cases[i].hot);
        bough_batch_fini(&batch);
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
}

/* ---- patterns: drawing and visiting ---- */

static const char *const patterns[] = {
    "uniform",           "alltoall",        "hotspot",       "hotspot:hot=7,target=3",
    "hotspot:share=30%", "hotspot:share=1", "incast",        "shift:k=3",
    "incast:target=5",   "transpose",       "bitrev",        "bitcomp",
    "shuffle",           "tornado",         "neighbor",      "randperm",
    "hotspot:share=0",   "hrelation:h=1",   "hrelation:h=3",
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

typedef struct seen {
    double probability[64], sum;
    int64_t last;
} seen;

static void see(void *context, uint32_t destination, double probability) {
    seen *s = context;
    assert_true((int64_t)destination > s->last); /* ascending, each once */
    assert_true(probability > 0 && destination < 64);
    s->last = destination;
    s->probability[destination] = probability;
    s->sum += probability;
}

/* Words on a grid hit every destination as often as visit says, but for the grid's step at both ends of what
 * goes there. */
static void drawing_agrees_with_visiting(void **state) {
    (void)state;
    enum { WORDS = 1 << 12 };
    bough_net *net = net_make("fattree:n=16");
    for (size_t i = 0; i < PATTERNS; i++) {
        bough_traffic *t;
        void *drawn = NULL;
        assert_int_equal(pattern_create(net, patterns[i], &t, NULL), BOUGH_OK);
        const bough_pattern *p = t->kind->pattern;
        if (p->open) assert_int_equal(p->open(t, bough_key_make(1, 5), &drawn, NULL), BOUGH_OK);
        for (uint32_t source = 0; source < 16; source++) {
            seen s = {.last = -1};
            uint32_t count[16] = {0};
            p->visit(t, drawn, source, see, &s);
            for (uint64_t w = 0; w < WORDS; w++) {
                uint32_t d = p->draw(t, drawn, source, (2 * w + 1) << 51);
                assert_true(d < 16);
                count[d]++;
            }
            if (count[source] == WORDS) /* silent */
                assert_true(s.sum == 0);
            else
                assert_true(fabs(s.sum - 1) < 1e-12 && count[source] == 0);
            for (uint32_t d = 0; d < 16 && d != source; d++)
                if (fabs(count[d] - s.probability[d] * WORDS) > 2)
                    fail_msg("%s: %u to %u: %u of %d, not %g", patterns[i], source, d, count[d], WORDS,
                             s.probability[d] * WORDS);
            if (p->uniform)
                for (uint32_t d = 0; d < 16; d++)
                    assert_true(s.probability[d] == (d == source ? 0 : 1.0 / 15));
        }
        if (p->close) p->close(drawn);
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
}

/* All batches but those that name their messages one by one. */
static void batches_are_patterns(void **state) {
    (void)state;
    static const char *const lists[] = {"messages", "motexp", "edges", "heights", "cm", "matrix"};
    for (const bough_traffic_kind *const *k = bough_traffic_kinds; *k; k++) {
        bool listed = false;
        for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
            listed |= strcmp((*k)->name, lists[i]) == 0;
        assert_int_equal((*k)->pattern != NULL, (*k)->shape == BOUGH_BATCH && !listed);
    }
}

/* ---- the messages of a stream ---- */

/* Pairs of source and destination are those of the pattern; senders are alike. */
static void pairs_are_those_of_the_pattern(void **state) {
    (void)state;
    enum { N = 16, MESSAGES = 40000 };
    static const char *const kinds[] = {"poisson", "bernoulli"};
    bough_net *net = net_make("fattree:n=16");
    for (size_t i = 0; i < 2 * PATTERNS; i++) {
        char spec[100];
        snprintf(spec, sizeof spec, "%s:rate=0.1,pattern=\"%s\"", kinds[i % 2], patterns[i / 2]);
        bough_traffic *t = traffic_make(net, spec);
        const bough_pattern *p = t->law->pattern->kind->pattern;
        bough_message *m = first_messages(t, 3, MESSAGES);
        double count[N * N] = {0}, expected[N * N] = {0}, senders = 0;
        void *drawn = NULL;
        if (p->open) assert_int_equal(p->open(t->law->pattern, bough_key_make(1, 3), &drawn, NULL), BOUGH_OK);
        for (uint32_t s = 0; s < N; s++) {
            seen at = {.last = -1};
            p->visit(t->law->pattern, drawn, s, see, &at);
            senders += at.sum > 0;
            for (uint32_t d = 0; d < N; d++) expected[s * N + d] = at.probability[d];
        }
        for (size_t c = 0; c < sizeof expected / sizeof *expected; c++) expected[c] *= MESSAGES / senders;
        for (uint32_t k = 0; k < MESSAGES; k++) {
            assert_int_equal(m[k].id, k);
            assert_int_equal(m[k].size, 32);
            assert_true(k == 0 || m[k].time >= m[k - 1].time);
            count[m[k].source * N + m[k].address]++;
        }
        assert_fits(spec, count, expected, sizeof count / sizeof *count);
        if (p->close) p->close(drawn);
        free(m);
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
}

static void bucket(const bough_message *m, uint64_t count, uint64_t width, double *pairs) {
    for (uint64_t k = 0; k < count; k++) pairs[m[k].source / width % 16 * 16 + m[k].address / width % 16]++;
}

/* Where a word has few bits left for the destination, and where it has not enough: both ends uniform and
 * independent, in their high bits and in their low ones, also of the gap before the message. */
static void large_networks_are_sampled_evenly(void **state) {
    (void)state;
    enum { MESSAGES = 20000 };
    static const char *const networks[] = {"fattree:n=2^20", "fattree:n=2^22", "fattree:n=2^31"};
    double expected[256];
    for (int c = 0; c < 256; c++) expected[c] = MESSAGES / 256.0;
    for (size_t i = 0; i < 3; i++) {
        bough_net *net = net_make(networks[i]);
        bough_traffic *t = traffic_make(net, "poisson:rate=1e-12");
        bough_message *m = first_messages(t, 0, MESSAGES);
        double high[256] = {0}, low[256] = {0}, gap[256] = {0}, all = 1e-12 * (double)net->endpoints;
        for (uint32_t k = 0; k < MESSAGES; k++) {
            double u = -expm1(-(double)(m[k].time - (k ? m[k - 1].time : 0)) * all);
            gap[(unsigned)(u * 16) * 16 + m[k].address / (net->endpoints / 16)]++;
        }
        bucket(m, MESSAGES, net->endpoints / 16, high);
        bucket(m, MESSAGES, 1, low);
        assert_fits(networks[i], high, expected, 256);
        assert_fits(networks[i], low, expected, 256);
        assert_fits(networks[i], gap, expected, 256);
        free(m);
        bough_traffic_destroy(t);
        bough_net_destroy(net);
    }
}

static void a_random_permutation_is_one_for_a_trial(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=64");
    bough_traffic *t = traffic_make(net, "poisson:rate=0.1,pattern=randperm");
    uint32_t image[2][64];
    for (uint64_t trial = 0; trial < 2; trial++) {
        bough_message *m = first_messages(t, trial, 5000);
        bool taken[64] = {false};
        memset(image[trial], 0xff, sizeof image[trial]);
        for (int k = 0; k < 5000; k++) {
            uint32_t *to = &image[trial][m[k].source];
            assert_true(*to == UINT32_MAX || *to == m[k].address);
            assert_true(*to == m[k].address || !taken[m[k].address]);
            taken[ *to = m[k].address] = true;
        }
        free(m);
    }
    assert_memory_not_equal(image[0], image[1], sizeof image[0]);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

/* ---- sources ---- */

/* Popped in pieces of any size, with time in steps of any length, it is the same stream. */
static void a_stream_does_not_depend_on_how_it_is_popped(void **state) {
    (void)state;
    enum { MESSAGES = 600 };
    static const char *const specs[] = {"poisson:rate=0.05", "bernoulli:rate=0.05,pattern=bitrev",
                                        "poisson:rate=3,pattern=randperm"};
    bough_net *net = net_make("fattree:n=16");
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        bough_traffic *t = traffic_make(net, specs[i]);
        bough_message *all = first_messages(t, 7, MESSAGES);
        for (uint32_t piece = 1; piece < 200; piece += piece < 4 ? 1 : 37)
            for (uint64_t step = 0; step < 60; step += 1 + 3 * step) {
                bough_source *source = open_source(t, 7);
                bough_message m[200];
                uint64_t now = 0;
                for (uint32_t got = 0, some; got < MESSAGES; got += some) {
                    uint64_t next = source->next_time(source);
                    assert_true(next == all[got].time);
                    if (next > now) now = next + step;
                    some = source->pop(source, now, m, piece);
                    assert_true(some > 0 && some <= piece);
                    for (uint32_t k = 0; k < some && got + k < MESSAGES; k++)
                        assert_memory_equal(&m[k].time, &all[got + k].time, sizeof m->time);
                    for (uint32_t k = 0; k < some && got + k < MESSAGES; k++)
                        assert_true(m[k].id == all[got + k].id && m[k].source == all[got + k].source &&
                                    m[k].address == all[got + k].address);
                }
                source->close(source);
            }
        free(all);
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
}

static void trials_differ_and_repeat(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=64");
    bough_traffic *t = traffic_make(net, "poisson:rate=0.01");
    bough_message *a = first_messages(t, 4, 100), *b = first_messages(t, 4, 100),
                  *c = first_messages(t, 5, 100);
    unsigned same = 0;
    for (int i = 0; i < 100; i++) {
        assert_true(a[i].time == b[i].time && a[i].source == b[i].source && a[i].address == b[i].address);
        same += a[i].source == c[i].source && a[i].address == c[i].address;
    }
    assert_true(same < 5);
    free(a);
    free(b);
    free(c);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

/* The rate does not change who sends when in units of the mean gap: loads are compared on like streams. */
static void rates_stretch_the_same_stream(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=16");
    bough_traffic *slow = traffic_make(net, "poisson:rate=1e-6"),
                  *fast = traffic_make(net, "poisson:rate=1e-4");
    bough_message *a = first_messages(slow, 0, 1000), *b = first_messages(fast, 0, 1000);
    for (int i = 0; i < 1000; i++) {
        assert_true(a[i].source == b[i].source && a[i].address == b[i].address);
        assert_true(fabs((double)a[i].time / 100 - (double)b[i].time) <= 1.01);
    }
    free(a);
    free(b);
    bough_traffic_destroy(slow);
    bough_traffic_destroy(fast);
    bough_net_destroy(net);
}

static void ended(bough_source *source) {
    bough_message m;
    assert_true(source->next_time(source) == BOUGH_NONE);
    assert_int_equal(source->pop(source, UINT64_MAX, &m, 1), 0);
    source->close(source);
}

/* Ids are 32 bits: after 2^32 messages there are no more; nor after 2^62 cycles; nor where nobody sends. */
static void a_stream_ends_with_the_last_id(void **state) {
    (void)state;
    static const char *const specs[] = {"poisson:rate=0.1", "bernoulli:rate=0.1", "poisson:1e-300",
                                        "bernoulli:1e-300"};
    bough_net *net = net_make("fattree:n=8");
    for (int i = 0; i < 4; i++) {
        bough_traffic *t = traffic_make(net, specs[i]);
        bough_source *source;
        bough_message m[4];
        assert_int_equal(
            stream_source(t, bough_key_make(1, 0), &(stream_start){.first = UINT32_MAX - 2}, &source, NULL),
            BOUGH_OK);
        if (i < 2) {
            assert_int_equal(source->pop(source, UINT64_MAX - 1, m, 4), 3);
            for (uint32_t k = 0; k < 3; k++) assert_int_equal(m[k].id, UINT32_MAX - 2 + k);
        }
        ended(source);
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
    net = net_make("fattree:n=2");
    bough_traffic *t = traffic_make(net, "bernoulli:rate=1,pattern=randperm");
    unsigned silent = 0;
    for (uint64_t trial = 0; trial < 20; trial++) {
        bough_source *source = open_source(t, trial);
        if (source->next_time(source) == BOUGH_NONE) {
            silent++;
            ended(source);
        } else {
            source->close(source);
        }
    }
    assert_true(silent > 2 && silent < 18); /* the identity, half of the time */
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_streams_are_refused),
        cmocka_unit_test(a_stream_is_no_batch),
        cmocka_unit_test(specs_are_echoed_and_can_be_pasted_back),
        cmocka_unit_test(a_hotspot_batch_takes_a_share),
        cmocka_unit_test(drawing_agrees_with_visiting),
        cmocka_unit_test(batches_are_patterns),
        cmocka_unit_test(pairs_are_those_of_the_pattern),
        cmocka_unit_test(large_networks_are_sampled_evenly),
        cmocka_unit_test(a_random_permutation_is_one_for_a_trial),
        cmocka_unit_test(a_stream_does_not_depend_on_how_it_is_popped),
        cmocka_unit_test(trials_differ_and_repeat),
        cmocka_unit_test(rates_stretch_the_same_stream),
        cmocka_unit_test(a_stream_ends_with_the_last_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
