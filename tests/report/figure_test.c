/* Figures: names of files, CSV and scripts of charts made by hand, with texts that want to be code. Where
 * gnuplot is installed it must draw them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/charts/chart_svg.h"
#include "report/charts/figure_gnuplot.h"
#include "report/charts/figure_pgf.h"
#include "support/fabrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVIL "it's \"a\", `touch pwned`; $1 \\n %s {/=9 x}\n\x1b[31m"

static chart_point point(double x, double mean, double ci, const char *label) {
    return (chart_point){.x = x,
                         .mean = mean,
                         .ci95 = ci,
                         .min = mean - 1,
                         .max = mean + 1,
                         .trials = 9,
                         .index = BOUGH_NO_ROW_INDEX,
                         .label = label};
}

typedef struct made {
    chart_point a[3], b[2];
    chart_series series[2];
    const char *category[2];
    chart chart;
} made;

static void make(made *m, chart_scale xscale) {
    m->a[0] = point(xscale == CHART_CATEGORY ? 0 : 1, 2, 0.5, "1");
    m->a[1] = point(xscale == CHART_CATEGORY ? 1 : 2, 4, NAN, "2");
    m->a[2] = point(xscale == CHART_CATEGORY ? 1 : 8, 3000, 5000, EVIL);
    m->b[0] = point(1, 1.0 / 3, 0.25, "1");
    m->b[1] = point(xscale == CHART_CATEGORY ? 0 : 4, 7, 0, "4");
    m->series[0] = (chart_series){.name = EVIL, .style = 0, .point = m->a, .points = 3};
    m->series[1] = (chart_series){.name = "plain", .style = 11, .point = m->b, .points = 2};
    m->category[0] = "x", m->category[1] = EVIL;
    m->chart = (chart){.title = EVIL,
                       .x_title = EVIL,
                       .y_title = "latency (cycles)",
                       .xscale = xscale,
                       .yscale = xscale == CHART_LOG2 ? CHART_LOG10 : CHART_LINEAR,
                       .metric = BOUGH_METRIC_ROUNDS,
                       .ratio = xscale == CHART_LINEAR,
                       .category = m->category,
                       .categories = xscale == CHART_CATEGORY ? 2 : 0,
                       .series = m->series,
                       .count = 2};
}

/* ---- names ---- */

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *facet, *want;
        bool ratio;
    } of[] = {{NULL, "rounds", false},
              {"m = n/8", "rounds-m=n-8", false},
              {"m = n/8", "rounds-ratio-m=n-8", true},
              {"m = n:8", "rounds-m=n-8+2", false},
              {"../../etc/passwd", "rounds-..-..-etc-passwd", false},
              {"$(rm -r x)", "rounds-rm-r-x", false},
              {"\xc3\xa4 \n", "rounds-", false}};
    enum { COUNT = sizeof of / sizeof *of };
    chart list[COUNT] = {0};
    char name[FIGURE_NAME];
    for (size_t i = 0; i < COUNT; i++)
        list[i] = (chart){.metric = BOUGH_METRIC_ROUNDS, .facet = of[i].facet, .ratio = of[i].ratio};
    charts all = {.chart = list, .count = COUNT};
    for (size_t i = 0; i < COUNT; i++)
        assert_string_equal(figure_name(&all, NULL, i, name, sizeof name), of[i].want);
    charts one = {.chart = list, .count = 1};
    assert_string_equal(figure_name(&one, "../my study", 0, name, sizeof name), "..-my-study-rounds");
    char longer[400];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    list[0].facet = list[1].facet = longer; /* two long ones that begin alike still differ */
    char first[FIGURE_NAME];
    figure_name(&all, NULL, 0, first, sizeof first);
    figure_name(&all, NULL, 1, name, sizeof name);
    assert_true(strlen(name) < FIGURE_NAME && strcmp(first, name) != 0);
}

/* ---- CSV ---- */

static void test_csv(void **state) {
    (void)state;
    made m;
    bough_text out = {0};
    bough_error error;
    make(&m, CHART_LINEAR);
    m.series[0].name = "a, \"b\"";
    m.a[2].label = "8";
    assert_int_equal(figure_csv(&m.chart, &out, &error), BOUGH_OK);
    assert_string_equal(out.data, "series,x,mean,low,high,ci95,min,max,trials,hollow,label,name\n"
                                  "0,1,2,1.5,2.5,0.5,1,3,9,0,1,\"a, \"\"b\"\"\"\n"
                                  "0,2,4,4,4,,3,5,9,0,2,\"a, \"\"b\"\"\"\n"
                                  "0,8,3000,-2000,8000,5000,2999,3001,9,0,8,\"a, \"\"b\"\"\"\n"
                                  "1,1,0.3333333333333333,0.08333333333333331,0.5833333333333333,0.25,"
                                  "-0.6666666666666667,1.3333333333333333,9,0,1,plain\n"
                                  "1,4,7,7,7,0,6,8,9,0,4,plain\n");
    bough_text_fini(&out);
}

/* ---- scripts ---- */

/* Outside of quotes a script holds only what this project wrote: no commands, and columns as its variables.
 */
