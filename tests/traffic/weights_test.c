/* Patterns of a matrix or list of weights: files, what is drawn, what links carry. Statistical tests have
 * fixed seeds; their limits are 99.9 % quantiles. */
#include "base/random/alias_table.h"
#include "formats/lists/pair_weights.h"
#include "models/link_load/link_loads.h"
#include "traffic/streams/stream.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/draws.h"
#include "support/points.h"
#include "support/specs.h"

#define FILE_NAME "weights_test.txt"

static void put(const char *text) {
    FILE *f = fopen(FILE_NAME, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* ---- bad input ---- */

static void refused(const char *text, const char *place, const char *reason) {
    bough_net *net = net_make("kary:k=2,levels=2");
    bough_traffic *t;
    bough_error error = {0};
    put(text);
    const bough_status status =
        bough_traffic_create(net, "poisson:load=0.1,pattern=weights:" FILE_NAME, &t, &error);
    if (status != BOUGH_INVALID || strcmp(error.place, place) != 0 || !strstr(error.reason, reason))
        fail_msg("'%s': status %d, '%s: %s', expected '%s: %s'", text, status, error.place, error.reason,
                 place, reason);
    bough_net_destroy(net);
    unlink(FILE_NAME);
}

static void wrong_files_are_refused(void **state) {
    (void)state;
    refused("", FILE_NAME, "no pair has a weight");
    refused("# nothing\n\n", FILE_NAME, "no pair has a weight");
    refused("0 0\n0 0\n", FILE_NAME ":2", "no pair has a weight");
    refused("1 0\n0 1\n", FILE_NAME ":2", "no pair has a weight");
    refused("0 1\n1 0 2\n", FILE_NAME ":2", "3 entries, but the first line has 2");
    refused("0 1\n1 0\n1 1\n", FILE_NAME ":3", "more lines than the 2 columns");
    refused("0 1 1\n1 0 1\n", FILE_NAME ":2", "must be square");
    refused("0 x\n1 0\n", FILE_NAME ":1", "weight: 'x' is not a number");
    refused("0 -1\n1 0\n", FILE_NAME ":1", "weight -1 must be");
    refused("0 1e999\n1 0\n", FILE_NAME ":1", "1e999");
    refused("0 nan\n1 0\n", FILE_NAME ":1", "nan");
    refused("0 1 1 1 1\n0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n", FILE_NAME, "has 5 lines, but");
    refused("source,destination\n0,1\n", FILE_NAME ":1", "source, destination and weight are required");
    refused("source,destination,weight,weight\n", FILE_NAME ":1", "column weight is given twice");
    refused("source,destination,bytes\n", FILE_NAME ":1", "unknown column 'bytes'");
    refused("hallo\n", FILE_NAME ":1", "unknown column 'hallo'");
    refused("source,destination,weight\n0,1\n", FILE_NAME ":2", "2 fields, but the first line has 3");
    refused("source,destination,weight\n0,1,x\n", FILE_NAME ":2", "'x' is not a number");
    refused("source,destination,weight\n0,,1\n", FILE_NAME ":2", "field 2 is empty");
    refused("source,destination,weight\n0,1,1\n0,nobody,1\n", FILE_NAME ":3",
            "node 'nobody' is not the number or name");
    refused("source,destination,weight\n0,4,1\n", FILE_NAME ":2", "node 4 is out of range");
    refused(",h0,h1\nh0,0\n", FILE_NAME ":2", "2 fields, but the first line has 3");
    refused(",h0,h0\n", FILE_NAME ":1", "column h0 is given twice");
}

static void parameters_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *spec, *reason;
    } cases[] = {
        {"poisson:load=0.1,pattern=\"weights:" FILE_NAME ",m=3\"", "omit m"},
        {"weights:nosuch.txt", "No such file"},
        {"weights:m=3", "weights needs file="},
        {"bernoulli:rate=0.7,flits=1,pattern=weights:" FILE_NAME, "rate must be above 0 and at most 0.5"},
    };
    bough_net *net = net_make("kary:k=2,levels=2");
    put("0 3 0 0\n1 0 0 0\n0 1 0 0\n1 0 0 0\n"); /* the first sends twice the mean */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_traffic *t;
        bough_error error = {0};
        assert_int_not_equal(bough_traffic_create(net, cases[i].spec, &t, &error), BOUGH_OK);
        if (!strstr(error.reason, cases[i].reason))
            fail_msg("%s: '%s' does not say '%s'", cases[i].spec, error.reason, cases[i].reason);
    }
    bough_net_destroy(net);
    unlink(FILE_NAME);
}

/* ---- files ---- */

