/* One document in every medium: what is said once is said everywhere, in the form of the medium. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "document/document.h"
#include "document/document_html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void has(const char *text, const char *words) {
    if (!strstr(text, words)) fail_msg("'%s' is not in:\n%s", words, text);
}

static void lacks(const char *text, const char *words) {
    if (strstr(text, words)) fail_msg("'%s' is in:\n%s", words, text);
}

/* Of so many rows: "cable 0", "cable 1", ... */
static text_table table_of(size_t rows) {
    text_table t = {.labels = 1};
    char name[32];
    text_table_head(&t, "cable", false);
    text_table_head(&t, "flows", true);
    text_table_end_row(&t);
    for (size_t i = 0; i < rows; i++) {
        snprintf(name, sizeof name, "cable %zu", i);
        text_table_add(&t, name);
        t.now = i ? TEXT_PLAIN : TEXT_ERROR;
        text_table_add_number(&t, 3, (double)i);
        t.now = TEXT_PLAIN;
        text_table_end_row(&t);
    }
    return t;
}

static document example(void) {
    document d = {0};
    bough_text more = {0}, markup = {0};
    document_section(&d, "summary", "Summary");
    document_fact(&d, "endpoints", "%d", 95);
    document_fact(&d, "weak <b>", "switch %s", "a|b");
    document_style(&d, TEXT_WARNING);
    document_fact(&d, "", "and %d more", 3);
    document_find(&d,
                  &(document_finding){TEXT_WARNING, "the wiring", "leaf1", "lacks a cable", "missing", true});
    document_find(&d, &(document_finding){TEXT_ERROR, "the wiring", "leaf2", "is dead", "dead", false});
    document_find(&d, &(document_finding){TEXT_PLAIN, "the wiring", "leaf3", "is grey", "colour", false});
    document_section(&d, "failures", "Failures");
    document_fold(&d);
    document_heading(&d, "failures", "%s", "updn");
    document_line(&d, "%d of %d", 1, 2);
    text_table t = table_of(5);
    bough_text_printf(&more, "%d cables more", 3);
    document_long_table(&d, &t, "Cables", 2, &more);
    document_note(&d, "flows: %s", "on a link");
    document_bar(&d, "All-to-all", "updn", 0.5, "50.0 %");
    bough_text_put(&markup, "<figure><p>drawn</p></figure>\n");
    document_figure(&d, "Network", &markup);
    document_command(&d, "bough tune x", "makes tables");
    d.details = true;
    document_section(&d, "loads", "Loads");
    document_fact(&d, "paths", "detail");
    assert_false(d.failed);
    return d;
}

static char *as_text(const document *d, document_text_options how) {
    bough_text out = {0};
    document_write_text(d, &how, &out);
    return bough_text_take(&out);
}

/* Commands that are wider than a line can be copied: no line ends within quotes, or between an option and its
 * value. */
static void test_command(void **state) {
    (void)state;
    document d = {0};
    document_command(&d, "bough check 'a b/it'\\''s c.csv' --expect regular -x", "why");
    char *text = as_text(&d, (document_text_options){.width = 40});
    assert_string_equal(text, "next        bough check \\\n"
                              "              'a b/it'\\''s c.csv' \\\n"
                              "              --expect regular -x\n"
                              "              why\n");
    free(text);
    document_fini(&d);
}

static void test_text(void **state) {
    (void)state;
    document d = example();
    char *brief = as_text(&d, (document_text_options){.width = 80, .brief = true, .findings = 6});
    assert_string_equal(brief, "endpoints   95\n"
                               "weak <b>    switch a|b\n"
                               "            and 3 more\n"
                               "  error  leaf2: is dead (dead)\n"
                               "\n"
                               "failures    updn\n"
                               "  1 of 2\n"
                               "  cable    flows\n"
                               "  cable 0      0\n"
                               "  cable 1      1\n"
                               "  3 cables more\n"
                               "  (flows: on a link)\n"
                               "next        bough tune x\n"
                               "              makes tables\n");
    char *all = as_text(&d, (document_text_options){.width = 80});
    has(all, "  warn   leaf1: lacks a cable (missing)\n");
    has(all, "  info   leaf3: is grey (colour)\n");
    has(all, "  cable 4      4\n");
    has(all, "paths       detail\n");
    lacks(all, "cables more");
    char *colours = as_text(&d, (document_text_options){.width = 80, .colours = true});
    has(colours, "\033[33mweak <b>\033[0m    switch");
    has(colours, "  \033[31merror\033[0m  leaf2");
    has(colours, "\033[31m0\033[0m");
    free(brief);
    free(all);
    free(colours);
    document_fini(&d);
}

