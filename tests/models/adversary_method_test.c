/* The method `adversary`: its rows, the permutations it writes; and real fabrics. */
#include "base/text/text.h"
#include "support/fabrics.h"
#include "support/points.h"
#include "support/worst_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NO_INDEX BOUGH_NO_ROW_INDEX

/* ---- the method ---- */

static void method_refuses(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=8", "least", NULL);
    run_refused(&point, "adversary", BOUGH_UNSUPPORTED, "adversary needs an oblivious routing");
    point_free(&point);
    point = point_make("fattree:n=8", "dmodk", NULL);
    run_refused(&point, "adversary:ot=x.csv", BOUGH_INVALID, "did you mean 'out'");
    run_refused(&point, "adversary:out=nowhere/x.csv", BOUGH_INVALID, "nowhere/x.csv");
    run_refused(&point, "adversary:out=.", BOUGH_INVALID, "directory");
    run_refused(&point, "adversary:out=\"\"", BOUGH_INVALID, "");
    point_free(&point);
}

static void rows_say_it_all(void **state) {
    (void)state;
    bough_point point = point_make("xgft:down=4x4,up=1x2", "dmodk", NULL);
    bough_run *run = run_make(&point, "adversary");
    assert_true(bough_run_exact(run) && run->bytes > 0);
    bough_rows rows = run_once(run, 0);
    bough_adversary_result r = worst_find(point.routing);
    char link[300];
    assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX), r.load, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_WORST_LINK, (int64_t)r.link), r.load, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LOAD_COUNTED, NO_INDEX), (double)r.counted, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LOAD_BOUND, NO_INDEX), (double)r.bound, 0);
    assert_false(row_given(&rows, BOUGH_METRIC_LOAD_TRANSPOSE, NO_INDEX));
    assert_int_equal(rows.outcome, BOUGH_RUN_OK);
    assert_non_null(strstr(rows.note, bough_link_name(point.net, r.link, link, sizeof link)));
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    bough_adversary_fini(&r);
    point_free(&point);
    point = point_make("fattree:n=16", "valiant", NULL);
    run = run_make(&point, "adversary");
    assert_true(bough_run_exact(run)); /* the mean over all intermediate nodes */
    rows = run_once(run, 0);
    assert_non_null(strstr(rows.note, "every permutation without fixed points"));
    assert_false(row_given(&rows, BOUGH_METRIC_LOAD_COUNTED, NO_INDEX));
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&point);
}

static char *writing(const char *path) {
    bough_text spec = {0};
    bough_text_put(&spec, "adversary:out=");
    bough_text_put_quoted(&spec, path);
    return bough_text_take(&spec);
}

/* The permutation, written, read and sent, comes to the load that was told. */
static void check_round_trip(const bough_net *net, const bough_routing *routing) {
    const char *path = temporary_name("worst.csv");
    char *method = writing(path), *spec = spec_of("messages", path);
    bough_point point = {net, routing, NULL};
    bough_rows said = rows_of(&point, method);
    bough_traffic *traffic;
    bough_error error;
    if (bough_traffic_create(net, spec, &traffic, &error)) fail_msg("%s: %s", error.place, error.reason);
    bough_point with = {net, routing, traffic};
    bough_rows have = rows_of(&with, "linkload:engine=generic");
    assert_same(row_value(&have, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX),
                row_value(&said, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX));
    bough_rows_fini(&said);
    bough_rows_fini(&have);
    bough_traffic_destroy(traffic);
    free(method);
    free(spec);
}

static void permutations_come_back(void **state) {
    (void)state;
    static const struct {
        const char *network, *kind;
    } known[] = {{"fattree:n=64", "dmodk"},
                 {"fattree:n=64", "smodk"},
                 {"xgft:down=4x4x2,up=1x3x2", "hash"},
                 {"xgft:down=4x4x2,up=1x3x2", "hash:key=5"},
                 {"xgft:down=4x4,up=1x1", "random"},
                 {"xgft:down=3x3x2,up=1x2x3", "random"}};
    for (size_t i = 0; i < COUNT(known); i++) {
        bough_routing *routing = routing_make(net_make(known[i].network), known[i].kind);
        check_round_trip(routing->net, routing);
        routing_free(routing);
    }
}

static void a_rehearsal_writes_nothing(void **state) {
    (void)state;
    const char *path = temporary_name("rehearsed.csv");
    char *method = writing(path);
    bough_point point = point_make("fattree:n=8", "dmodk", NULL);
    bough_run *run = run_make(&point, method);
    run->rehearsal = true;
    bough_rows rows = run_once(run, 0);
    assert_int_not_equal(access(path, F_OK), 0);
    run->rehearsal = false;
    bough_rows_fini(&rows);
    rows = run_once(run, 0);
    assert_int_equal(access(path, F_OK), 0);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&point);
    free(method);
}

/* ---- real fabrics ---- */

static void real_fabrics(void **state) {
    (void)state;
    static const struct {
        const char *fabric, *tables;
        double load;
    } known[] = {
        {"fabrics/avakas.ports", "fabrics/avakas.ibroute.gz", 16},
        {"ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.ftree.lfts.gz", 7},
        {"ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.updn.lfts.gz", 16},
        {"fabrics/psmn-x5.opensm.ibnetdiscover", "fabrics/psmn-x5.opensm-updn.lfts.gz", 8},
        {"ibsim/ft3-128-cut5.ibnetdiscover", "ibsim/ft3-128-cut5.ftree.lfts.gz", 14},
        {"fabrics/plafrim2-a.ports", "fabrics/plafrim2-a.ibroute", 7},
    };
    unsigned seen = 0, opened = 0;
    for (size_t i = 0; i < COUNT(known); i++) {
        char *fabric = data_path(known[i].fabric), *tables = data_path(known[i].tables);
        if (fabric && tables) {
            char *network = spec_of("ibnet", fabric), *spec = spec_of("lft", tables);
            bough_routing *routing = routing_make(net_make(network), spec);
            bough_adversary_result r = worst_find_with(routing, 2);
            if (r.load != known[i].load) fail_msg("%s: %g, not %g", spec, r.load, known[i].load);
            worst_check(routing, &r);
            check_round_trip(routing->net, routing);
            if (routing->net->endpoints <= 128) worst_check_plain(routing, &r);
            opened += r.open > 0;
            bough_adversary_fini(&r);
            routing_free(routing);
            free(network);
            free(spec);
            seen++;
        }
        free(fabric);
        free(tables);
    }
    if (!seen) skip();
    if (seen == COUNT(known)) assert_int_equal(opened, 1); /* a link with more sources than it can serve */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(method_refuses),         cmocka_unit_test(rows_say_it_all),
        cmocka_unit_test(permutations_come_back), cmocka_unit_test(a_rehearsal_writes_nothing),
        cmocka_unit_test(real_fabrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
