/* Compute nodes: the invariants of networks, places of NICs by an independent list, routes by hand, faults.
 */
#include "network/compute_nodes/compute_nodes.h"
#include "network/faults/faults.h"
#include "routing/routing.h"
#include "support/fabrics.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static bough_node_setting *setting_make(const char *spec) {
    bough_node_setting *setting;
    bough_error error;
    if (bough_node_setting_create(spec, &setting, &error)) fail_msg("%s: %s", spec, error.reason);
    return setting;
}

static bough_net *gpus_make(const bough_net *fabric, const bough_node_setting *setting) {
    bough_net *net;
    bough_error error;
    if (bough_compute_nodes_create(fabric, setting, &net, &error))
        fail_msg("%s: %s", fabric->spec, error.reason);
    return net;
}

static const char *const fabrics[] = {
    "fattree:n=16",      "xgft:down=4x4,up=1x2",  "xgft:down=5x4,up=1x4",
    "kary:k=2,levels=4", "clos:radix=8,hosts=30", "bft:n=16",
    "cube:n=16",         "mesh:dims=4x4",
};

static const char *const nodes[] = {
    "dgx-h100:gpus=4,nics=4",
    "dgx-h100:gpus=4,nics=2",
    "dgx-a100:gpus=4,nics=2,wiring=linear",
    "dgx-h100:nics=1,pxn=0",
    "dgx-b200:gpus=2,nics=2,unit=3",
    "pcie",
    "pcie:gpus=4,nics=2",
    "pcie:gpus=1,nics=1",
    "dgx-h100:gpus=3,nics=3,pxn=0,unit=2",
    "dgx-h100:gpus=4,nics=2,failover=1",
};

static void wrong_ones_are_refused(void **state) {
    (void)state;
    bough_node_setting *none;
    bough_error refusal;
    assert_int_equal(bough_node_setting_create("pcie:failover=1", &none, &refusal), BOUGH_INVALID);
    assert_non_null(strstr(refusal.reason, "failover=1 needs an NVSwitch"));
    bough_net *net, *fabric = net_make("fattree:n=4"), *many;
    bough_error error;
    bough_node_setting *large = setting_make("dgx-h100"), *small = setting_make("pcie");
    assert_int_equal(bough_compute_nodes_create(fabric, large, &net, &error), BOUGH_INVALID);
    assert_null(net);
    assert_non_null(strstr(error.reason, "4 endpoints, too few for the 8 NICs"));
    net = gpus_make(fabric, small);
    assert_int_equal(bough_compute_nodes_create(net, small, &many, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "already"));
    bough_net_destroy(net);
    bough_net_destroy(fabric);
    fabric = net_make("fattree:n=536870912");
    bough_node_setting *crowd = setting_make("pcie:gpus=64");
    assert_int_equal(bough_compute_nodes_create(fabric, crowd, &net, &error), BOUGH_TOO_LARGE);
    bough_net_destroy(fabric);
    bough_node_setting_destroy(large);
    bough_node_setting_destroy(small);
    bough_node_setting_destroy(crowd);
}

static void networks_keep_their_invariants(void **state) {
    (void)state;
    for (size_t f = 0; f < COUNT(fabrics); f++)
        for (size_t n = 0; n < COUNT(nodes); n++) {
            bough_error error;
            bough_net *fabric = net_make(fabrics[f]);
            bough_node_setting *setting = setting_make(nodes[n]);
            bough_net *net = gpus_make(fabric, setting);
            if (bough_net_check(net, 4000, &error))
                fail_msg("%s, %s: %s: %s", fabrics[f], nodes[n], error.place, error.reason);
            assert_int_equal(net->endpoints, fabric->endpoints / setting->nics * setting->gpus);
            bough_net_destroy(net);
            bough_node_setting_destroy(setting);
            bough_net_destroy(fabric);
        }
}

