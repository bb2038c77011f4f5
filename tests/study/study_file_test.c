/* Study files: what is refused, and with which line; what they expand to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/embedded_studies.h"
#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bough_status parse(const char *text, bough_study *study, bough_error *error) {
    return bough_study_parse(
        study, &(bough_study_text){.name = "f.yaml", .text = text, .size = strlen(text), .limit = 1000},
        error);
}

static void refused(const char *text, const char *place, const char *reason) {
    bough_study study;
    bough_error error = {0};
    bough_status status = parse(text, &study, &error);
    if (!status) status = bough_study_resolve(&study, &error);
    bough_study_fini(&study);
    if (!status) fail_msg("accepted: %s", text);
    if (strcmp(error.place, place) != 0)
        fail_msg("'%s': place '%s', not '%s' (%s)", text, error.place, place, error.reason);
    if (!strstr(error.reason, reason)) fail_msg("'%s': expected '%s' in '%s'", text, reason, error.reason);
    assert_int_equal(bough_status_exit(status), 2);
}

#define NET  "network: fattree:n=4\n"
#define REST "traffic: uniform\nmethods: bins\n"

static void test_syntax(void **state) {
    (void)state;
    refused("", "f.yaml", "empty");
    refused("# nothing\n", "f.yaml", "empty");
    refused("- a\n", "f.yaml:1", "must be a mapping with the keys");
    refused("text\n", "f.yaml:1", "must be a mapping with the keys");
    refused(NET REST "? [a]\n: 1\n", "f.yaml:4", "expected a key");
    refused(NET REST "seed: \"1\n", "f.yaml:5", "not valid YAML"); /* where the file ends */
    refused(NET REST "\tseed: 1\n", "f.yaml:4", "tab");
    refused(NET "---\n" REST, "f.yaml:3", "second document");
    char deep[200] = NET "grid: ", anchors[16000] = NET "grid:\n";
    for (int i = 0; i < 64; i++) strcat(deep, "[");
    refused(deep, "f.yaml:2", "more than 64 lists and mappings within each other");
    for (int i = 0; i < 1001; i++) snprintf(strchr(anchors, 0), 12, "- &a%d x\n", i);
    refused(anchors, "f.yaml:1003", "more than 1000 anchors");
    refused("network: \"fattree:n=4\\0\"\n" REST, "f.yaml:1", "NUL");
    refused("network: \"fattree:n=4\\n\"\n" REST, "f.yaml:1", "control character");
    refused("network: &a [*a]\n" REST, "f.yaml:1", "");
    refused("\xff\xfe\xff", "f.yaml:1", "not valid YAML");
}

static void test_specs_that_yaml_broke(void **state) {
    (void)state;
    refused("network: fattree:n=4,x: 3\n" REST, "f.yaml:1", "quote");
    refused(NET "traffic: {p}\nmethods: bins\n", "f.yaml:2", "quote the value");
    refused(NET "traffic: {p}:m={n}\nmethods: bins\n", "f.yaml:2", "quote");
    refused(NET "traffic: [uniform:m={n}, bitrev]\nmethods: bins\n", "f.yaml:2", "quote");
    refused("network: [xgft:down=4x4,up=1x2]\n" REST, "f.yaml:1", "'up=1x2' is not a spec");
    refused(NET "traffic: uniform\nmethods:\n  - bins: model=1\n", "f.yaml:4", "bins:model=1");
    refused(NET REST "grid:\n  - n: {a}\n", "f.yaml:5", "quote the value");
}