typedef struct seen {
    double share[16];
} seen;

static void see(void *context, uint32_t destination, double probability) {
    ((seen *)context)->share[destination] += probability;
}

/* A third of the messages of endpoint 0 go to 1, the others to 3; 2 sends to 1, half as much as 0. */
static void forms_of_files_agree(void **state) {
    (void)state;
    static const char *const forms[] = {
        "0 1 0 2\n0 0 0 0\n0 1.5 0 0\n0 0 0 0\n",
        "# weights\n9,1e0,0,2\n0,9,0,0\n\n0,1.5,0,0\n0,0,0,0\n",
        "source,destination,weight\n0,1,1\n2,1,1.5\n0,3,2\n",
        "weight,destination,source\n.5,h1,h0\n2,3,h0\n1.5,1,2\n.5,1,0\n7,1,1\n",
        ",h3,h1,h2\nh0,2,1,0\nh2,0,1.5,0\n",
        "from\\to,0,1,2,3\n0,0,10,0,20\n2,0,15,0,0\n",
    };
    bough_net *net = net_make("kary:k=2,levels=2");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        bough_traffic *t;
        bough_error error;
        seen of0 = {0}, of2 = {0};
        put(forms[i]);
        if (pattern_create(net, "weights:" FILE_NAME, &t, &error)) fail_msg("%s: %s", forms[i], error.reason);
        const bough_pattern *p = t->kind->pattern;
        p->visit(t, NULL, 0, see, &of0);
        p->visit(t, NULL, 2, see, &of2);
        assert_true(fabs(of0.share[1] - 1.0 / 3) < 1e-12 && fabs(of0.share[3] - 2.0 / 3) < 1e-12);
        assert_true(of2.share[1] == 1);
        assert_true(fabs(p->rate(t, 0) - 4.0 / 3) < 1e-12 && fabs(p->rate(t, 2) - 2.0 / 3) < 1e-12);
        assert_true(p->rate(t, 1) == 0 && p->rate(t, 3) == 0);
        assert_int_equal(p->draw(t, NULL, 1, 12345), 1);
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
    unlink(FILE_NAME);
}

/* ---- draws ---- */

/* The words of each item, counted exactly: 2^64 times its weight, but for rounding. */
static void columns_divide_all_words(void **state) {
    (void)state;
    static const double cases[][8] = {{1},
                                      {1, 1, 1, 1, 1, 1, 1, 1},
                                      {0, 0, 5},
                                      {1e-300, 1e300},
                                      {.1, .2, .3, .15, .25},
                                      {1, 2, 4, 8, 16, 32, 64, 128},
                                      {1e308, 1e308, 0, 1e308}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t count = 3; count <= 8; count++) {
            alias_column column[8];
            double most = 0, sum = 0, found[8] = {0};
            for (uint32_t k = 0; k < count; k++) most = fmax(most, cases[i][k]);
            for (uint32_t k = 0; k < count; k++) sum += cases[i][k] / most;
            assert_int_equal(alias_fill(cases[i], count, column, NULL), BOUGH_OK);
            for (uint32_t k = 0; k < count; k++) {
                const double own = (double)column[k].below * 0x1p-64;
                found[k] += own / count;
                found[column[k].other] += (1 - own) / count;
            }
            for (uint32_t k = 0; k < count; k++) {
                assert_true(fabs(found[k] - cases[i][k] / most / sum) < 1e-14);
                if (cases[i][k] == 0) assert_true(found[k] == 0);
            }
        }
}

enum { N = 16, MESSAGES = 40000 };

/* Writes a random matrix, with a silent endpoint; expected: its weights, as numbers of messages. */
static void put_random(double *expected) {
    char text[N * N * 24], *at = text;
    double sum = 0;
    for (uint32_t s = 0; s < N; s++, at += sprintf(at, "\n"))
        for (uint32_t d = 0; d < N; d++) {
            const uint64_t word = bough_word(bough_key_make(3, 0), BOUGH_DRAW_TEST, s * N + d, 0);
            const bool silent = s == 5 || s == d || word % 3 == 0;
            const double weight = silent ? 0 : (double)(word % 100 + 60) * (s < 3 ? 4 : 1);
            at += sprintf(at, "%g ", weight);
            sum += expected[s * N + d] = weight;
        }
    put(text);
    for (uint32_t i = 0; i < N * N; i++) expected[i] *= MESSAGES / sum;
}

