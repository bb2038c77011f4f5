/* The tree of switches that topology.conf describes, on small fabrics whose tree is plain. */
#include "base/text/text.h"
#include "network/export/network_exports.h"
#include "network/slurm/switch_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A network whose hosts are all nodes with names that start with h. */
static bough_net *of_cables(const char *rows) {
    bough_text text = {0};
    bough_fabric f;
    bough_net *net = NULL;
    bough_error error = {0};
    bough_text_printf(&text, "node,node,kind\n%s", rows);
    if (bough_fabric_parse("f", text.data, text.length, &f, &error) ||
        bough_net_from_fabric(&f, NULL, "f", &net, &error))
        fail_msg("%s", error.reason);
    bough_text_fini(&text);
    return net;
}

/* The lines of topology.conf that are no comments, without the keywords. */
static char *tree_lines(const bough_net *net) {
    bough_text text = {0}, out = {0};
    bough_error error = {0};
    if (export_topology_conf(net, &text, &error)) fail_msg("%s", error.reason);
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n")) {
        char name[80], list[400];
        if (sscanf(line, "SwitchName=%79s %*[^=]=%399s", name, list) == 2)
            bough_text_printf(&out, "%s=%s\n", name, list);
    }
    bough_text_fini(&text);
    return bough_text_take(&out);
}

static void has_tree(const char *rows, const char *want) {
    bough_net *net = of_cables(rows);
    char *lines = tree_lines(net);
    assert_string_equal(lines, want);
    free(lines);
    bough_net_destroy(net);
}

/* Two leaves of four hosts and two spines. */
#define LEAVES                                                                                               \
    "a,h1,\na,h2,\na,h3,\na,h4,\nb,h5,\nb,h6,\nb,h7,\nb,h8,\n"                                               \
    "a,s,\na,t,\nb,s,\nb,t,\n"

static void spines_are_merged(void **state) {
    (void)state;
    has_tree(LEAVES, "a=h[1-4]\nb=h[5-8]\ns=a,b\n");
    has_tree("a,h1,\na,h2,\n", "a=h[1-2]\n");
}

/* A storage host on a spine, and a leaf with one host, which looks alike from beside. */
static void spines_with_hosts(void **state) {
    (void)state;
    has_tree(LEAVES "s,h9,\n", "a=h[1-4]\nb=h[5-8]\ns=h9\nt=a,b,s\n");
    has_tree(LEAVES "c,h9,\nc,s,\nc,t,\n", "a=h[1-4]\nb=h[5-8]\nc=h9\ns=a,b,c\n");
}

/* Two pods of two leaves, joined by cores x and y. */
#define POD(a, b, m, n, h)                                                                                   \
    a "," h "1,\n" a "," h "2,\n" a "," h "3,\n" a "," h "4,\n" b "," h "5,\n" b "," h "6,\n" b "," h        \
      "7,\n" b "," h "8,\n" a "," m ",\n" a "," n ",\n" b "," m ",\n" b "," n ",\n" m ",x,\n" n ",y,\n"
#define PODS        POD("a1", "a2", "am", "an", "ha") POD("b1", "b2", "bm", "bn", "hb")
#define PODS_LEAVES "a1=ha[1-4]\na2=ha[5-8]\nb1=hb[1-4]\nb2=hb[5-8]\n"

static void pods_keep_their_level(void **state) {
    (void)state;
    has_tree(PODS, PODS_LEAVES "am=a[1-2]\nbm=b[1-2]\nx=am,bm\n");
    /* a host on a core does not join the pods below it */
    has_tree(PODS "x,hc1,\n", PODS_LEAVES "x=hc1\nam=a[1-2]\nbm=b[1-2]\ny=am,bm,x\n");
    /* nor does one on a switch of a pod */
    has_tree(PODS "am,hc1,\n", PODS_LEAVES "am=hc1\nan=a[1-2],am\nbm=b[1-2]\nx=an,bm\n");
    /* nor one with cables to leaves of both */
    has_tree(PODS "hz,a1,host\nhz,b1,host\n",
             PODS_LEAVES "group1=hz\nam=a[1-2]\nbm=b[1-2]\nx=am,bm,group1\n");
}

/* Each host has a cable to both switches of its pair: the pair is one leaf. One has lost a cable. */
static void rails_are_one_leaf(void **state) {
    (void)state;
    has_tree("h1,a,host\nh1,b,host\nh2,a,host\nh2,b,host\nh3,c,host\nh3,d,host\nh4,c,host\nh4,d,host\n"
             "h5,a,host\na,s,\nb,s,\nc,s,\nd,s,\n",
             "a=h[1-2,5]\nc=h[3-4]\ns=a,c\n");
    /* two planes: no path between the switches of a leaf */
    has_tree("h1,a,host\nh1,b,host\nh2,a,host\nh2,b,host\nh3,c,host\nh3,d,host\nh4,c,host\nh4,d,host\n"
             "a,s,\nc,s,\nb,t,\nd,t,\n",
             "a=h[1-2]\nc=h[3-4]\ns=a,c\n");
}

static void other_shapes(void **state) {
    (void)state;
    /* switches with hosts, joined by cables of their own */
    has_tree("a,h1,\na,h2,\nb,h3,\nb,h4,\na,b,\n", "a=h[1-2]\nb=h[3-4]\ngroup1=a,b\n");
    /* two parts */
    has_tree("a,h1,\na,h2,\nb,h3,\nb,h4,\n", "a=h[1-2]\nb=h[3-4]\n");
    /* names that Slurm cannot hold, and one that then exists twice */
    has_tree("a;b,h1,\na;b,h2,\na_b,h3,\na_b,h4,\na;b,s p,\na_b,s p,\n",
             "a_b=h[1-2]\na_b_2=h[3-4]\ns_p=a_b,a_b_2\n");
    has_tree("MF0;dir:CS7500/L01/U1,h1,\nMF0;dir:CS7500/L01/U1,h2,\n", "dir_L01_U1=h[1-2]\n");
}