static void check_quotes(const char *script) {
    bool in = false, comment = false;
    for (const char *c = script; *c; c++) {
        assert_true((unsigned char)*c >= 0x20 || *c == '\n');
        if (*c == '\n') assert_false(in);
        if (*c == '\n') comment = c[1] == '#';
        if (comment) continue;
        if (*c == '\'') in = !in; /* '' inside is out and in again */
        if (in) continue;
        assert_true(*c != '`');
        if (*c == '$') assert_true(c[1] >= '1' && c[1] <= '5');
    }
    assert_false(in);
}

static void write_file(const char *path, const bough_text *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
    fclose(file);
}

static void test_scripts(void **state) {
    (void)state;
    static const chart_scale scale[] = {CHART_LINEAR, CHART_LOG2, CHART_LOG10, CHART_CATEGORY};
    bool gnuplot = system("command -v gnuplot >/dev/null 2>&1") == 0;
    char directory[] = "figure_test.XXXXXX", before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    bough_answer rough = {.trials = 3, .outcome = BOUGH_RUN_OK};
    for (size_t i = 0; i < 2 * sizeof scale / sizeof *scale; i++) {
        made m;
        bool marked = i % 2;
        bough_text script = {0}, csv = {0};
        bough_error error;
        make(&m, scale[i / 2]);
        if (marked) { /* hollow points, a curve that saturates beyond them */
            m.a[1].answer = &rough;
            m.series[0].saturates = scale[i / 2] != CHART_CATEGORY;
            m.series[0].saturated_from = 16;
        }
        assert_int_equal(figure_script(&m.chart, "x", &script, &error), BOUGH_OK);
        assert_int_equal(figure_csv(&m.chart, &csv, &error), BOUGH_OK);
        assert_true(marked == (strstr(script.data, "'hollow: fewer than 16 trials'") != NULL));
        assert_true(m.series[0].saturates == (strstr(script.data, "set arrow from first 16,") != NULL));
        assert_true(m.series[0].saturates == (strstr(script.data, " (saturated from 16)'") != NULL));
        check_quotes(strchr(script.data, '\n')); /* from behind the first comment */
        write_file("x.gp", &script);
        write_file("x.csv", &csv);
        if (gnuplot) {
            assert_int_equal(system("gnuplot -d x.gp >said 2>&1 && test -s x.svg && test ! -s said"), 0);
            assert_int_equal(system("grep -q pwned x.svg && test ! -e pwned"), 0);
        }
        unlink("x.svg");
        bough_text_fini(&script);
        bough_text_fini(&csv);
    }
    assert_int_equal(chdir(before), 0);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

/* ---- LaTeX ---- */

static void test_latex(void **state) {
    (void)state;
    made m;
    bough_text out = {0};
    make(&m, CHART_LOG2);
    m.chart.width_cm = 9, m.chart.height_cm = 6, m.chart.font_pt = 8;
    m.chart.title = "\\input{x} $a_b^c & 50% #~|<>\"";
    m.series[0].name = "}\\end{axis}";
    figure_pgf(&m.chart, &out);
    assert_false(out.failed);
    static const char *const want[] = {
        "width=9cm, height=6cm",
        "\\fontsize{8}{9.6}",
        "ylabel={latency (cycles)}",
        "xmode=log, log basis x=2",
        "ymode=log",
        ("title={\\textbackslash{}input\\{x\\} \\$a\\_b\\textasciicircum{}c \\& 50\\% "
         "\\#\\textasciitilde{}\\textbar{}\\textless{}\\textgreater{}\\textquotedbl{}},"),
        "\\addlegendentry{\\}\\textbackslash{}end\\{axis\\}}\n",
        "\\addlegendentry{plain}\n",
        "\n    1 2 0.5 0.5\n    2 4 0 0\n    8 3000 0 5000\n", /* on a log scale no bar down to 0 */
        "\n    1 0.3333333333333333 0.25 0.25\n    4 7 0 0\n"};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!strstr(out.data, want[i])) fail_msg("no %s in %s", want[i], out.data);
    out.length = 0;
    m.chart.minmax = true;
    figure_pgf(&m.chart, &out);
    assert_non_null(strstr(out.data, "\n    1 2 1 1\n    2 4 1 1\n    8 3000 1 1\n"));
    bough_text_fini(&out);
}

/* A file needs no style sheet of a page. */
static void test_svg_file(void **state) {
    (void)state;
    made m;
    bough_text out = {0};
    make(&m, CHART_LOG2);
    m.a[2].label = "8", m.chart.title = m.chart.x_title = "x";
    m.chart.width_cm = 9, m.chart.height_cm = 6;
    m.series[0].name = "<a>";
    chart_svg_file(&m.chart, &out);
    assert_false(out.failed);
    static const char *const want[] = {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9cm\" height=\"6cm\"", ".line0{stroke:#0072b2",
        ">latency (cycles)</text>", ">&lt;a&gt;</text>", ">plain</text>"};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!strstr(out.data, want[i])) fail_msg("no %s in %s", want[i], out.data);
    bough_text_fini(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names), cmocka_unit_test(test_csv),      cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_latex), cmocka_unit_test(test_svg_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