static void messages_have_the_weights(void **state) {
    (void)state;
    static const char *const specs[] = {
        "poisson:rate=0.1,pattern=weights:" FILE_NAME, "bernoulli:rate=0.1,pattern=weights:" FILE_NAME,
        "poisson:rate=0.1,burst=1.001,pattern=weights:" FILE_NAME, "weights:" FILE_NAME ",m=40000"};
    double expected[N * N] = {0};
    put_random(expected);
    bough_net *net = net_make("fattree:n=16");
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        bough_traffic *t = traffic_make(net, specs[i]);
        bough_source *source;
        static bough_message m[MESSAGES];
        double count[N * N] = {0};
        assert_int_equal(bough_traffic_open(t, bough_key_make(1, 3), NULL, &source, NULL), BOUGH_OK);
        assert_int_equal(source->pop(source, BOUGH_NONE - 1, m, MESSAGES), MESSAGES);
        for (uint32_t k = 0; k < MESSAGES; k++) count[m[k].source * N + m[k].address]++;
        assert_fits(specs[i], count, expected, N * N);
        /* 15 endpoints send 0.1 messages a cycle in the mean: 5 standard deviations */
        if (t->law)
            assert_true(fabs((double)m[MESSAGES - 1].time * 15 * .1 / MESSAGES - 1) < 5 / sqrt(MESSAGES));
        source->close(source);
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
    unlink(FILE_NAME);
}

/* ---- what links carry ---- */

/* By hand: 0 sends 3 of 4 messages, 2 to 1 and 1 to 2; 3 sends 1 to 0. With 2 senders, their mean is 1
 * message, so that every weight counts half. */
static void link_loads_are_expected_values(void **state) {
    (void)state;
    bough_point p;
    put("0 2 1 0\n0 0 0 0\n0 0 0 0\n1 0 0 0\n");
    p = point_make("kary:k=2,levels=2", "dmodk", "poisson:load=0.1,pattern=weights:" FILE_NAME);
    double *load = calloc(p.net->links, sizeof *load);
    link_loads loads = {.flows = load};
    assert_int_equal(link_loads_of(p.routing, p.traffic, 1, &loads, NULL), BOUGH_OK);
    double up[4], sum = 0;
    for (uint32_t e = 0; e < 4; e++) {
        const bough_flow flow = {e, bough_endpoint_address(p.net, e ^ 1), 0};
        up[e] = load[bough_next_link(p.routing, e, &flow)];
    }
    for (uint64_t l = 0; l < p.net->links; l++) sum += load[l];
    assert_true(fabs(up[0] - 1.5) < 1e-12 && up[1] == 0 && up[2] == 0 && fabs(up[3] - .5) < 1e-12);
    assert_true(fabs(sum - (1 * 2 + .5 * 4 + .5 * 4)) < 1e-12); /* 2 links below a leaf, 4 over the root */
    free(load);
    point_free(&p);
    unlink(FILE_NAME);
}

/* Half of the messages cross 2 links and half 4, by the weights above: each of the two senders alone would
 * have 8/3 and 4. */
static void methods_weigh_sources(void **state) {
    (void)state;
    static const char *const methods[] = {"queueing", "worm:messages=20000,warmup=1000",
                                          "packet:messages=20000,warmup=1000"};
    put("0 2 1 0\n0 0 0 0\n0 0 0 0\n1 0 0 0\n");
    bough_point p = point_make("kary:k=2,levels=2", "dmodk", "poisson:load=0.1,pattern=weights:" FILE_NAME);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        bough_rows rows = rows_of(&p, methods[i]);
        /* a mean of 20000 values of 2 and 4: 5 standard deviations */
        assert_near(row_value(&rows, BOUGH_METRIC_DISTANCE, BOUGH_NO_ROW_INDEX), 3,
                    i ? 5 / sqrt(20000) : 1e-9);
        assert_close(row_value(&rows, BOUGH_METRIC_ACCEPTED, BOUGH_NO_ROW_INDEX), 0.1, i ? .05 : 1e-9);
        bough_rows_fini(&rows);
    }
    /* the port of endpoint 0 is full at 2/3 */
    bough_rows rows = rows_of(&p, "queueing:find=saturation");
    const double most = row_value(&rows, BOUGH_METRIC_SATURATION, BOUGH_NO_ROW_INDEX);
    assert_true(most > 0.5 && most <= 2.0 / 3 * 1.001);
    bough_rows_fini(&rows);
    point_free(&p);
    unlink(FILE_NAME);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_are_refused),   cmocka_unit_test(parameters_are_checked),
        cmocka_unit_test(forms_of_files_agree),      cmocka_unit_test(columns_divide_all_words),
        cmocka_unit_test(messages_have_the_weights), cmocka_unit_test(link_loads_are_expected_values),
        cmocka_unit_test(methods_weigh_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
