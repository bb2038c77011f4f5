/* Rows of transfers, by hand. */
#include "method/transfers/transfer_rows.h"

#include "method/rows.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NONE  BOUGH_NO_ROW_INDEX
#define M(id) BOUGH_METRIC_##id

/* Two leaves of two endpoints below one switch: links 0 to 3 up from endpoints, then down to them, and
 * between the switches. */
static bough_point point;

static int open_point(void **state) {
    (void)state;
    point = point_make("xgft:down=2x2,up=1x1", "dmodk", NULL);
    return 0;
}

static int close_point(void **state) {
    (void)state;
    point_free(&point);
    return 0;
}

static double use_of(const void *engine, uint64_t link, uint64_t end) {
    assert_int_equal(end, 2000000);
    return ((const double *)engine)[link];
}

/* 200 messages of 1, 2, ... 200 ns, in no order, over 3 links each, from 4 endpoints; the whole takes 2 us
 * and carries 8000 bits. */
static transfer_result result_of(uint64_t *time, const double *use) {
    for (uint64_t i = 0; i < 200; i++) time[i] = (i * 77 % 200 + 1) * 1000;
    return (transfer_result){.net = point.net,
                             .end = 2000000,
                             .arrived = 200,
                             .hops = 600,
                             .senders = 4,
                             .ends = true,
                             .bits = 8000,
                             .time = time,
                             .engine = use,
                             .use = use_of};
}

static double value_in(const bough_rows *rows, bough_metric_id metric, int64_t index) {
    return row_given(rows, metric, index) ? row_value(rows, metric, index) : NAN;
}

static void near(double value, double wanted) {
    if (!(fabs(value - wanted) <= 1e-12 * fabs(wanted))) fail_msg("%.17g instead of %.17g", value, wanted);
}

static void times_and_rates(void **state) {
    (void)state;
    uint64_t time[200];
    double use[64] = {0};
    transfer_links links;
    bough_rows rows = {0};
    use[1] = 0.25;
    transfer_result r = result_of(time, use);
    assert_int_equal(transfer_rows(&r, &links, &rows, NULL), BOUGH_OK);
    near(value_in(&rows, M(COMPLETION_TIME), NONE), 2e-6);
    near(value_in(&rows, M(FCT), NONE), 100.5e-9);
    near(value_in(&rows, M(FCT_P50), NONE), 100e-9); /* half of them take 100 ns or less */
    near(value_in(&rows, M(FCT_P99), NONE), 199e-9); /* (200 - 1) - 1 from the shortest */
    near(value_in(&rows, M(FCT_MAX), NONE), 200e-9);
    near(value_in(&rows, M(THROUGHPUT), NONE), 4); /* 8000 bits in 2 us */
    near(value_in(&rows, M(THROUGHPUT_ENDPOINT), NONE), 1);
    near(value_in(&rows, M(LINK_USE_MAX), NONE), 0.25);
    near(value_in(&rows, M(MESSAGES), NONE), 200);
    near(value_in(&rows, M(DISTANCE), NONE), 3);
    assert_false(row_given(&rows, M(UNROUTED), NONE));
    assert_int_equal(rows.count, 10);
    bough_rows_fini(&rows);
}

/* What hangs, or carried nothing, has counts only; no message of which none was lost is counted as lost. */
static void what_has_no_time(void **state) {
    (void)state;
    uint64_t time[200];
    double use[64] = {0};
    transfer_links links;
    static const bough_metric_id timed[] = {M(FCT), M(FCT_P50), M(FCT_P99), M(FCT_MAX), M(DISTANCE)};
    use[0] = 1;
    for (int kind = 0; kind < 3; kind++) {
        bough_rows rows = {0};
        transfer_result r = result_of(time, use);
        r.unrouted = 3;
        r.hot = 2;
        if (kind == 0) r.hangs = true, r.ends = false;
        if (kind == 1) r.arrived = r.senders = r.hops = 0, r.bits = 0;
        if (kind == 2) r.ends = false; /* some were lost */
        assert_int_equal(transfer_rows(&r, &links, &rows, NULL), BOUGH_OK);
        for (size_t i = 0; i < 5; i++) assert_int_equal(row_given(&rows, timed[i], NONE), kind == 2);
        assert_int_equal(row_given(&rows, M(COMPLETION_TIME), NONE), kind == 1);
        assert_int_equal(row_given(&rows, M(THROUGHPUT), NONE), kind > 0);
        assert_int_equal(row_given(&rows, M(LINK_HOT), 0), kind > 0);
        near(value_in(&rows, M(UNROUTED), NONE), 3);
        near(value_in(&rows, M(MESSAGES), NONE), kind == 1 ? 0 : 200);
        bough_rows_fini(&rows);
    }
    bough_rows rows = {0};
    transfer_result r = result_of(time, use);
    r.end = 0;
    assert_int_equal(transfer_rows(&r, &links, &rows, NULL), BOUGH_OK);
    assert_false(row_given(&rows, M(THROUGHPUT), NONE));
    assert_false(row_given(&rows, M(LINK_USE_MAX), NONE));
    bough_rows_fini(&rows);
}