static void test_html(void **state) {
    (void)state;
    document d = example();
    html_writer h = {0};
    document_write_html(&d, &h);
    const char *html = h.out.data;
    has(html, "<section class=\"printed\" aria-labelledby=\"summary\">\n<h2 id=\"summary\">Summary</h2>");
    has(html, "<dt class=\"warn\">weak &lt;b&gt;</dt>\n<dd>switch a|b</dd>\n<dd>and 3 more</dd>");
    has(html, "<td>leaf1</td><td>lacks a cable</td><td>missing</td>");
    has(html, "<summary>All 5 rows</summary>");
    has(html, "<td class=\"number\">4</td>");
    has(html, "<rect class=\"fill0\"");
    has(html, "<h3>Network</h3>\n<figure><p>drawn</p></figure>");
    has(html, "<code>bough tune x</code> makes tables");
    has(html, "<section class=\"printed folded\" aria-labelledby=\"failures\">\n<details><summary><h2");
    has(html, "makes tables</p>\n</details>\n</section>\n<section class=\"folded\"");
    has(html, "<section class=\"folded\" aria-labelledby=\"loads\">\n<details><summary><h2");
    bough_text_fini(&h.out);
    document_fini(&d);
}

static void test_markdown(void **state) {
    (void)state;
    document d = example();
    bough_text out = {0};
    document_write_markdown(&d, 1, &out);
    has(out.data, "### Summary\n");
    has(out.data, "- **weak \\<b\\>** switch a\\|b\n  and 3 more\n");
    has(out.data, "1 error, 1 warning, 1 remark\n");
    has(out.data, "| **error** | leaf2 | is dead |\n");
    has(out.data, "| cable 1 | 1 |\n\n3 cables more\n");
    has(out.data, "- next: bough tune x (makes tables)\n");
    lacks(out.data, "cable 2");
    lacks(out.data, "detail");
    bough_text_fini(&out);
    document_fini(&d);
}

/* Of each kind and severity so many, then how many more. */
static void test_many_findings(void **state) {
    (void)state;
    document d = {0};
    for (int i = 0; i < 200; i++)
        document_find(
            &d, &(document_finding){TEXT_WARNING, "the wiring", i % 2 ? "a" : "b", "is slow", "slow", false});
    char *text = as_text(&d, (document_text_options){.width = 80, .findings = 2});
    assert_string_equal(
        text, "  warn   b: is slow (slow)\n  warn   a: is slow (slow)\n         ... and 198 more (slow)\n");
    html_writer h = {0};
    document_write_html(&d, &h);
    has(h.out.data, "150 more of this kind");
    assert_int_equal(document_findings(&d, TEXT_WARNING), 200);
    free(text);
    bough_text_fini(&h.out);
    document_fini(&d);
}

/* Those of one kind need not be neighbours. */
static void test_mixed_findings(void **state) {
    (void)state;
    document d = {0};
    for (int i = 0; i < 120; i++)
        document_find(&d, &(document_finding){TEXT_WARNING, "the wiring", "a", "is odd",
                                              i % 2 ? "slow" : "far", false});
    html_writer h = {0};
    document_write_html(&d, &h);
    size_t rows = 0;
    for (const char *at = strstr(h.out.data, "<tr>"); at; at = strstr(at + 1, "<tr>")) rows++;
    assert_int_equal(rows, 1 + 2 * 51);
    has(h.out.data, "10 more of this kind");
    bough_text_fini(&h.out);
    document_fini(&d);
}

