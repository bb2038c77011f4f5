/* Allreduce by switches that add, against closed forms: P pieces that pass h hops one after the other take
 * (P + h - 1) times as long as one hop, in flow and loggops; packets and flits add what they state. */
#include "network/faults/faults.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A network with faults and a setting; NULL: none. */
typedef struct machine {
    bough_net *whole, *faulty, *gpus, *net;
    bough_physical *physical;
    bough_routing *routing;
} machine;

static machine machine_make(const char *spec, const char *faults, const char *setting) {
    machine m = {.whole = net_make(spec)};
    bough_error e;
    if (faults && bough_net_with_faults(m.whole, faults, &m.faulty, &e)) fail_msg("%s", e.reason);
    bough_net *base = m.faulty ? m.faulty : m.whole;
    if (bough_physical_create(setting, &m.physical, &e)) fail_msg("%s: %s", setting, e.reason);
    bough_net_set_physical(base, m.physical);
    if (m.physical->node && bough_compute_nodes_create(base, m.physical->node, &m.gpus, &e))
        fail_msg("%s", e.reason);
    if (bough_aggregation_create(m.gpus ? m.gpus : base, m.physical->sharp_delay, &m.net, &e))
        fail_msg("%s", e.reason);
    if (bough_routing_create(m.net, "dmodk", &m.routing, &e)) fail_msg("%s", e.reason);
    return m;
}

static void machine_free(machine *m) {
    bough_routing_destroy(m->routing);
    bough_net_destroy(m->net);
    bough_net_destroy(m->gpus);
    bough_net_destroy(m->faulty);
    bough_net_destroy(m->whole);
    bough_physical_destroy(m->physical);
}

static bough_traffic *traffic_on(const machine *m, const char *spec) {
    bough_traffic *t;
    bough_error e;
    if (bough_traffic_create(m->net, spec, &t, &e)) fail_msg("%s: %s", spec, e.reason);
    return t;
}

static double value_of(const machine *m, const char *traffic, const char *method, bough_metric_id metric) {
    bough_traffic *t = traffic_on(m, traffic);
    const bough_point point = {m->net, m->routing, t};
    bough_rows rows = rows_of(&point, method);
    assert_int_equal(rows.outcome, BOUGH_RUN_OK);
    double value = row_value(&rows, metric, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    bough_traffic_destroy(t);
    return value;
}

static double us_of(const machine *m, const char *traffic, const char *method) {
    return 1e6 * value_of(m, traffic, method, BOUGH_METRIC_COMPLETION_TIME);
}

/* A hop is a piece and its delays, to an aggregation node also that of the setting; the next piece follows
 * when it has arrived. */
typedef struct by_hand {
    const char *network, *setting, *traffic;
    double hop[6]; /* us, without the data */
    double piece;  /* us of data */
    unsigned hops, pieces;
} by_hand;

/* Pieces in a pipeline: the hops of the first, then one slowest hop for each of the others. */
static double wanted(const by_hand *h) {
    double sum = 0, most = 0;
    for (unsigned i = 0; i < h->hops; i++) {
        sum += h->hop[i] + h->piece;
        most = fmax(most, h->hop[i] + h->piece);
    }
    return sum + (h->pieces - 1) * most;
}

static const by_hand cases[] = {
    /* one switch, links of 100 Gb/s and 0.1 us: 5 us a piece of 62,500 bytes; up: one link, and the sum */
    {"xgft:down=4,up=1", "default:sharp=0ns", "allreduce:sharp,chunk=62500,size=62500", {.1, .1}, 5, 2, 1},
    {"xgft:down=4,up=1", "default:sharp=0ns", "allreduce:sharp,size=1MB,chunk=62500", {.1, .1}, 5, 2, 16},
    {"xgft:down=12,up=1", "default:sharp=700ns", "allreduce:sharp,size=1MB,chunk=62500", {.8, .1}, 5, 2, 16},
    /* a switch of 0.3 us is passed to be added and to go on */
    {"xgft:down=3,up=1",
     "default:sharp=0ns,switch=300ns",
     "allreduce:sharp,size=500kB,chunk=62500",
     {.4, .4},
     5,
     2,
     8},
    /* two levels: host - leaf, leaf - spine and back; between them two switches are passed */
    {"xgft:down=4x4,up=1x4",
     "default:sharp=50ns",
     "allreduce:sharp,size=1MB,chunk=62500",
     {.15, .15, .15, .1},
     5,
     4,
     16},
    {"xgft:down=4x4,up=1x4",
     "default:sharp=0ns,switch=300ns",
     "allreduce:sharp,size=1MB,chunk=62500",
     {.4, .7, .7, .4},
     5,
     4,
     16},
    {"xgft:down=2x2x2,up=1x2x2",
     "default:sharp=0ns",
     "allreduce:sharp,size=1MB,chunk=62500",
     {.1, .1, .1, .1, .1, .1},
     5,
     6,
     16},
    /* members of one leaf switch need no spine */
    {"xgft:down=4x4,up=1x4",
     "default:sharp=0ns",
     "allreduce:sharp,ranks=4,size=1MB,chunk=62500",
     {.1, .1},
     5,
     2,
     16},
    /* two repetitions follow each other, as all members wait for the sum */
    {"xgft:down=4,up=1",
     "default:sharp=0ns",
     "allreduce:sharp,chunk=62500,size=62500,rounds=2",
     {.1, .1, .1, .1},
     5,
     4,
     1},
};

static void trees_take_the_time_of_a_pipeline(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const by_hand *h = &cases[i];
        char spec[200];
        machine m = machine_make(h->network, NULL, h->setting);
        snprintf(spec, sizeof spec, "%s,o=0ns,g=0ns", h->traffic);
        double want = wanted(h), flow = us_of(&m, spec, "flow"), loggops = us_of(&m, spec, "loggops"),
               packet = us_of(&m, spec, "packet"), worm = us_of(&m, spec, "worm");
        if (fabs(flow - want) > 1e-5 || fabs(loggops - want) > 1e-5)
            fail_msg("%s, %s, %s: flow %.6f us, loggops %.6f us, not %.6f", h->network, h->setting, spec,
                     flow, loggops, want);
        /* a packet of 4 KiB, 0.33 us, more on each link but one of a message, of which there are three at
         * most */
        double packets = (h->pieces + h->hops) * 3 * .33, flits = packets / 64 * 1.01;
        if (packet < want - 1e-5 || packet > want + packets)
            fail_msg("%s, %s, %s: packet %.6f us, not %.6f", h->network, h->setting, spec, packet, want);
        if (worm < want - 1e-3 || worm > want + flits + .2)
            fail_msg("%s, %s, %s: worm %.6f us, not %.6f", h->network, h->setting, spec, worm, want);
        machine_free(&m);
    }
}