static void test_keys(void **state) {
    (void)state;
    refused("methods: bins\n", "f.yaml", "network is missing");
    refused(NET, "f.yaml", "methods is missing");
    refused(NET REST "sed: 1\n", "f.yaml:4", "did you mean 'seed'");
    refused(NET REST "zzz: 1\n", "f.yaml:4", "keys: study");
    refused(NET REST "network: fattree:n=8\n", "f.yaml:4", "(first in line 1)");
    refused(NET REST "method: bins\n", "f.yaml:4", "(first in line 3)");
    refused(NET REST "grid: []\ngrid: []\n", "f.yaml:5", "(first in line 4)");
    refused("network: []\n" REST, "f.yaml:1", "list is empty");
    refused("network: [[a]]\n" REST, "f.yaml:1", "found a list");
    refused("network: ''\n" REST, "f.yaml:1", "the spec is empty");
    refused(NET REST "seed: [1, 2]\n", "f.yaml:4", "found a list");
    refused(NET REST "seed: {a: 1}\n", "f.yaml:4", "mapping");
    refused(NET REST "seed: -1\n", "f.yaml:4", "negative");
    refused(NET REST "seed: one\n", "f.yaml:4", "not a whole number");
    refused(NET REST "trials: 0\n", "f.yaml:4", "out of range");
    refused(NET REST "trials: 1.5\n", "f.yaml:4", "not a whole number");
    refused(NET REST "trials: .nan\n", "f.yaml:4", "not a whole number");
    refused(NET REST "precision: nan\n", "f.yaml:4", "not a fraction");
    refused(NET REST "precision: 0\n", "f.yaml:4", "not a fraction");
    refused(NET REST "precision: 100%\n", "f.yaml:4", "not a fraction");
    refused(NET REST "precision: ronds:1%\n", "f.yaml:4", "did you mean 'rounds'");
    refused(NET REST "compare: maybe\n", "f.yaml:4", "not true or false");
    refused(NET REST "unsupported: maybe\n", "f.yaml:4", "not stop or skip");
    refused(NET REST "pool: n\n", "f.yaml:4", "not the last axis");
    refused(NET REST "only: n\n", "f.yaml:4", "no axis 'n'");
    /* before a combination is looked at, also where no axis is long */
    refused(NET REST "grid:\n  - a: 1..500\n  - b: 1..500\n  - c: 1..500\nonly: a > 1000\n", "f.yaml",
            "more than 10000000 combinations");
    refused(NET REST "only: 1 > 2\n", "f.yaml", "no points left: `only: 1 > 2` is false for all");
}

static void test_plot(void **state) {
    (void)state;
    refused(NET REST "plot: n\n", "f.yaml:4", "expected a mapping");
    refused(NET REST "plot: {z: n}\n", "f.yaml:4", "unknown key 'z'");
    refused(NET REST "plot: {x: n}\n", "f.yaml:4", "x: 'n' is unknown");
    refused(NET REST "plot:\n  x: method\n  y: ronds\n", "f.yaml:6", "no metric 'ronds'");
    refused(NET REST "plot: {xscale: log3}\n", "f.yaml:4", "not linear, log2 or log10");
    refused(NET REST "plot: {x: method, x: method}\n", "f.yaml:4", "duplicate key");
    refused(NET REST "plot: {yscale: log2}\n", "f.yaml:4", "not linear or log10");
    refused(NET REST "plot: {bars: maxmin}\n", "f.yaml:4", "bars: 'maxmin' is not interval or minmax");
    refused(NET REST "plot: {ratio: [mean, min]}\n", "f.yaml:4", "ratio: 'min' is not mean, max or none");
    refused(NET REST "plot: {overlay: true}\n", "f.yaml:4", "plot has no y");
    refused(NET REST "plot: {y: rounds, overlay: latency}\n", "f.yaml:4",
            "'latency' is not true, false or a metric of y");
    refused(NET REST "plot:\n  y: [rounds, attempts]\n  overlay: true\n", "f.yaml:6",
            "rounds (rounds) and attempts (per message) have no common unit");
}

