/* Batches: who sends to whom. Statistical tests have fixed seeds; their limits are 99.9 % quantiles of
 * chi-square. */
#include "support/specs.h"
#include "traffic/patterns/batch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bough_batch read_batch(const bough_traffic *t, uint64_t trial) {
    bough_batch batch;
    bough_error error;
    if (bough_batch_read(t, bough_key_make(1, trial), &batch, &error))
        fail_msg("%s: %s", t->spec, error.reason);
    return batch;
}

static double chi_square(const uint64_t *count, size_t cells, double total) {
    double sum = 0, expected = total / (double)cells;
    for (size_t i = 0; i < cells; i++) sum += pow((double)count[i] - expected, 2) / expected;
    return sum;
}

/* ---- bad input ---- */

static void wrong_patterns_are_refused(void **state) {
    (void)state;
    traffic_refused("fattree:n=8", "unifrom", BOUGH_INVALID, "did you mean 'uniform'");
    traffic_refused("fattree:n=8", "zzz", BOUGH_INVALID, "no traffic 'zzz'");
    traffic_refused("fattree:n=8", "uniform:m=0", BOUGH_INVALID, "m must lie between 1 and");
    traffic_refused("fattree:n=8", "uniform:m=9", BOUGH_INVALID, "1 <= m <= 8");
    traffic_refused("fattree:n=8", "shift:k=-1", BOUGH_INVALID, "k must lie between 0 and");
    traffic_refused("fattree:n=8", "shift:k=1,m=9", BOUGH_INVALID, "1 <= m <= 8");
    traffic_refused("fattree:n=8", "transpose:k=1", BOUGH_INVALID, "no parameter 'k'");
    traffic_refused("fattree:n=8", "hotspot:m=4,hot=5", BOUGH_INVALID, "hot=5 exceeds m=4");
    traffic_refused("fattree:n=8", "hotspot:target=8", BOUGH_INVALID, "target=8 is not an endpoint");
    traffic_refused("fattree:n=8", "hotspot:hot=8", BOUGH_INVALID, "cannot send to itself");
    traffic_refused("fattree:n=8", "incast:m=8", BOUGH_INVALID, "other than the target");
    traffic_refused("fattree:n=8", "incast:target=8", BOUGH_INVALID, "target=8 is not an endpoint");
    traffic_refused("fattree:n=2^33", "uniform", BOUGH_TOO_LARGE, "2^32 endpoints");
    traffic_refused("kary:k=1,levels=2", "uniform", BOUGH_INVALID, "one endpoint");
    traffic_refused("kary:k=1,levels=2", "alltoall", BOUGH_INVALID, "one endpoint");
    traffic_refused("fattree:n=8", "hrelation:h=0", BOUGH_INVALID, "h must lie between 1 and");
    traffic_refused("fattree:n=2^20", "hrelation:h=4096", BOUGH_TOO_LARGE, "2^32 messages");
}