/* Endpoints dealt one by one: unit by unit, NIC by NIC, node by node. */
static void check_places(const bough_net *net) {
    const bough_compute_nodes *c = net->compute;
    const bough_node_setting *s = c->setting;
    uint64_t unit = s->rail ? s->unit ? s->unit : c->nodes : 1, next = 0;
    for (uint64_t first = 0; first < c->nodes; first += unit)
        for (uint64_t nic = 0; nic < s->nics; nic++)
            for (uint64_t node = first; node < first + unit && node < c->nodes; node++, next++)
                for (uint64_t i = 0; i < s->gpus / s->nics; i++) {
                    uint64_t gpu = node * s->gpus + nic * (s->gpus / s->nics) + i;
                    assert_int_equal(bough_gpu_nic(c, gpu), next);
                }
}

static void nics_are_dealt_in_order(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(nodes); n++) {
        bough_net *fabric = net_make("xgft:down=5x7,up=1x3");
        bough_node_setting *setting = setting_make(nodes[n]);
        bough_net *net = gpus_make(fabric, setting);
        check_places(net);
        bough_net_destroy(net);
        bough_node_setting_destroy(setting);
        bough_net_destroy(fabric);
    }
}

/* The nodes that a message passes, "n0.gpu0 n0.nvswitch n0.gpu1". */
static void expect_path(const bough_routing *routing, uint64_t from, uint64_t to, const char *want) {
    char path[400] = "", name[80];
    bough_flow flow = {from, to, 0};
    uint64_t link[32];
    int hops = bough_path(routing, &flow, link, 32);
    bough_node_name(routing->net, from, path, sizeof path);
    for (int i = 0; i < hops; i++) {
        bough_node_name(routing->net, routing->net->ops->link_end(routing->net, link[i]).node, name,
                        sizeof name);
        strcat(strcat(path, " "), name);
    }
    if (strcmp(path, want) != 0) fail_msg("%s, not %s", path, want);
}

static void expect_paths(const char *node, const char *const want[3]) {
    bough_error error;
    bough_routing *routing;
    bough_net *fabric = net_make("xgft:down=4x2,up=1x1");
    bough_node_setting *setting = setting_make(node);
    bough_net *net = gpus_make(fabric, setting);
    if (bough_routing_create(net, "dmodk", &routing, &error)) fail_msg("%s", error.reason);
    expect_path(routing, 0, 1, want[0]);
    expect_path(routing, 0, 4, want[1]); /* the same GPU of the other node */
    expect_path(routing, 0, 7, want[2]);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
    bough_node_setting_destroy(setting);
    bough_net_destroy(fabric);
}

static void paths_by_hand(void **state) {
    (void)state;
    /* 8 endpoints on two leaf switches; two nodes: NICs 0 1, 2 3, 4 5, 6 7 by rail, 0-3 and 4-7 linear */
    expect_paths("dgx-h100:gpus=4,nics=4",
                 (const char *const[]){"n0.gpu0 n0.nvswitch n0.gpu1", "n0.gpu0 h0 s1.0 h1 n1.gpu0",
                                       "n0.gpu0 n0.nvswitch n0.gpu3 h6 s1.1 h7 n1.gpu3"});
    expect_paths("dgx-h100:gpus=4,nics=4,pxn=0",
                 (const char *const[]){"n0.gpu0 n0.nvswitch n0.gpu1", "n0.gpu0 h0 s1.0 h1 n1.gpu0",
                                       "n0.gpu0 h0 s1.0 s2.0 s1.1 h7 n1.gpu3"});
    expect_paths("pcie:gpus=4,nics=4,wiring=linear",
                 (const char *const[]){"n0.gpu0 h0 n0.pcie h1 n0.gpu1",
                                       "n0.gpu0 h0 s1.0 s2.0 s1.1 h4 n1.gpu0",
                                       "n0.gpu0 h0 s1.0 s2.0 s1.1 h7 n1.gpu3"});
}