static void test_lines(void **state) {
    (void)state;
#define LINES NET REST "grid:\n  - n: [4, 8]\n  - word: [a]\n"
    refused(NET REST "plot: {titel: a}\n", "f.yaml:4", "unknown key 'titel' (did you mean 'title'?)");
    refused(NET REST "plot: {title: [a]}\n", "f.yaml:4", "expected a single value");
    refused(NET REST "plot: {ylabel: [a, b]}\n", "f.yaml:4", "2 labels for 0 metrics");
    refused(NET REST "plot:\n  y: [rounds, attempts]\n  ylabel: Time\n", "f.yaml:6",
            "1 labels for 2 metrics");
    refused(NET REST "plot: {series: [method, method]}\n", "f.yaml:4", "'method' occurs twice");
    refused(NET REST "plot: {series: [method, routing, network, traffic, faults]}\n", "f.yaml:4",
            "more than 4 names");
    refused(NET REST "plot: {labels: circuit}\n", "f.yaml:4", "expected names and labels");
    refused(NET REST "plot: {labels: {a: \"\"}}\n", "f.yaml:4", "the label of 'a' is empty");
    refused(NET REST "plot:\n  labels:\n    a: c\n    b: c\n", "f.yaml:7",
            "plot: labels: 'a' and 'b' have the same label 'c'");
    static const char *const size[] = {"8,5x6", "0x10", "8.5x", "200x6", "9x1", "9x6in", ""};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        char text[200];
        snprintf(text, sizeof text, NET REST "plot: {size: \"%s\"}\n", size[i]);
        refused(text, "f.yaml:4", "is not a width and a height in cm");
    }
    refused(NET REST "plot: {font: 2}\n", "f.yaml:4", "is not a size from 4 to 40 points");
    refused(NET REST "plot: {font: 8px}\n", "f.yaml:4", "is not a size from 4 to 40 points");
    refused(LINES "plot: {curves: lg(n)}\n", "f.yaml:7", "expected names and expressions");
    refused(LINES "plot: {curves: [lg(n)]}\n", "f.yaml:7", "found a list");
    refused(LINES "plot: {curves: {a: [1]}}\n", "f.yaml:7", "found a list");
    refused(LINES "plot: {curves: {\"\": n}}\n", "f.yaml:7", "a line has no name");
    refused(LINES "plot:\n  curves:\n    a: n\n    a: n\n", "f.yaml:10", "duplicate name 'a'");
    refused(LINES "plot: {curves: {a: n}, verticals: {a: n}}\n", "f.yaml:7", "two lines have the name 'a'");
    refused(LINES "plot:\n  curves:\n    a: n\n    b: lg(q)\n", "f.yaml:10",
            "plot: curves: 'lg(q)': the study has no axis 'q'; axes: n, word");
    refused(LINES "plot: {verticals: {a: 1/(n-8)}}\n", "f.yaml:7",
            "plot: verticals: '1/(n-8)': division by 0 at n=8");
    refused(LINES "plot: {curves: {a: 10^(100*n)}}\n", "f.yaml:7", "not finite at n=4");
    refused(LINES "plot: {curves: {a: word}}\n", "f.yaml:7", "the values of axis word are not numbers");
    refused(LINES "pool: word\nplot: {curves: {a: n, b: word}}\n", "f.yaml:8", "not numbers");
    refused(NET REST "grid:\n  - n: [4, 8]\npool: n\nplot: {curves: {a: n}}\n", "f.yaml:7",
            "merged along axis n");
    refused(LINES "plot: {curves: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1}}\n", "f.yaml:7",
            "more than 8 lines");
}

static void test_grid(void **state) {
    (void)state;
#define GRID "network: fattree:n={n}\n" REST "grid:\n"
    refused(NET REST "grid: n\n", "f.yaml:4", "expected a list of axes");
    refused(NET REST "grid: [n]\n", "f.yaml:4", "expected an axis and its values");
    refused(GRID "  - 1n: 4\n", "f.yaml:5", "not a valid axis name");
    refused(GRID "  - trials: 4\n", "f.yaml:5", "is reserved");
    refused(GRID "  - n: 4\n  - n: 8\n", "f.yaml:6", "(first in line 5)");
    refused(GRID "  - n: [4, [8]]\n", "f.yaml:5", "found a list");
    refused(GRID "  - n: [4, 12]\n  - m: n/8\n", "f.yaml:6", "not a whole number at n=4");
    refused(GRID "  - m: 4\n", "f.yaml:1", "no axis 'n'");
    refused(GRID "  - n: 1..2000\n", "f.yaml:5", "more than 1000");
    refused(GRID "  - n: 1..100\n  - m: 1..100\n", "f.yaml", "more than 1000 points");
}