static void bit_patterns_need_a_power_of_two(void **state) {
    (void)state;
    static const char *const patterns[] = {"transpose", "bitrev", "bitcomp", "shuffle"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        traffic_refused("kary:k=3,levels=2", patterns[i], BOUGH_UNSUPPORTED, "power of two");
}

/* ---- permutations by hand ---- */

static const struct {
    const char *network, *pattern;
    unsigned n;
    uint8_t image[32];
} permutations[] = {
    {"fattree:n=8", "shift:k=3", 8, {3, 4, 5, 6, 7, 0, 1, 2}},
    {"fattree:n=8", "shift:k=11", 8, {3, 4, 5, 6, 7, 0, 1, 2}},
    {"fattree:n=8", "shift:k=0", 8, {0, 1, 2, 3, 4, 5, 6, 7}},
    {"xgft:down=5,up=1", "shift:k=4", 5, {4, 0, 1, 2, 3}},
    {"fattree:n=8", "neighbor", 8, {1, 2, 3, 4, 5, 6, 7, 0}},
    {"fattree:n=8", "tornado", 8, {3, 4, 5, 6, 7, 0, 1, 2}}, /* ceil(8/2) - 1 = 3 */
    {"xgft:down=5,up=1", "tornado", 5, {2, 3, 4, 0, 1}},     /* ceil(5/2) - 1 = 2 */
    {"fattree:n=16", "tornado", 16, {7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6}},
    {"fattree:n=8", "bitcomp", 8, {7, 6, 5, 4, 3, 2, 1, 0}},
    {"fattree:n=16", "bitcomp", 16, {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
    {"fattree:n=8", "bitrev", 8, {0, 4, 2, 6, 1, 5, 3, 7}},
    {"fattree:n=16", "bitrev", 16, {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}},
    {"fattree:n=8", "shuffle", 8, {0, 2, 4, 6, 1, 3, 5, 7}}, /* abc to bca */
    {"fattree:n=16", "shuffle", 16, {0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15}},
    {"fattree:n=2", "transpose", 2, {0, 1}}, /* one bit, the middle one */
    {"fattree:n=4", "transpose", 4, {0, 2, 1, 3}},
    {"fattree:n=8", "transpose", 8, {0, 4, 2, 6, 1, 5, 3, 7}}, /* abc to cba */
    {"fattree:n=16",
     "transpose",
     16,
     {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}}, /* abcd to cdab */
    /* abcde to decab: the outer halves change places, the middle bit stays */
    {"fattree:n=32", "transpose", 32, {0, 8,  16, 24, 4, 12, 20, 28, 1, 9,  17, 25, 5, 13, 21, 29,
                                       2, 10, 18, 26, 6, 14, 22, 30, 3, 11, 19, 27, 7, 15, 23, 31}},
};

/* Fixed points are no messages; all others appear once, in the order of their sources. */
static void permutations_are_those_written_down(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof permutations / sizeof *permutations; i++) {
        bough_net *net = net_make(permutations[i].network);
        bough_traffic *t = traffic_make(net, permutations[i].pattern);
        bough_batch batch = read_batch(t, 0);
        uint64_t next = 0;
        for (unsigned p = 0; p < permutations[i].n; p++) {
            if (permutations[i].image[p] == p) continue;
            if (next >= batch.count || batch.source[next] != p ||
                batch.address[next] != permutations[i].image[p])
                fail_msg("%s on %s: message %u", permutations[i].pattern, permutations[i].network,
                         (unsigned)next);
            next++;
        }
        assert_int_equal(batch.count, next);
        assert_int_equal(t->messages, permutations[i].n);
        assert_true(t->distinct);
        assert_false(t->kind->random);
        bough_batch_fini(&batch);
        bough_traffic_destroy(t);
        bough_net_destroy(net);
    }
}

static void every_alias_is_the_pattern(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    unsigned aliases = 0;
    for (const bough_traffic_kind *const *k = bough_traffic_kinds; *k; k++)
        for (const char *const *a = (*k)->aliases; a && *a; a++, aliases++) {
            bough_traffic *t = traffic_make(net, *a);
            assert_ptr_equal(t->kind, *k);
            bough_traffic_destroy(t);
        }
    assert_true(aliases >= 7);
    bough_net_destroy(net);
}

static void specs_are_echoed_in_full(void **state) {
    (void)state;
    static const char *const pair[][2] = {
        {"uniform", "uniform:m=8"},         {"uniform:3", "uniform:m=3"},
        {"shift", "shift:k=1,m=8"},         {"cyclic:5", "shift:k=5,m=8"},
        {"transpose:m=4", "transpose:m=4"}, {"incast", "incast:m=7"},
        {"hotspot", "hotspot:m=8,hot=1"},   {"alltoall", "alltoall"},
        {"relation:3", "hrelation:h=3"},    {"incast:m=3,target=2", "incast:m=3,target=2"},
    };
    bough_net *net = net_make("fattree:n=8");
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        bough_traffic *t = traffic_make(net, pair[i][0]);
        assert_string_equal(t->spec, pair[i][1]);
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
}

/* ---- random traffic ---- */

/* With m < n: m messages, from distinct sources in ascending order, none to itself. */
static void sources_are_distinct_and_nobody_sends_to_itself(void **state) {
    (void)state;
    static const char *const pattern[] = {"uniform", "hotspot", "randperm"};
    bough_net *net = net_make("fattree:n=32");
    for (unsigned m = 1; m <= 32; m++)
        for (int k = 0; k < 3; k++) {
            char spec[60];
            snprintf(spec, sizeof spec, "%s:m=%u", pattern[k], m);
            bough_traffic *t = traffic_make(net, spec);
            assert_int_equal(t->messages, m);
            assert_true(t->kind->random);
            for (uint64_t trial = 0; trial < 20; trial++) {
                bough_batch batch = read_batch(t, trial);
                if (k < 2)
                    assert_int_equal(batch.count, m);
                else
                    assert_true(batch.count <= m); /* fixed points drop out */
                for (uint64_t i = 0; i < batch.count; i++) {
                    assert_true(batch.source[i] < 32 && batch.address[i] < 32);
                    assert_true(batch.source[i] != batch.address[i]);
                    if (i) assert_true(batch.source[i] > batch.source[i - 1]);
                }
                bough_batch_fini(&batch);
            }
            bough_traffic_destroy(t);
        }
    bough_net_destroy(net);
}

/* m of 6 endpoints, all subsets alike; m = 4 and 5 draw the complement. */
static void all_subsets_of_sources_are_equally_likely(void **state) {
    (void)state;
    static const struct {
        unsigned m, subsets;
        double limit;
    } cases[] = {{1, 6, 20.52}, {2, 15, 36.12}, {3, 20, 43.82}, {4, 15, 36.12}, {5, 6, 20.52}};
    enum { DRAWS = 6000 };
    bough_net *net = net_make("xgft:down=6,up=1");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char spec[40];
        snprintf(spec, sizeof spec, "uniform:m=%u", cases[c].m);
        bough_traffic *t = traffic_make(net, spec);
        uint64_t by_mask[64] = {0}, count[20];
        for (uint64_t trial = 0; trial < DRAWS; trial++) {
            bough_batch batch = read_batch(t, trial);
            unsigned mask = 0;
            for (uint64_t i = 0; i < batch.count; i++) mask |= 1u << batch.source[i];
            by_mask[mask]++;
            bough_batch_fini(&batch);
        }
        unsigned subsets = 0;
        for (unsigned mask = 0; mask < 64; mask++)
            if (by_mask[mask]) {
                assert_int_equal(__builtin_popcount(mask), cases[c].m);
                count[subsets++] = by_mask[mask];
            }
        assert_int_equal(subsets, cases[c].subsets);
        assert_true(chi_square(count, subsets, DRAWS) < cases[c].limit);
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
}

/* Every ordered pair of different endpoints is as likely. */
static void destinations_are_uniform_over_the_others(void **state) {
    (void)state;
    enum { TRIALS = 3000 };
    bough_net *net = net_make("xgft:down=6,up=1");
    bough_traffic *t = traffic_make(net, "uniform");
    uint64_t pair[36] = {0}, count[30];
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        bough_batch batch = read_batch(t, trial);
        assert_int_equal(batch.count, 6);
        for (uint64_t i = 0; i < 6; i++) pair[batch.source[i] * 6 + batch.address[i]]++;
        bough_batch_fini(&batch);
    }
    unsigned others = 0;
    for (unsigned p = 0; p < 36; p++)
        if (p % 7)
            count[others++] = pair[p];
        else
            assert_int_equal(pair[p], 0);
    assert_true(chi_square(count, 30, 6 * TRIALS) <
                54.05); /* 24 degrees of freedom; this is the limit of 26 */
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

/* All 24 permutations of 4 endpoints, fixed points filled in. */
static void random_permutations_are_uniform(void **state) {
    (void)state;
    enum { TRIALS = 12000 };
    bough_net *net = net_make("fattree:n=4");
    bough_traffic *t = traffic_make(net, "randperm");
    uint64_t count[24] = {0};
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        bough_batch batch = read_batch(t, trial);
        unsigned image[4] = {0, 1, 2, 3}, rank = 0;
        for (uint64_t i = 0; i < batch.count; i++) image[batch.source[i]] = batch.address[i];
        for (unsigned i = 0; i < 4; i++) {
            unsigned smaller = 0;
            for (unsigned k = i + 1; k < 4; k++) {
                assert_true(image[k] != image[i]);
                smaller += image[k] < image[i];
            }
            rank = rank * (4 - i) + smaller;
        }
        count[rank]++;
        bough_batch_fini(&batch);
    }
    assert_true(chi_square(count, 24, TRIALS) < 49.73);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

/* Everybody sends h and receives h, itself counted; the first permutation is that of randperm, others are
 * not. */
static void relations_are_permutations_at_once(void **state) {
    (void)state;
    traffic_refused("fattree:n=8", "hrelation:h=0", BOUGH_INVALID, "h must lie between 1 and");
    traffic_refused("fattree:n=2^20", "hrelation:h=8192", BOUGH_TOO_LARGE, "more than 2^32 messages");
    bough_net *net = net_make("fattree:n=64");
    bough_traffic *t = traffic_make(net, "hrelation:h=5"), *one = traffic_make(net, "randperm");
    assert_int_equal(t->messages, 5 * 64);
    assert_true(one->distinct && !t->distinct);
    for (uint64_t trial = 0; trial < 20; trial++) {
        bough_batch batch = read_batch(t, trial), first = read_batch(one, trial);
        uint32_t sent[64] = {0}, received[64] = {0}, to[5][64];
        unsigned k = 0, equal = 0;
        for (unsigned i = 0; i < 5 * 64; i++) to[i / 64][i % 64] = i % 64;
        for (uint64_t i = 0; i < batch.count; i++) {
            if (i && batch.source[i] <= batch.source[i - 1]) k++;
            sent[batch.source[i]]++;
            received[batch.address[i]]++;
            to[k][batch.source[i]] = batch.address[i];
        }
        assert_int_equal(k, 4);
        for (unsigned e = 0; e < 64; e++) {
            unsigned own = 0;
            for (k = 0; k < 5; k++) own += to[k][e] == e;
            assert_int_equal(sent[e] + own, 5);
            assert_int_equal(received[e] + own, 5);
            equal += to[1][e] == to[2][e];
        }
        assert_memory_equal(batch.source, first.source, first.count * sizeof *first.source);
        assert_memory_equal(batch.address, first.address, first.count * sizeof *first.address);
        assert_true(equal < 16);
        bough_batch_fini(&batch);
        bough_batch_fini(&first);
    }
    bough_traffic_destroy(t);
    bough_traffic_destroy(one);
    bough_net_destroy(net);
}

static void trials_differ_and_repeat(void **state) {
    (void)state;
    static const char *const patterns[] = {"uniform:m=64",       "uniform:m=20", "randperm",
                                           "hotspot:m=20,hot=5", "incast:m=20",  "hrelation:h=3"};
    bough_net *net = net_make("fattree:n=64");
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        bough_traffic *t = traffic_make(net, patterns[i]);
        bough_batch a = read_batch(t, 4), b = read_batch(t, 4), c = read_batch(t, 5);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.source, b.source, a.count * sizeof *a.source);
        assert_memory_equal(a.address, b.address, a.count * sizeof *a.address);
        bool differ = a.count != c.count;
        for (uint64_t k = 0; !differ && k < a.count; k++)
            differ = a.source[k] != c.source[k] || a.address[k] != c.address[k];
        assert_true(differ);
        bough_batch_fini(&a);
        bough_batch_fini(&b);
        bough_batch_fini(&c);
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
}

static void a_hotspot_gets_its_share(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=64");
    bough_traffic *t = traffic_make(net, "hotspot:hot=30,target=5");
    double sum = 0;
    for (uint64_t trial = 0; trial < 400; trial++) {
        bough_batch batch = read_batch(t, trial);
        unsigned to_target = 0;
        assert_int_equal(batch.count, 64);
        for (uint64_t i = 0; i < batch.count; i++) {
            to_target += batch.address[i] == 5;
            assert_true(batch.source[i] != batch.address[i]);
        }
        assert_true(to_target >= 30);
        sum += to_target;
        bough_batch_fini(&batch);
    }
    /* 33 other senders hit it with probability 1/63 each: 30.524, standard error 0.036; 3.3 of those */
    assert_true(fabs(sum / 400 - (30 + 33.0 / 63)) < 0.119);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

static void incast_is_others_to_one(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    for (unsigned m = 1; m <= 7; m++) {
        char spec[40];
        snprintf(spec, sizeof spec, "incast:m=%u,target=3", m);
        bough_traffic *t = traffic_make(net, spec);
        unsigned seen = 0;
        for (uint64_t trial = 0; trial < 60; trial++) {
            bough_batch batch = read_batch(t, trial);
            assert_int_equal(batch.count, m);
            for (uint64_t i = 0; i < m; i++) {
                assert_int_equal(batch.address[i], 3);
                assert_true(batch.source[i] < 8 && batch.source[i] != 3);
                if (i) assert_true(batch.source[i] > batch.source[i - 1]);
                seen |= 1u << batch.source[i];
            }
            bough_batch_fini(&batch);
        }
        assert_int_equal(seen, 0xff & ~(1u << 3)); /* each of the others at some time */
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
}

static void alltoall_is_every_pair_once(void **state) {
    (void)state;
    bough_net *net = net_make("kary:k=3,levels=2");
    bough_traffic *t = traffic_make(net, "alltoall");
    bough_batch batch = read_batch(t, 0);
    bool seen[9][9] = {{false}};
    assert_int_equal(batch.count, 72);
    assert_int_equal(t->messages, 72);
    assert_false(t->distinct);
    for (uint64_t i = 0; i < batch.count; i++) {
        assert_true(batch.source[i] != batch.address[i]);
        assert_false(seen[batch.source[i]][batch.address[i]]);
        seen[batch.source[i]][batch.address[i]] = true;
    }
    bough_batch_fini(&batch);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

/* Popped in pieces of any size, a source gives the batch, in order, at time 0. */
static void a_source_gives_what_the_batch_holds(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=16");
    bough_traffic *t = traffic_make(net, "uniform:m=11");
    bough_batch batch = read_batch(t, 3);
    for (uint32_t piece = 1; piece <= 12; piece++) {
        bough_source *source;
        assert_int_equal(bough_traffic_open(t, bough_key_make(1, 3), NULL, &source, NULL), BOUGH_OK);
        uint32_t got = 0, now;
        bough_message m[12];
        while (source->next_time(source) != BOUGH_NONE) {
            assert_true(source->next_time(source) == 0);
            now = source->pop(source, 0, m, piece);
            assert_true(now > 0 && now <= piece);
            for (uint32_t i = 0; i < now; i++, got++) {
                assert_int_equal(m[i].id, got);
                assert_int_equal(m[i].source, batch.source[got]);
                assert_int_equal(m[i].address, batch.address[got]);
                assert_int_equal(m[i].size, 1);
                assert_int_equal(m[i].time, 0);
            }
        }
        assert_int_equal(got, 11);
        assert_int_equal(source->pop(source, 0, m, 12), 0);
        source->close(source);
    }
    bough_batch_fini(&batch);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

/* ---- messages:FILE.csv ---- */

static char file[40];

static int make_file(void **state) {
    (void)state;
    strcpy(file, "/tmp/bough-messages-XXXXXX");
    int fd = mkstemp(file);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state) {
    (void)state;
    return remove(file);
}

static bough_status from_text(const bough_net *net, const char *text, bough_traffic **t, bough_error *error) {
    char spec[80];
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    snprintf(spec, sizeof spec, "messages:%s", file);
    return bough_traffic_create(net, spec, t, error);
}

static void broken_message_files_are_refused_with_the_line(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        bough_status status;
        const char *reason;
    } cases[] = {
        {"", 0, BOUGH_INVALID, "missing column names"},
        {"# only a comment\n\n", 2, BOUGH_INVALID, "missing column names"},
        {"0,1\n", 1, BOUGH_INVALID, "unknown column '0'"},
        {"source,dest\n", 1, BOUGH_INVALID, "unknown column 'dest'"},
        {"source,size\n", 1, BOUGH_INVALID, "source and destination are required"},
        {"# one\nsource,destination\n0,1\n\n0,8\n", 5, BOUGH_INVALID, "destination 8 is out of range"},
        {"source,destination\n0,1\n1\n", 3, BOUGH_INVALID, "1 field"},
        {"source,destination\n0,1,2\n", 2, BOUGH_INVALID, "more fields than columns"},
        {"source,destination\nnode1,2\n", 2, BOUGH_INVALID,
         "source 'node1' is not the number or name of an endpoint"},
        {"source,destination\n-1,2\n", 2, BOUGH_INVALID, "source '-1'"},
        {"source,destination\n,2\n", 2, BOUGH_INVALID, "source ''"},
        {"source,destination\n99999999999999999999999,2\n", 2, BOUGH_INVALID, "out of range"},
        {"source,destination,size\n0,1,0\n0,1,-1\n", 3, BOUGH_INVALID, "size -1 is below 0"},
        {"source,destination,size\n0,1,big\n", 2, BOUGH_INVALID, "size: 'big'"},
        {"source,destination,time\n0,1,0\n0,1,-1\n", 3, BOUGH_INVALID, "time -1 is below 0"},
    };
    bough_net *net = net_make("fattree:n=8");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_traffic *t;
        bough_error error;
        char place[80];
        if (cases[i].line)
            snprintf(place, sizeof place, "%s:%u", file, cases[i].line);
        else /* an empty file */
            snprintf(place, sizeof place, "%s", file);
        bough_status status = from_text(net, cases[i].text, &t, &error);
        if (status != cases[i].status || !strstr(error.reason, cases[i].reason))
            fail_msg("case %u: status %d, '%s' does not say '%s'", (unsigned)i, status, error.reason,
                     cases[i].reason);
        assert_string_equal(error.place, place);
        assert_null(t);
    }
    traffic_refused("fattree:n=8", "messages:/nowhere.csv", BOUGH_INVALID, "cannot be opened");
    traffic_refused("fattree:n=8", "messages", BOUGH_INVALID, "needs file=");
    bough_net_destroy(net);
}

static void message_files_give_their_messages(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    bough_traffic *t;
    bough_error error;
    if (from_text(
            net,
            "# who to whom\r\nsize, destination ,source,time\r\n1Ki,1,0,0\n\n7,3,3,0\n1, 6\t,2,0\n1,6,2,0",
            &t, &error))
        fail_msg("%s: %s", error.place, error.reason);
    assert_int_equal(t->messages, 3); /* 3 to 3 is none */
    assert_false(t->distinct);
    bough_batch batch = read_batch(t, 0);
    static const uint32_t source[] = {0, 2, 2}, address[] = {1, 6, 6};
    assert_int_equal(batch.count, 3);
    assert_memory_equal(batch.source, source, sizeof source);
    assert_memory_equal(batch.address, address, sizeof address);
    bough_batch_fini(&batch);
    bough_source *s;
    bough_message m[3];
    assert_int_equal(bough_traffic_open(t, bough_key_make(1, 0), NULL, &s, NULL), BOUGH_OK);
    assert_int_equal(s->pop(s, 0, m, 3), 3);
    assert_int_equal(m[0].size, 1024);
    assert_int_equal(m[1].size, 1);
    s->close(s);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

static void messages_with_times_are_a_stream_in_order(void **state) {
    (void)state;
    const char *path = "timed_messages.csv";
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("time,source,destination\n5,0,1\n0,2,3\n5,4,5\n", out);
    fclose(out);
    bough_error error = {0};
    bough_net *net = net_make("fattree:n=8");
    bough_traffic *traffic;
    bough_source *source;
    bough_message got[4];
    assert_int_equal(bough_traffic_create(net, "messages:timed_messages.csv", &traffic, &error), BOUGH_OK);
    assert_int_equal(traffic->shape, BOUGH_STREAM);
    assert_int_equal(bough_traffic_open(traffic, bough_key_make(1, 0), NULL, &source, &error), BOUGH_OK);
    assert_int_equal(source->next_time(source), 0);
    assert_int_equal(source->pop(source, 4, got, 4), 1);
    assert_int_equal(got[0].source, 2);
    assert_int_equal(source->next_time(source), 5);
    assert_int_equal(source->pop(source, 5, got, 4), 2);
    assert_int_equal(got[0].source, 0);
    assert_int_equal(got[1].source, 4);
    assert_true(source->next_time(source) == BOUGH_NONE);
    source->close(source);
    bough_traffic_destroy(traffic);
    bough_net_destroy(net);
    remove(path);
}

static void a_message_file_may_hold_none(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    bough_traffic *t;
    assert_int_equal(from_text(net, "source,destination\n", &t, NULL), BOUGH_OK);
    assert_int_equal(t->messages, 0);
    bough_batch batch = read_batch(t, 0);
    assert_int_equal(batch.count, 0);
    bough_batch_fini(&batch);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

typedef struct visited {
    const bough_batch *batch;
    uint64_t count;
} visited;

static void visit(void *context, const bough_message *m) {
    visited *v = context;
    assert_true(v->count < v->batch->count);
    assert_int_equal(m->source, v->batch->source[v->count]);
    assert_int_equal(m->address, v->batch->address[v->count]);
    assert_int_equal(m->id, v->count++);
}

static void each_message_is_visited_in_order(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=512");
    bough_traffic *t = traffic_make(net, "uniform");
    bough_batch batch = read_batch(t, 3);
    visited v = {&batch, 0};
    assert_int_equal(batch_each(t, bough_key_make(1, 3), visit, &v, NULL), BOUGH_OK);
    assert_int_equal(v.count, 512);
    bough_batch_fini(&batch);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_patterns_are_refused),
        cmocka_unit_test(bit_patterns_need_a_power_of_two),
        cmocka_unit_test(permutations_are_those_written_down),
        cmocka_unit_test(every_alias_is_the_pattern),
        cmocka_unit_test(specs_are_echoed_in_full),
        cmocka_unit_test(sources_are_distinct_and_nobody_sends_to_itself),
        cmocka_unit_test(all_subsets_of_sources_are_equally_likely),
        cmocka_unit_test(destinations_are_uniform_over_the_others),
        cmocka_unit_test(random_permutations_are_uniform),
        cmocka_unit_test(trials_differ_and_repeat),
        cmocka_unit_test(a_hotspot_gets_its_share),
        cmocka_unit_test(incast_is_others_to_one),
        cmocka_unit_test(alltoall_is_every_pair_once),
        cmocka_unit_test(a_source_gives_what_the_batch_holds),
        cmocka_unit_test_setup_teardown(broken_message_files_are_refused_with_the_line, make_file,
                                        remove_file),
        cmocka_unit_test_setup_teardown(message_files_give_their_messages, make_file, remove_file),
        cmocka_unit_test_setup_teardown(a_message_file_may_hold_none, make_file, remove_file),
        cmocka_unit_test(relations_are_permutations_at_once),
        cmocka_unit_test(messages_with_times_are_a_stream_in_order),
        cmocka_unit_test(each_message_is_visited_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