/* The hottest links in descending order, of equal ones the first; unused links are not named. */
static void hot_links(void **state) {
    (void)state;
    uint64_t time[200];
    double use[64] = {0};
    transfer_links links;
    bough_rows rows = {0};
    char name[BOUGH_NOTE_MAX], other[128];
    int64_t first;
    static const uint64_t order[] = {5, 0, 3, 6};
    use[0] = use[3] = 0.5;
    use[5] = 0.75;
    use[6] = 0.25;
    transfer_result r = result_of(time, use);
    r.hot = SIM_HOT;
    assert_int_equal(transfer_rows(&r, &links, &rows, NULL), BOUGH_OK);
    assert_int_equal(links.hot, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(links.link[i], order[i]);
        near(value_in(&rows, M(LINK_HOT), (int64_t)order[i]), use[order[i]]);
    }
    bough_rows_fini(&rows);
    r.hot = 2;
    rows = (bough_rows){0};
    assert_int_equal(transfer_rows(&r, &links, &rows, NULL), BOUGH_OK);
    assert_true(row_given(&rows, M(LINK_HOT), 0) && !row_given(&rows, M(LINK_HOT), 3));
    transfer_name_links(point.net, &links, &rows);
    transfer_name_most_used(point.net, &links, &rows);
    assert_true(index_name_find(rows.note, "link", 5, name) && index_name_find(rows.note, "link", 0, name));
    assert_string_equal(name, bough_link_name(point.net, 0, other, sizeof other));
    assert_false(index_name_find(rows.note, "link", 3, name)); /* not asked for */
    assert_true(index_name_first(rows.note, MOST_USED_LINK, &first, name));
    assert_int_equal(first, 5);
    assert_string_equal(name, bough_link_name(point.net, 5, other, sizeof other));
    bough_rows_fini(&rows);
    for (uint64_t l = 0; l < point.net->links; l++) use[l] = 0.1 + 0.01 * (double)l; /* more than are kept */
    r.hot = SIM_HOT;
    rows = (bough_rows){0};
    assert_int_equal(transfer_rows(&r, &links, &rows, NULL), BOUGH_OK);
    for (unsigned i = 0; i < SIM_HOT; i++) assert_int_equal(links.link[i], point.net->links - 1 - i);
    bough_rows_fini(&rows);
    for (uint64_t l = 0; l < point.net->links; l++) use[l] = 0.9 - 0.01 * (double)l;
    rows = (bough_rows){0};
    assert_int_equal(transfer_rows(&r, &links, &rows, NULL), BOUGH_OK);
    for (unsigned i = 0; i < SIM_HOT; i++) assert_int_equal(links.link[i], i);
    near(value_in(&rows, M(LINK_HOT), SIM_HOT - 1), use[SIM_HOT - 1]);
    bough_rows_fini(&rows);
}

/* The mean use of the links between two levels, up and down, over all of them. */
static void use_by_level(void **state) {
    (void)state;
    uint64_t time[200];
    double use[64] = {0}, sum[2][2] = {{0}}, count[2][2] = {{0}};
    transfer_links links;
    bough_rows rows = {0};
    for (uint64_t l = 0; l < point.net->links; l++) {
        int down = bough_link_direction(point.net, l) < 0;
        unsigned level = bough_link_level(point.net, l);
        use[l] = (double)(l % 3) / 8 + (down ? 0.5 : 0);
        sum[down][level] += use[l];
        count[down][level]++;
    }
    transfer_result r = result_of(time, use);
    r.levels = true;
    assert_int_equal(transfer_rows(&r, &links, &rows, NULL), BOUGH_OK);
    for (int level = 0; level < 2; level++) {
        near(value_in(&rows, M(LINK_USE_UP), level), sum[0][level] / count[0][level]);
        near(value_in(&rows, M(LINK_USE_DOWN), level), sum[1][level] / count[1][level]);
    }
    assert_false(row_given(&rows, M(LINK_USE_UP), 2));
    bough_rows_fini(&rows);
}

/* Threads find the same links, also where many have the same use. */
static double repeated_use(const void *engine, uint64_t link, uint64_t end) {
    (void)end;
    return (double)(link * UINT64_C(2654435761) >> 7 & *(const uint64_t *)engine) / 64;
}

static void threads_find_the_same(void **state) {
    (void)state;
    static const uint64_t masks[] = {0, 1, 7, 0xffff};
    bough_point wide = point_make("xgft:down=64x32x16,up=1x8x8", "dmodk", NULL);
    assert_true(wide.net->links > 1 << 16);
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
        transfer_links found[3];
        for (unsigned threads = 1; threads <= 3; threads++) {
            bough_rows rows = {0};
            const transfer_result r = {.net = wide.net,
                                       .end = 1,
                                       .engine = &masks[m],
                                       .use = repeated_use,
                                       .hot = SIM_HOT,
                                       .threads = threads};
            assert_int_equal(transfer_rows(&r, &found[threads - 1], &rows, NULL), BOUGH_OK);
            bough_rows_fini(&rows);
        }
        assert_int_equal(found[0].hot, m ? SIM_HOT : 0);
        for (unsigned t = 1; t < 3; t++) assert_memory_equal(&found[t], &found[0], sizeof *found);
    }
    point_free(&wide);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_and_rates), cmocka_unit_test(what_has_no_time),
        cmocka_unit_test(hot_links),       cmocka_unit_test(threads_find_the_same),
        cmocka_unit_test(use_by_level),
    };
    return cmocka_run_group_tests(tests, open_point, close_point);
}