/* Hosts cost their o, twice in every hop of theirs, and switches nothing. */
static void switches_have_no_costs_of_hosts(void **state) {
    (void)state;
    machine m = machine_make("xgft:down=4x4,up=1x4", NULL, "default:sharp=0ns");
    double free_hosts = us_of(&m, "allreduce:sharp,chunk=62500,size=62500,o=0ns,g=0ns", "flow");
    double have = us_of(&m, "allreduce:sharp,chunk=62500,size=62500,o=2us,g=0ns", "flow");
    assert_near(have, free_hosts + 4, 1e-5);
    assert_near(us_of(&m, "allreduce:sharp,chunk=62500,size=62500,o=2us,g=0ns", "loggops"), free_hosts + 4,
                1e-5);
    machine_free(&m);
}

/* Messages of switches leave at once, also while hosts work on theirs. Two pieces on one switch, o = 20 us:
 * the first is there after 20 + 5.15, so the second send ends at 45.15; both sums have come before the host
 * has received the first. o = 7 us: the second send ends at 19.15, and its sum comes at 19.15 + 5.15 + 5.10,
 * after the first was received. On two levels no message shares a link, so none takes longer than 5.15. */
static void switches_do_not_wait_for_hosts(void **state) {
    (void)state;
    static const char *const methods[] = {"flow", "loggops"};
    machine m = machine_make("xgft:down=4,up=1", NULL, "default:sharp=50ns"),
            two = machine_make("xgft:down=4x4,up=1x4", NULL, "default:sharp=50ns");
    for (unsigned i = 0; i < 2; i++) {
        assert_near(us_of(&m, "allreduce:sharp,chunk=62500,size=125kB,o=20us,g=0ns", methods[i]), 85.15,
                    1e-5);
        assert_near(us_of(&m, "allreduce:sharp,chunk=62500,size=125kB,o=7us,g=0ns", methods[i]), 36.4, 1e-5);
    }
    const char *pieces = "allreduce:sharp,chunk=62500,size=1MB,o=7us,g=0ns";
    assert_near(1e6 * value_of(&two, pieces, "flow", BOUGH_METRIC_FCT_MAX), 5.15, 1e-5);
    machine_free(&m);
    machine_free(&two);
}

