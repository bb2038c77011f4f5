/* Where ranks sit: nodes of several ranks, rails, and what stays within a node; halo exchanges. */
#include "support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refused(const char *spec, const char *reason) {
    bough_net *net;
    bough_traffic *t;
    bough_error error = {0};
    if (bough_net_create("xgft:down=4x4,up=1x4", &net, &error)) fail_msg("%s", error.reason);
    bough_status status = bough_traffic_create(net, spec, &t, &error);
    if (status != BOUGH_INVALID || !strstr(error.reason, reason))
        fail_msg("%s: status %d, '%s', expected '%s'", spec, status, error.reason, reason);
    assert_null(t);
    bough_net_destroy(net);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    refused("allreduce:ranks=17", "17 ranks, but xgft:down=4x4,up=1x4 has 16 endpoints, enough for 16");
    refused("allreduce:gpus=4,ranks=65", "enough for 64 (gpus=4, rails=1)");
    refused("allreduce:gpus=4,rails=4,ranks=17", "enough for 16 (gpus=4, rails=4)");
    refused("allreduce:gpus=4,rails=3", "cannot be divided evenly");
    refused("broadcast:root=16", "root=16 of 16 ranks");
    refused("halo:3x6", "18 ranks");
    refused("halo", "dims");
    refused("allreduce:rings", "algo");
    refused("alltoall:size=1MB", "also give algo=");
    refused("alltoall:ranks=4", "also give algo=");
    refused("allreduce:place=/no/such/file", "No such file");
}

/* endpoint of every rank */
static void places(const char *spec, uint32_t ranks, const uint32_t *want) {
    bough_point p = point_make("xgft:down=4x3,up=1x3", NULL, spec);
    const bough_workload *w = p.traffic->workload;
    assert_int_equal(w->schedule->ranks, ranks);
    for (uint32_t r = 0; r < ranks; r++)
        if (w->endpoint[r] != want[r])
            fail_msg("%s: rank %u sits on %u, not %u", spec, r, w->endpoint[r], want[r]);
    point_free(&p);
}

static void ranks_sit_where_the_rule_says(void **state) {
    (void)state;
    places("allreduce:ranks=5", 5, (uint32_t[]){0, 1, 2, 3, 4});
    places("allreduce:gpus=2,ranks=6", 6, (uint32_t[]){0, 0, 1, 1, 2, 2});
    places("allreduce:gpus=4,rails=2,ranks=8", 8, (uint32_t[]){0, 0, 1, 1, 2, 2, 3, 3});
    places("allreduce:gpus=3,rails=3", 12, (uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    /* 12 endpoints, 3 rails: the endpoints of rail i are those of leaf i */
    places("allreduce:gpus=3,rails=3,place=rail", 12, (uint32_t[]){0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    places("allreduce:gpus=6,rails=3,place=rail,ranks=6", 6, (uint32_t[]){0, 0, 4, 4, 8, 8});
}

/* Nodes are shuffled, their ranks stay together. */
static void random_places_are_of_nodes(void **state) {
    (void)state;
    bool seen[12] = {false}, moved = false;
    bough_point p = point_make("xgft:down=4x3,up=1x3", NULL, "allreduce:gpus=4,rails=2,place=random,key=5");
    const bough_workload *w = p.traffic->workload;
    assert_int_equal(w->schedule->ranks, 24);
    for (uint32_t r = 0; r < 24; r += 4) {
        assert_int_equal(w->endpoint[r] % 2, 0);
        assert_int_equal(w->endpoint[r + 1], w->endpoint[r]);
        assert_int_equal(w->endpoint[r + 2], w->endpoint[r] + 1);
        assert_int_equal(w->endpoint[r + 3], w->endpoint[r] + 1);
        assert_false(seen[w->endpoint[r]]);
        seen[w->endpoint[r]] = true;
        moved |= w->endpoint[r] != r / 2;
    }
    assert_true(moved);
    point_free(&p);
}

static double messages(const char *spec) {
    bough_point p = point_make("xgft:down=4x4,up=1x4", "dmodk", spec);
    bough_rows rows = rows_of(&p, "flow");
    double count = row_value(&rows, BOUGH_METRIC_MESSAGES, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    point_free(&p);
    return count;
}

/* Of 8 ranks 2 a node, 8 x 14 messages of a ring: half of the steps to the next rank stay within. */
static void nodes_talk_within(void **state) {
    (void)state;
    assert_true(messages("allreduce:ring,ranks=8") == 8 * 14);
    assert_true(messages("allreduce:ring,ranks=8,gpus=2") == 4 * 14);
    assert_true(messages("allreduce:ring,ranks=8,gpus=2,rails=2") == 4 * 14);
    assert_true(messages("allreduce:ring,ranks=8,gpus=8") == 0);
}

/* Faces: 6 of each of 4x3x2 ranks, but that a dimension of 2 has two to one neighbour. */
static void halos_have_all_faces(void **state) {
    (void)state;
    assert_true(messages("halo:4x2x2,size=1kB") == 16 * 6);
    assert_true(messages("halo:4x2x2,size=1kB,periodic=0") == 2 * (3 * 4 + 1 * 8 + 1 * 8));
    assert_true(messages("halo:16,size=1kB,rounds=5,compute=1us") == 5 * 32);
    assert_true(messages("halo:1x3") == 6);
}

/* One after another: 3 times (1 us, then two faces that leave together). */
static void halos_take_their_time(void **state) {
    (void)state;
    bough_point p =
        point_make("xgft:down=4,up=1", "dmodk", "halo:4,size=1000,rounds=3,compute=1us,o=0ns,g=0ns,S=0");
    bough_rows rows = rows_of(&p, "flow:delay=0ns");
    assert_close(row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX), 3 * (1e-6 + 160e-9),
                 1e-12);
    bough_rows_fini(&rows);
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused), cmocka_unit_test(ranks_sit_where_the_rule_says),
        cmocka_unit_test(random_places_are_of_nodes),   cmocka_unit_test(nodes_talk_within),
        cmocka_unit_test(halos_have_all_faces),         cmocka_unit_test(halos_take_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
