/* The size of the page of a check, whatever the fabric: at most FABRIC_PAGE_BYTES, or an error. */
#include "fabric/check/check.h"
#include "fabric/pods/pods.h"
#include "report/pages/fabric_page.h"
#include "report/pages/page.h"
#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *page_of(const bough_check_question *question) {
    bough_check_report *report;
    bough_error error = {0};
    char *html = NULL;
    if (bough_check(question, &report, &error)) fail_msg("%s", error.reason);
    if (bough_report_check_html(report, &(bough_check_page){0}, &html, &error)) fail_msg("%s", error.reason);
    bough_check_report_destroy(report);
    if (strlen(html) > FABRIC_PAGE_BYTES) fail_msg("%zu bytes", strlen(html));
    return html;
}

static void says(const char *html, const char *text, bool does) {
    if (!page_is_static() && !!strstr(html, text) != does)
        fail_msg("the page says%s '%s'", does ? " not" : "", text);
}

static void large_fabrics_are_shown_by_pods(void **state) {
    (void)state;
    static const char *const spec[] = {"clos:radix=64,hosts=65536", "kary:k=16,levels=4",
                                       "xgft:down=32x2048,up=1x32"};
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        char *html = page_of(&(bough_check_question){.network = spec[i], .threads = 1, .seed = 1});
        says(html, "\"net\":null", true);
        says(html, "\"pods\":{", true);
        says(html, "Single cables and paths in the drawing", true);
        if (i == 0) says(html, "[\"pod 63\",64,1024,\"s1.2016\",1]", true);
        if (i == 2) says(html, "[\"group 255\",8,256,\"s1.2040\",1]", true);
        free(html);
    }
}

/* One routing's paths fit a page, those of 24 do not. */
static void several_routings_have_no_paths(void **state) {
    (void)state;
    enum { MOST = 24 };
    const char *routing[MOST];
    for (size_t i = 0; i < MOST; i++) routing[i] = "random";
    bough_check_question q = {.network = "xgft:down=16x64,up=1x64", .routing = routing, .threads = 1};
    for (q.routings = 1; q.routings <= MOST; q.routings += MOST - 1) {
        char *html = page_of(&q);
        says(html, "\"net\":{", true);
        says(html, "Paths under random: a page holds 5 MB", q.routings > 1);
        free(html);
    }
}

static void many_findings_are_counted(void **state) {
    (void)state;
    enum { COUNT = 30000 };
    bough_findings findings = {0};
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(bough_findings_add(&findings,
                                            &(bough_finding_head){i == COUNT - 1 ? BOUGH_ERROR : BOUGH_INFO,
                                                                  "test", "here", 0},
                                            NULL, "%0200d", i),
                         BOUGH_OK);
    char *html =
        page_of(&(bough_check_question){.network = "fattree:n=16", .findings = &findings, .threads = 1});
    says(html, "29949 more of this kind; --findings 0 prints them", true);
    says(html, "000029999", true);
    free(html);
    bough_findings_fini(&findings);
}

static void what_cannot_fit_is_refused(void **state) {
    (void)state;
    const char *routing = "dmodk";
    char *label = malloc(FABRIC_PAGE_BYTES + 1), *html;
    memset(label, 'x', FABRIC_PAGE_BYTES);
    label[FABRIC_PAGE_BYTES] = 0;
    const char *const labels[] = {label};
    bough_check_report *report;
    bough_error error = {0};
    const bough_check_question q = {
        .network = "fattree:n=16", .routing = &routing, .routings = 1, .label = labels, .threads = 1};
    assert_int_equal(bough_check(&q, &report, &error), BOUGH_OK);
    bough_status status = bough_report_check_html(report, &(bough_check_page){0}, &html, &error);
    assert_int_equal(status, BOUGH_TOO_LARGE);
    assert_null(html);
    assert_non_null(strstr(error.reason, "a page holds 5 MB"));
    bough_check_report_destroy(report);
    free(label);
}

/* In a full pod half of the cables of the leaf switches have no flow. */
static void findings_name_pods(void **state) {
    (void)state;
    static const char *const routing = "dmodk";
    char *html = page_of(&(bough_check_question){.network = "xgft:down=16x16x33,up=1x32x32",
                                                 .routing = &routing,
                                                 .routings = 1,
                                                 .threads = 1,
                                                 .worst = BOUGH_CHECK_WORST_NO});
    says(html, " of them in pod 0, the most of 33 pods", true);
    free(html);
}

/* ---- pods ---- */

static void expect_pods(const char *spec, uint32_t count, bool blocks, uint64_t above) {
    bough_net *net;
    pods p;
    uint64_t switches = 0, hosts = 0;
    assert_int_equal(bough_net_create(spec, &net, NULL), BOUGH_OK);
    assert_int_equal(pods_find(net, &p, NULL), BOUGH_OK);
    assert_int_equal(p.count, count);
    assert_int_equal(p.blocks, blocks);
    assert_int_equal(p.above, above);
    for (uint32_t i = 0; i < p.count; i++) switches += p.pod[i].switches, hosts += p.pod[i].hosts;
    assert_int_equal(switches + p.above, net->switches);
    assert_int_equal(hosts, net->endpoints);
    for (uint64_t e = 0; e < net->endpoints && !blocks && net->ops->node_module; e++) {
        uint64_t leaf = net->ops->link_end(net, e).node;
        assert_int_equal(p.of[e], p.of[leaf]);
    }
    pods_fini(&p);
    bough_net_destroy(net);
}

static void pods_by_hand(void **state) {
    (void)state;
    expect_pods("xgft:down=4x4x4,up=1x4x4", 16, false, 32); /* leaf switches: 16 are few enough */
    expect_pods("xgft:down=2x32x16,up=1x32x32", 16, false, 1024);
    expect_pods("xgft:down=2x8x16,up=1x8x8", 16, false, 64); /* 128 leaf switches are more than needed */
    expect_pods("xgft:down=2x600,up=1x2", 200, true, 2);
    expect_pods("xgft:down=8,up=1", 1, true, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_fabrics_are_shown_by_pods),
        cmocka_unit_test(several_routings_have_no_paths),
        cmocka_unit_test(many_findings_are_counted),
        cmocka_unit_test(what_cannot_fit_is_refused),
        cmocka_unit_test(findings_name_pods),
        cmocka_unit_test(pods_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