/* Facts of one line, and what a reader is to see first: with the facts that are marked, cards. */
static void test_cards(void **state) {
    (void)state;
    document d = {0};
    bough_text lines = {0}, marked = {0};
    html_writer h = {0};
    document_section(&d, "summary", "Summary");
    document_short(&d, "", "%s", "fattree");
    document_short(&d, "seed", "%d", 1);
    document_short(&d, "", "%s", "");
    document_short(&d, "trials", "%d", 3);
    document_card(&d, "circuit", "6.9", "rounds", true);
    document_card(&d, "bins", "1.1", "times the rounds", false);
    document_style(&d, TEXT_WARNING);
    document_fact(&d, "endpoints", "%d", 95);
    document_fact(&d, "missing", "a cable");
    document_style(&d, TEXT_ERROR);
    document_fact(&d, "", "another cable");
    document_fact(&d, "switches", "%d", 12);
    bough_text_put(&lines, "one\n\ntwo\n");
    document_list(&d, &lines);
    char *text = as_text(&d, (document_text_options){.width = 80});
    assert_string_equal(text, "fattree   seed 1\ntrials 3\n\nbins: 1.1 times the rounds\n"
                              "endpoints   95\nmissing     a cable\n            another cable\n"
                              "switches    12\none\ntwo\n");
    free(text);
    document_write_markdown(&d, 0, &marked);
    has(marked.data, "- fattree, seed 1\n- trials 3\n- bins: **1.1** times the rounds\n");
    document_write_html(&d, &h);
    has(h.out.data,
        "<div class=\"card \"><strong>circuit</strong> <span class=\"answer\">6.9</span> rounds</div>");
    has(h.out.data, "<div class=\"card warn\"><strong>bins</strong>");
    has(h.out.data,
        "<div class=\"card error\"><strong>missing</strong> a cable<br/>\nanother cable</div>\n</div>");
    has(h.out.data,
        "<dt class=\"\">endpoints</dt>\n<dd>95</dd>\n</dl>\n<dl class=\"rows\">\n<dt class=\"\">switches");
    has(h.out.data, "<li>one</li>\n<li>two</li>");
    bough_text_fini(&h.out);
    bough_text_fini(&marked);
    document_fini(&d);
}

/* Where a line has no room: first without the columns that are spare, then the status behind the label. */
static void test_room(void **state) {
    (void)state;
    static const char *const cell[] = {"worm", "11.25", "0.01", "9.75", "saturated",
                                       "",     "12.25", "0.02", "9.5",  ""};
    document d = {0};
    text_table t = {.layout = TEXT_LAYOUT_HEADED};
    text_table_head(&t, "method", false);
    t.labels = 1;
    text_table_head(&t, "mean", true);
    text_table_head(&t, "ci", true);
    text_table_head(&t, "min", true);
    text_table_room(&t, TEXT_ROOM_SPARE);
    text_table_head(&t, "status", false);
    text_table_room(&t, TEXT_ROOM_LABELLED);
    text_table_end_row(&t);
    for (size_t i = 0; i < 10; i++) text_table_add(&t, cell[i]);
    document_table(&d, &t, "Results");
    char *text = as_text(&d, (document_text_options){.width = 40});
    assert_string_equal(text, "method   mean    ci   min  status\nworm    11.25  0.01  9.75  saturated\n"
                              "        12.25  0.02   9.5\n");
    free(text);
    text = as_text(&d, (document_text_options){.width = 31});
    has(text, "method   mean    ci  status\n");
    free(text);
    text = as_text(&d, (document_text_options){.width = 18});
    assert_string_equal(text, "     mean    ci\nworm (saturated)\n    11.25  0.01\n    12.25  0.02\n");
    free(text);
    html_writer h = {0};
    document_write_html(&d, &h); /* each row has its label */
    has(h.out.data, "<tr><td>worm</td><td class=\"number\">12.25</td><td class=\"number\">0.02</td>");
    bough_text_fini(&h.out);
    document_fini(&d);
}

/* A text that could not be made makes every writer fail. */
static void test_failure(void **state) {
    (void)state;
    document d = {0};
    bough_text broken = {.failed = true};
    document_figure(&d, "", &broken);
    assert_true(d.failed);
    assert_null(as_text(&d, (document_text_options){.width = 80}));
    document_fini(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command),       cmocka_unit_test(test_text),
        cmocka_unit_test(test_html),          cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_many_findings), cmocka_unit_test(test_mixed_findings),
        cmocka_unit_test(test_cards),         cmocka_unit_test(test_room),
        cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