/* A dead NIC: its GPU reaches its node only, and nobody elsewhere reaches it. */
static void dead_nics(void **state) {
    (void)state;
    bough_error error;
    bough_net *fabric = net_make("xgft:down=4x2,up=1x2"), *faulty;
    bough_node_setting *setting = setting_make("dgx-h100:gpus=4,nics=4");
    assert_int_equal(bough_net_with_faults(fabric, "name:h0", &faulty, &error), BOUGH_OK);
    bough_net *net = gpus_make(faulty, setting);
    if (bough_net_check(net, 1000, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_true(net->ops->reaches(net, 0, 3));
    assert_false(net->ops->reaches(net, 0, 4));
    assert_false(net->ops->reaches(net, 4, 0));
    assert_true(net->ops->reaches(net, 0, 5)); /* over the NIC of GPU 1 */
    assert_int_equal(net->ops->reached(net, 0), 6);
    bough_net_destroy(net);
    bough_node_setting_destroy(setting);
    bough_net_destroy(faulty);
    bough_net_destroy(fabric);
}

/* Two nodes of four GPUs, NICs h0 h2 h4 h6 and h1 h3 h5 h7; some are dead. */
static void expect_failover(const char *node, const char *faults, uint64_t from, uint64_t to,
                            const char *want) {
    char spec[80];
    bough_error error;
    bough_routing *routing;
    bough_net *fabric = net_make("xgft:down=4x2,up=1x1"), *faulty;
    snprintf(spec, sizeof spec, "dgx-h100:gpus=4,nics=4,failover=1%s", node);
    bough_node_setting *setting = setting_make(spec);
    assert_int_equal(bough_net_with_faults(fabric, faults, &faulty, &error), BOUGH_OK);
    bough_net *net = gpus_make(faulty, setting);
    if (bough_net_check(net, 1000, &error)) fail_msg("%s: %s: %s", faults, error.place, error.reason);
    if (bough_routing_create(net, "dmodk", &routing, &error)) fail_msg("%s", error.reason);
    assert_int_equal(net->ops->reaches(net, from, to), want != NULL);
    if (want) expect_path(routing, from, to, want);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
    bough_node_setting_destroy(setting);
    bough_net_destroy(faulty);
    bough_net_destroy(fabric);
}

static void failover_by_hand(void **state) {
    (void)state;
    static const char two[] = "name:h0+name:h2", all[] = "name:h0+name:h2+name:h4+name:h6";
    expect_failover("", "name:h0", 0, 4, "n0.gpu0 n0.nvswitch n0.gpu1 h2 s1.0 h1 n1.gpu0");
    expect_failover("", "name:h0", 4, 0, "n1.gpu0 h1 s1.0 h2 n0.gpu1 n0.nvswitch n0.gpu0");
    expect_failover("", "name:h0", 7, 0,
                    "n1.gpu3 n1.nvswitch n1.gpu0 h1 s1.0 h2 n0.gpu1 n0.nvswitch n0.gpu0");
    expect_failover("", "name:h0", 0, 7, "n0.gpu0 n0.nvswitch n0.gpu3 h6 s1.1 h7 n1.gpu3");
    expect_failover("", "name:h0", 0, 1, "n0.gpu0 n0.nvswitch n0.gpu1");
    expect_failover("", two, 0, 4, "n0.gpu0 n0.nvswitch n0.gpu2 h4 s1.1 s2.0 s1.0 h1 n1.gpu0");
    expect_failover("", "name:h6", 3, 7, "n0.gpu3 n0.nvswitch n0.gpu0 h0 s1.0 s2.0 s1.1 h7 n1.gpu3");
    expect_failover("", all, 0, 4, NULL);
    expect_failover("", all, 4, 0, NULL);
    expect_failover("", all, 0, 3, "n0.gpu0 n0.nvswitch n0.gpu3");
    /* without PXN the GPU at the receiver's place has a NIC; others use their own */
    expect_failover(",pxn=0", "name:h0", 0, 7, "n0.gpu0 n0.nvswitch n0.gpu3 h6 s1.1 h7 n1.gpu3");
    expect_failover(",pxn=0", "name:h0", 0, 4, "n0.gpu0 n0.nvswitch n0.gpu1 h2 s1.0 h1 n1.gpu0");
    expect_failover(",pxn=0", "name:h0", 1, 7, "n0.gpu1 h2 s1.0 s2.0 s1.1 h7 n1.gpu3");
    expect_failover(",pxn=0", "name:h0", 7, 0, "n1.gpu3 h7 s1.1 s2.0 s1.0 h2 n0.gpu1 n0.nvswitch n0.gpu0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_ones_are_refused),
        cmocka_unit_test(networks_keep_their_invariants),
        cmocka_unit_test(nics_are_dealt_in_order),
        cmocka_unit_test(paths_by_hand),
        cmocka_unit_test(dead_nics),
        cmocka_unit_test(failover_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