/* What does not fit together is found before anything runs, and told with the line and the point. */
static void test_points_that_do_not_fit(void **state) {
    (void)state;
    refused(GRID "  - n: [4, 12]\n", "f.yaml:1", "at n=12: fattree: n=12 is not a power of two");
    refused("network: fattree:n=4\ntraffic: unifrm\nmethods: bins\n", "f.yaml:2", "did you mean 'uniform'");
    refused("network: fattree:n=4\ntraffic: uniform:m=5\nmethods: bins\n", "f.yaml:2", "1 <= m <= 4");
    refused("network: fattree:n=4\nmethods: bins\n", "f.yaml:2", "needs traffic");
    refused(NET "traffic: uniform\nmethods:\n  - bins\n  - bns\n", "f.yaml:5", "did you mean 'bins'");
    refused(NET "routing: randm\n" REST, "f.yaml:2", "did you mean 'random'");
}

/* "n/m network traffic method+method" of a point. */
static void point_is(const bough_study *s, size_t i, const char *values, const char *network,
                     const char *traffic) {
    char joined[200] = "";
    assert_true(i < s->points);
    for (size_t a = 0; a < s->axes; a++) {
        strcat(joined, a ? "/" : "");
        strcat(joined, s->point[i].value[a]);
    }
    assert_string_equal(joined, values);
    assert_string_equal(s->point[i].network.spec, network);
    if (traffic) assert_string_equal(s->point[i].traffic.spec, traffic);
}