/* Adapters of one host, by their descriptions. */
static void adapters_of_a_host(void **state) {
    (void)state;
    static const char text[] = "Switch\t36 \"S-0000000000000001\"\t\t# \"leaf\" base port 0 lid 1 lmc 0\n"
                               "[1]\t\"H-0000000000000010\"[1](11)\t\t# \"n1 mlx5_0\" lid 2 4xEDR\n"
                               "[2]\t\"H-0000000000000020\"[1](21)\t\t# \"n1 mlx5_1\" lid 3 4xEDR\n"
                               "[3]\t\"H-0000000000000030\"[1](31)\t\t# \"n2 HCA-1\" lid 4 4xEDR\n\n"
                               "Ca\t1 \"H-0000000000000010\"\t\t# \"n1 mlx5_0\"\n[1](11) "
                               "\t\"S-0000000000000001\"[1]\t\t# lid 2 lmc 0 "
                               "\"leaf\" lid 1 4xEDR\n\n"
                               "Ca\t1 \"H-0000000000000020\"\t\t# \"n1 mlx5_1\"\n[1](21) "
                               "\t\"S-0000000000000001\"[2]\t\t# lid 3 lmc 0 "
                               "\"leaf\" lid 1 4xEDR\n\n"
                               "Ca\t1 \"H-0000000000000030\"\t\t# \"n2 HCA-1\"\n[1](31) "
                               "\t\"S-0000000000000001\"[3]\t\t# lid 4 lmc 0 "
                               "\"leaf\" lid 1 4xEDR\n\n";
    bough_fabric f;
    bough_net *net = NULL;
    bough_error error = {0};
    switch_tree tree;
    assert_int_equal(bough_fabric_parse("f", text, sizeof text - 1, &f, &error), BOUGH_OK);
    assert_int_equal(bough_net_from_fabric(&f, NULL, "f", &net, &error), BOUGH_OK);
    assert_int_equal(net->endpoints, 3);
    assert_int_equal(switch_tree_make(net, &tree, &error), BOUGH_OK);
    assert_int_equal(tree.hosts, 2);
    assert_string_equal(tree.host[0], "n1");
    assert_string_equal(tree.host[1], "n2");
    assert_int_equal(tree.item[0].hosts, 2);
    arena_fini(&tree.memory);
    bough_net_destroy(net);
}

/* Three groups of two leaves and two spines, whose spines are joined: leaves, groups, and one line above. */
static void groups_of_a_dragonfly_plus(void **state) {
    (void)state;
    bough_text text = {0};
    bough_fabric f;
    bough_net *net = NULL;
    bough_error error = {0};
    switch_tree tree;
    bough_text_put(&text, "node,node\n");
    for (int g = 0; g < 3; g++)
        for (int l = 0; l < 2; l++)
            for (int k = 0; k < 2; k++)
                bough_text_printf(&text, "g%dl%d,n%d%d%d\ng%dl%d,g%ds%d\n", g, l, g, l, k, g, l, g, k);
    bough_text_put(&text, "g0s0,g1s0\ng1s1,g2s0\ng2s1,g0s1\n");
    assert_int_equal(bough_fabric_parse("f", text.data, text.length, &f, &error), BOUGH_OK);
    assert_int_equal(bough_net_from_fabric(&f, NULL, "f", &net, &error), BOUGH_OK);
    assert_int_equal(switch_tree_make(net, &tree, &error), BOUGH_OK);
    assert_int_equal(tree.hosts, 12);
    assert_int_equal(tree.leaves, 6);
    assert_int_equal(tree.count, 6 + 3 + 1);
    for (uint32_t i = 0; i < 6; i++) assert_int_equal(tree.item[i].parent, 6 + i / 2);
    for (uint32_t i = 6; i < 9; i++) {
        assert_int_equal(tree.item[i].parent, 9);
        assert_int_equal(tree.item[i].hosts, 4);
        assert_int_equal(tree.item[i].switches, 2);
    }
    assert_true(tree.item[9].level > tree.item[8].level && tree.item[9].first == BOUGH_NONE);
    arena_fini(&tree.memory);
    bough_net_destroy(net);
    bough_text_fini(&text);
}

/* A line for each subtree: leaves, pods, the root. clos:radix=8,hosts=64 is xgft:down=4x2x8. */
static void families(void **state) {
    (void)state;
    static const char *const spec[] = {"xgft:down=4x2x3,up=1x2x2", "kary:k=3,levels=3",
                                       "clos:radix=8,hosts=64"};
    static const unsigned lines[] = {6 + 3 + 1, 9 + 3 + 1, 16 + 8 + 1};
    for (int i = 0; i < 3; i++) {
        bough_net *net;
        bough_error error = {0};
        switch_tree tree;
        if (bough_net_create(spec[i], &net, &error)) fail_msg("%s", error.reason);
        assert_int_equal(switch_tree_make(net, &tree, &error), BOUGH_OK);
        assert_int_equal(tree.count, lines[i]);
        assert_int_equal(tree.item[tree.count - 1].hosts, net->endpoints);
        arena_fini(&tree.memory);
        bough_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spines_are_merged),
        cmocka_unit_test(spines_with_hosts),
        cmocka_unit_test(pods_keep_their_level),
        cmocka_unit_test(rails_are_one_leaf),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(adapters_of_a_host),
        cmocka_unit_test(families),
        cmocka_unit_test(groups_of_a_dragonfly_plus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