/* Every host sends and receives the vector once: the algorithm bandwidth is the rate of a NIC, and a ring has
 * half of it. */
static void large_vectors_have_the_rate_of_a_nic(void **state) {
    (void)state;
    machine m = machine_make("xgft:down=4x4,up=1x4", NULL, "ideal:sharp=0ns");
    double sharp = value_of(&m, "allreduce:sharp,size=1GB,chunk=1MB", "flow", BOUGH_METRIC_ALGO_BANDWIDTH);
    double bus = value_of(&m, "allreduce:sharp,size=1GB,chunk=1MB", "flow", BOUGH_METRIC_BUS_BANDWIDTH);
    double ring = value_of(&m, "allreduce:ring,size=1GB", "flow", BOUGH_METRIC_ALGO_BANDWIDTH);
    assert_near(sharp, 12.5 * 1000 / 1003, 1e-6);
    assert_near(bus, sharp * 30 / 16, 1e-6);
    assert_near(sharp / ring, 2 * 15. / 16 * 1000 / 1003, 1e-6);
    machine_free(&m);
}

/* On compute nodes each of 4 NICs carries its shard: within the node it is that of NVLink. */
static void rails_have_trees_of_their_own(void **state) {
    (void)state;
    machine m =
        machine_make("xgft:down=4x4,up=1x4", NULL,
                     "ideal:sharp=0ns,node=\"dgx-h100:gpus=4,nics=4,nvlink_delay=0ns,pcie_delay=0ns\"");
    double sharp = value_of(&m, "allreduce:sharp,size=1GB", "flow", BOUGH_METRIC_ALGO_BANDWIDTH);
    double ring = value_of(&m, "allreduce:hierarchical,size=1GB", "flow", BOUGH_METRIC_ALGO_BANDWIDTH);
    assert_true(sharp > .95 * 4 * 12.5 && sharp <= 4 * 12.5);
    assert_true(ring < sharp / 1.4);
    machine_free(&m);
}

/* A dead spine is avoided; members of a dead leaf switch have no tree. */
static void faults(void **state) {
    (void)state;
    bough_error e;
    bough_traffic *t;
    static const char ask[] = "allreduce:sharp,size=1MB,chunk=62500,o=0ns,g=0ns";
    machine m = machine_make("xgft:down=4x4,up=1x4", NULL, "default:sharp=0ns");
    double whole = us_of(&m, ask, "flow");
    machine_free(&m);
    m = machine_make("xgft:down=4x4,up=1x4", "name:s2.0", "default:sharp=0ns");
    assert_near(us_of(&m, ask, "flow"), whole, 1e-6);
    machine_free(&m);
    m = machine_make("xgft:down=4x4,up=1x4", "name:s1.1", "default:sharp=0ns");
    assert_int_equal(bough_traffic_create(m.net, ask, &t, &e), BOUGH_INVALID);
    assert_non_null(strstr(e.reason, "h4 has no live cable to a switch that adds"));
    assert_non_null(strstr(e.reason, "s1.1"));
    machine_free(&m);
}

/* ---- what is refused ---- */

static void refuse(const machine *m, const char *spec, const char *text) {
    bough_traffic *t;
    bough_error e = {0};
    assert_true(bough_traffic_create(m->net, spec, &t, &e) != BOUGH_OK);
    if (!strstr(e.reason, text)) fail_msg("%s: '%s' does not say '%s'", spec, e.reason, text);
}

static void what_is_no_schedule_is_refused(void **state) {
    (void)state;
    machine m = machine_make("xgft:down=4x4,up=1x4", NULL, "default:sharp=0ns");
    refuse(&m, "uniform", "leave sharp= out");
    refuse(&m, "poisson:load=0.1", "leave sharp= out");
    refuse(&m, "allreduce:sharp,ranks=17", "has 16 endpoints");
    bough_point p = {m.net, m.routing, NULL};
    run_refused(&p, "connectivity", BOUGH_UNSUPPORTED, "leave sharp= out");
    machine_free(&m);
    bough_net *net = net_make("xgft:down=4x4,up=1x4");
    refuse(&(machine){.net = net}, "allreduce:sharp", "needs switches that add");
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_schedule_is_refused),
        cmocka_unit_test(trees_take_the_time_of_a_pipeline),
        cmocka_unit_test(switches_have_no_costs_of_hosts),
        cmocka_unit_test(switches_do_not_wait_for_hosts),
        cmocka_unit_test(large_vectors_have_the_rate_of_a_nic),
        cmocka_unit_test(rails_have_trees_of_their_own),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