static void test_expansion(void **state) {
    (void)state;
    bough_study s;
    bough_error error = {0};
    const char *text = "study: by hand\n"
                       "network: fattree:n={n}\n"
                       "traffic: uniform:m={m}\n"
                       "methods:\n  - bins:model=1\n  - circuit:mode=rounds\n"
                       "grid:\n  - n: 2^4..2^5 times 2\n  - m: [n/8, n]\n"
                       "precision: rounds:1%\ntrials: 500\nseed: 7\ncompare: true\n"
                       "plot: {x: n, xscale: log2, y: [rounds, norm_cycles], series: method, facet: m}\n";
    if (parse(text, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_string_equal(s.title, "by hand");
    assert_int_equal(s.points, 4); /* the first axis outermost */
    point_is(&s, 0, "16/2", "fattree:n=16", "uniform:m=2");
    point_is(&s, 1, "16/16", "fattree:n=16", "uniform:m=16");
    point_is(&s, 2, "32/4", "fattree:n=32", "uniform:m=4");
    point_is(&s, 3, "32/32", "fattree:n=32", "uniform:m=32");
    assert_int_equal(s.point[3].methods, 2);
    assert_string_equal(s.point[3].method[1].spec, "circuit:mode=rounds");
    assert_int_equal(s.point[3].method[1].line, 6);
    assert_int_equal(s.seed, 7);
    assert_int_equal(s.effort.trials, 500);
    assert_true(s.effort.precision == 0.01);
    assert_int_equal(s.effort.watch, BOUGH_METRIC_ROUNDS);
    assert_true(s.compare);
    assert_string_equal(s.plot.facet, "m");
    assert_int_equal(s.plot.ys, 2);
    assert_int_equal(s.plot.y[1], BOUGH_METRIC_NORM_CYCLES);
    if (bough_study_resolve(&s, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_int_equal(s.point[0].answers, 2);
    assert_int_equal(s.point[0].endpoints, 16);
    assert_string_equal(s.point[0].routing[0].spec, "free"); /* the default */
    assert_false(s.point[0].answer[0].exact);
    bough_study_fini(&s);
}

static void test_lists_of_specs_are_axes(void **state) {
    (void)state;
    bough_study s;
    bough_error error = {0};
    const char *text = "network: [\"fattree:n={n}\", \"xgft:down=2x2,up=1x1\"]\n"
                       "traffic: [shift:k=1, \"{p}\"]\n"
                       "routing: [dmodk, smodk]\n"
                       "method: linkload\n"
                       "grid: {n: 4, p: bitrev}\n";
    if (parse(text, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_string_equal(s.title, "f"); /* of the file's name */
    assert_int_equal(s.points, 4);
    point_is(&s, 0, "4/bitrev", "fattree:n=4", "shift:k=1");
    point_is(&s, 1, "4/bitrev", "fattree:n=4", "bitrev");
    point_is(&s, 2, "4/bitrev", "xgft:down=2x2,up=1x1", "shift:k=1");
    assert_true(s.network_varies && s.traffic_varies);
    if (bough_study_resolve(&s, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_int_equal(s.point[0].answers, 2); /* routings are compared at one point */
    assert_int_equal(s.point[0].answer[1].routing, 1);
    bough_study_fini(&s);
}

/* Two routers, each on the network that it needs; a point without any is refused. */
static void test_unsupported(void **state) {
    (void)state;
    bough_study s;
    bough_error error = {0};
    const char *text = "network: [\"pruned:n=256\", \"sorting:n=256\"]\n"
                       "traffic: bitrev\n"
                       "methods: [sidetrack, sortroute]\n"
                       "unsupported: skip\n";
    if (parse(text, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
    if (bough_study_resolve(&s, &error)) fail_msg("%s: %s", error.place, error.reason);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(s.point[i].answers, 1);
        assert_int_equal(s.point[i].answer[0].asked, i);
    }
    assert_int_equal(s.notes, 2);
    assert_non_null(strstr(s.note[0], "method sortroute needs the sorting fat-tree"));
    assert_non_null(strstr(s.note[0], "are left out, the first: pruned:n=256"));
    if (bough_study_run(&s, &(bough_study_options){0}, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_true(s.point[0].answer[0].complete && s.point[1].answer[0].complete);
    bough_study_fini(&s);

    if (parse("network: bft:n=16\ntraffic: bitrev\nmethods: sidetrack\nunsupported: skip\n", &s, &error))
        fail_msg("%s", error.reason);
    assert_int_equal(bough_study_resolve(&s, &error), BOUGH_UNSUPPORTED);
    assert_non_null(strstr(error.reason, "no method of the study supports this point"));
    bough_study_fini(&s);
    if (parse("network: [\"pruned:n=16\", \"bft:n=16\"]\ntraffic: bitrev\nmethods: [linkload, sidetrack]\n",
              &s, &error))
        fail_msg("%s", error.reason);
    assert_int_equal(bough_study_resolve(&s, &error), BOUGH_UNSUPPORTED); /* the default: stop */
    bough_study_fini(&s);
}

static void test_only(void **state) {
    (void)state;
    bough_study s;
    bough_error error = {0};
    if (parse(NET "methods: collision\ngrid:\n  - a: 1..3\n  - b: 1..3\nonly: [a <= b, a + b != 4]\n", &s,
              &error))
        fail_msg("%s", error.reason);
    assert_int_equal(s.points, 4); /* 1/1 1/2 2/3 3/3 */
    point_is(&s, 2, "2/3", "fattree:n=4", NULL);
    bough_study_fini(&s);
}

static void set(const char *key, const char *value, bough_status expected, const char *reason,
                bough_study *s) {
    const char *text =
        "network: fattree:n={n}\ntraffic: uniform:m={m}\nmethods: bins\ngrid:\n  - n: 16\n  - m: [n/8, n]\n";
    bough_override setting = {key, value};
    bough_error error = {0};
    bough_status status =
        bough_study_parse(s, &(bough_study_text){"f.yaml", text, strlen(text), &setting, 1, 1000}, &error);
    if (status != expected) fail_msg("%s=%s: %s", key, value, error.reason);
    if (!status) return;
    char place[64];
    snprintf(place, sizeof place, "--set %s", key);
    assert_string_equal(error.place, place);
    if (!strstr(error.reason, reason)) fail_msg("expected '%s' in '%s'", reason, error.reason);
}

static void test_settings(void **state) {
    (void)state;
    bough_study s;
    set("k", "1", BOUGH_INVALID, "no key or axis 'k'", &s);
    set("sed", "1", BOUGH_INVALID, "did you mean 'seed'", &s);
    set("n", "5..3", BOUGH_INVALID, "is empty", &s);
    set("n", "[4, {a}]", BOUGH_INVALID, "quote", &s);
    set("n", "[4", BOUGH_INVALID, "not valid YAML", &s);
    set("seed", "[1, 2]", BOUGH_INVALID, "a list", &s);
    set("network", "", BOUGH_INVALID, "empty", &s);
    set("n", "16..64 times 2", BOUGH_OK, "", &s);
    assert_int_equal(s.points, 6);
    point_is(&s, 5, "64/64", "fattree:n=64", "uniform:m=64");
    bough_study_fini(&s);
    set("m", "[1, n/2, n]", BOUGH_OK, "", &s);
    assert_int_equal(s.points, 3);
    bough_study_fini(&s);
    set("traffic", "{m}nope", BOUGH_OK, "", &s); /* a spec needs no quotes here */
    assert_string_equal(s.point[0].traffic.spec, "2nope");
    bough_study_fini(&s);
    set("trials", "12", BOUGH_OK, "", &s);
    assert_int_equal(s.effort.trials, 12);
    bough_study_fini(&s);
    set("plot.z", "1", BOUGH_INVALID, "plot has no key 'z'", &s);
    set("plot.", "1", BOUGH_INVALID, "plot has no key ''", &s);
    set("plot.xscal", "log2", BOUGH_INVALID, "did you mean", &s);
    set("plot.y", "ronds", BOUGH_INVALID, "no metric 'ronds'", &s);
    set("plot.curves", "lg(n)", BOUGH_INVALID, "expected names and expressions", &s);
    set("plot.curves", "{a: lg(q)}", BOUGH_INVALID, "no axis 'q'", &s);
    set("plot.y", "[rounds, attempts]", BOUGH_OK, "", &s);
    assert_int_equal(s.plot.ys, 2);
    bough_study_fini(&s);
    set("plot.labels", "circuit", BOUGH_INVALID, "expected names and labels", &s);
    set("plot.size", "9x6cm", BOUGH_OK, "", &s);
    assert_true(s.plot.width_cm == 9 && s.plot.height_cm == 6);
    bough_study_fini(&s);
    set("plot.size", "column", BOUGH_OK, "", &s);
    assert_true(s.plot.width_cm == 8.5);
    bough_study_fini(&s);
    set("plot.title", "", BOUGH_OK, "", &s);
    assert_string_equal(s.plot.title, "");
    bough_study_fini(&s);
    set("plot.labels", "{a: b}", BOUGH_OK, "", &s);
    assert_string_equal(bough_plot_label(&s.plot, "a"), "b");
    assert_string_equal(bough_plot_label(&s.plot, "c"), "c");
    bough_study_fini(&s);
    set("plot.series", "[m, method]", BOUGH_OK, "", &s);
    assert_string_equal(s.plot.series[1], "method");
    bough_study_fini(&s);
    set("plot.curves", "{lg m: lg(m)}", BOUGH_OK, "", &s);
    assert_int_equal(s.plot.curves, 1);
    assert_string_equal(s.plot.curve[0].name, "lg m");
    assert_string_equal(s.plot.curve[0].expression, "lg(m)");
    bough_study_fini(&s);
}

enum { POINTS_BOUND = 6 };

/* Every study in the binary can be read, bound and checked; one over files that may not be there, with the
 * files of shared/data, where these are. */
static void test_embedded(void **state) {
    (void)state;
    bough_study s;
    bough_error error = {0};
    assert_int_equal(bough_study_read(&s, "strumpen2005/fg4", NULL, 0, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "did you mean 'strumpen2005/fig4'"));
    size_t count = 0;
    for (const struct bough_embedded *e = bough_embedded_studies; e->name; e++, count++) {
        bool files = strstr(e->text, "exists {data}/") != NULL;
        bough_override data = {"data", SHARED_DATA};
        bough_status status = bough_study_read(&s, e->name, &data, files, &error);
        if (files && status && strstr(error.reason, "no points left")) continue;
        size_t points = s.points; /* the first ones stand for all: some networks take a second each */
        if (!status && s.points > POINTS_BOUND) s.points = POINTS_BOUND;
        if (status || bough_study_resolve(&s, &error))
            fail_msg("%s: %s: %s", e->name, error.place, error.reason);
        s.points = points;
        bough_study_fini(&s);
    }
    assert_true(count >= 7);
    if (bough_study_read(&s, SOURCE_DIR "/examples/strumpen2005.yaml", NULL, 0, &error) ||
        bough_study_resolve(&s, &error))
        fail_msg("%s: %s", error.place, error.reason);
    bough_study_fini(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_syntax),
        cmocka_unit_test(test_specs_that_yaml_broke),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_plot),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_points_that_do_not_fit),
        cmocka_unit_test(test_expansion),
        cmocka_unit_test(test_lists_of_specs_are_axes),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_only),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_embedded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
