/* Reading topology.conf: what is refused, small files by hand, and files that bough wrote. */
#include "base/text/text.h"
#include "formats/slurm/topology_conf.h"
#include "network/export/network_exports.h"
#include "network/net.h"
#include "support/fabric_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define YAML "- topology: a\n  tree:\n    switches:\n"

static void wrong_files_are_refused(void **state) {
    (void)state;
    static const fabric_bad bad[] = {
        {"SwitchName=a\n", "f:1", "a has neither Nodes nor Switches"},
        {"SwitchName=a Nodes=n1 Switches=b\n", "f:1", "a has both Nodes and Switches"},
        {"SwitchName=a Nodes=\n", "f:1", "'Nodes' has no value"},
        {"SwitchName=a Nodes\n", "f:1", "'Nodes' has no value"},
        {"SwitchName=a Nodes=n1 Nodes=n2\n", "f:1", "'Nodes' is given twice"},
        {"SwitchName=a Node=n1\n", "f:1", "unknown key 'Node'"},
        {"SwitchName=a Nodes=n[1-\n", "f:1", "[ without ]"},
        {"SwitchName=a Nodes=n[2-1]\n", "f:1", "a range falls"},
        {"SwitchName=s[0-1] Nodes=n1\n", "f:1", "expected one name"},
        {"SwitchName=a Nodes=n1\n\n# x\nSwitchName=a Nodes=n2\n", "f:4", "switch a is described twice"},
        {"SwitchName=a Nodes=n1\nSwitchName=b Switches=a,c\n", "f:2", "there is no switch c"},
        {"SwitchName=a Switches=a\n", "f:1", "switch a is below itself"},
        {"SwitchName=a Nodes=n1\nSwitchName=b Switches=a,c\nSwitchName=c Switches=b\n", "f:2",
         "is below itself"},
        {"SwitchName=z Nodes=n1\nSwitchName=b Switches=c\nSwitchName=c Switches=b,d\nSwitchName=d "
         "Switches=z\n",
         "f:2", "switch b is below itself"},
        {"SwitchName=a Nodes=n1\nNodes=n2\n", "f:2", "expected SwitchName=NAME, not 'Nodes=n2'"},
        {"BlockName=a Nodes=n1\n", "f:1", "is for topology/block, which has no switches"},
        {"SwitchName=DEFAULT LinkSpeed=3\n", "f", "describes no switch"},
        {"SwitchName=a Nodes=b\nSwitchName=b Switches=a\n", "f:1", "is the name of a switch and of a node"},
        {"- topology: a\n  flat: true\n", "f:1", "no topology has switches"},
        {"---\n# x\n- topology: a\n  block: {}\n", "f:3", "no topology has switches"},
        {"- topology: a\n  tree: 5\n", "f:2", "expected a list `switches:`"},
        {"- topology: a\n  tree:\n    switches: []\n", "f", "describes no switch"},
        {YAML "      - nodes: n1\n", "f:4", "expected `switch: NAME`"},
        {YAML "      - switch: a\n", "f:4", "a has neither nodes nor children"},
        {YAML "      - switch: a\n        nodes: n1\n        children: b\n", "f:4",
         "a has both nodes and children"},
        {YAML "      - switch: a\n        nodes: n[1\n", "f:4", "[ without ]"},
        {YAML "      - switch: a[1-2]\n        nodes: n1\n", "f:4", "expected one name"},
        {YAML "      - switch: a\n        children: b\n", "f:4", "there is no switch b"},
        {YAML "      - switch: a\n        nodes: n1\n      - switch: a\n        nodes: n2\n", "f:6",
         "described twice"},
        {"- topology: a\n  tree: [\n", "f:3", "not valid YAML"},
    };
    fabric_all_refused(bad, COUNT(bad));
}

static void too_many_names_are_refused(void **state) {
    (void)state;
    static const char text[] = "SwitchName=a Nodes=n[1-1000000]\nSwitchName=b Nodes=m[1-1000000]\n";
    topology_conf conf = {.count = 0};
    bough_error error = {0};
    assert_int_equal(topology_conf_parse("f", text, sizeof text - 1, &conf, &error), BOUGH_TOO_LARGE);
    topology_conf_fini(&conf);
}

/* Keys in any case, comments, lines that go on, quotes, a default; what scontrol prints. */
static void forms_of_lines(void **state) {
    (void)state;
    static const char *const text[] = {
        "# of a site\nSwitchName=DEFAULT LinkSpeed=100\r\n  switchname=a  NODES=n[1-2],n4 # rack 1\r\n"
        "SwitchName=b \\\n  Nodes=\"n[5-6]\" LinkSpeed=1\n\nSwitchName=top Switches=a,b\n",
        "SwitchName=a Level=0 LinkSpeed=1 Nodes=n[1-2,4]\nSwitchName=b Level=0 LinkSpeed=1 Nodes=n[5-6]\n"
        "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-2,4-6] Switches=a,b\n"};
    for (size_t i = 0; i < COUNT(text); i++) {
        bough_net *net = fabric_net_from(text[i], NULL);
        assert_int_equal(net->endpoints, 5);
        assert_int_equal(net->switches, 3);
        assert_int_equal(net->levels, 2);
        assert_string_equal(net->fabric->format, "topology.conf");
        bough_net_destroy(net);
    }
}

/* Each spine has a line of its own, as in the guide of Slurm. */
static void spines_one_by_one(void **state) {
    (void)state;
    bough_net *net = fabric_net_from("SwitchName=s0 Nodes=tux[0-3]\nSwitchName=s1 Nodes=tux[4-7]\n"
                                     "SwitchName=s4 Switches=s[0-1]\nSwitchName=s5 Switches=s[0-1]\n",
                                     NULL);
    assert_int_equal(net->switches, 4);
    assert_int_equal(net->cables, 4);
    bough_net_destroy(net);
}

/* Appends what is no comment. */
static char *lines_of(const bough_net *net) {
    bough_text text = {0}, out = {0};
    bough_error error = {0};
    assert_int_equal(export_topology_conf(net, &text, &error), BOUGH_OK);
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n"))
        if (*line != '#') bough_text_printf(&out, "%s\n", line);
    bough_text_fini(&text);
    return bough_text_take(&out);
}

static void files_read_back(void **state) {
    (void)state;
    static const char *const spec[] = {"xgft:down=4x2x3,up=1x2x2", "kary:k=3,levels=3", "fattree:n=16",
                                       "clos:radix=8,hosts=64", "xgft:down=4x4,up=1x2,links=1x2"};
    for (size_t i = 0; i < COUNT(spec); i++) {
        bough_net *net;
        bough_error error = {0};
        if (bough_net_create(spec[i], &net, &error)) fail_msg("%s", error.reason);
        char *first = lines_of(net);
        bough_net *again = fabric_net_from(first, NULL);
        char *second = lines_of(again);
        assert_string_equal(first, second);
        assert_int_equal(net->endpoints, again->endpoints);
        free(first);
        free(second);
        bough_net_destroy(again);
        bough_net_destroy(net);
    }
}

/* The tree of a topology.yaml is that of the topology.conf with the same switches. */
static void both_forms_are_one_tree(void **state) {
    (void)state;
    static const char yaml[] =
        "# of a site\n---\n- topology: other\n  tree:\n    switches:\n      - switch: x\n"
        "        nodes: y\n- topology: fabric\n  cluster_default: true\n  tree:\n"
        "    switches:\n      - switch: top\n        children: leaf[1-2]\n"
        "      - switch: \"leaf1\"\n        nodes: \"n[01-04]\"\n"
        "      - {switch: leaf2, nodes: 'n[05-08]'}\n";
    static const char conf[] = "SwitchName=top Switches=leaf[1-2]\nSwitchName=leaf1 Nodes=n[01-04]\n"
                               "SwitchName=leaf2 Nodes=n[05-08]\n";
    bough_fabric f, g;
    fabric_good(yaml, &f);
    fabric_good(conf, &g);
    assert_string_equal(f.format, "topology.yaml");
    assert_string_equal(g.format, "topology.conf");
    assert_true(f.merged && g.merged);
    assert_int_equal(f.node_count, 11);
    assert_int_equal(f.node_count, g.node_count);
    assert_int_equal(f.port_count, g.port_count);
    for (uint32_t n = 0; n < f.node_count; n++) assert_string_equal(f.node[n].name, g.node[n].name);
    for (uint32_t i = 0; i < f.port_count; i++) assert_int_equal(f.port[i].peer, g.port[i].peer);
    assert_int_equal(fabric_findings(&f, "other-topologies", BOUGH_INFO), 1);
    assert_int_equal(fabric_findings(&g, "other-topologies", BOUGH_INFO), 0);
    bough_fabric_fini(&f);
    bough_fabric_fini(&g);
    /* a default that is no tree */
    fabric_good("- topology: a\n  cluster_default: true\n  flat: true\n" YAML
                "      - switch: s\n        nodes: n[1-2]\n",
                &f);
    assert_int_equal(f.node_count, 3);
    bough_fabric_fini(&f);
}

static void a_node_below_two_lines_is_found(void **state) {
    (void)state;
    bough_fabric f;
    fabric_good("SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[2-3]\nSwitchName=c Switches=a,b\n", &f);
    assert_int_equal(fabric_findings(&f, "slurm-twice", BOUGH_WARN), 1);
    bough_fabric_fini(&f);
}

/* What is written in one form reads back as what is written in the other. */
static void yaml_is_read_back(void **state) {
    (void)state;
    bough_net *net = NULL;
    bough_error error = {0};
    bough_text out[2] = {{0}};
    topology_conf conf[2] = {{.count = 0}};
    assert_int_equal(bough_net_open("xgft:down=4x2x4,up=1x2x2", NULL, &net, &error), BOUGH_OK);
    assert_int_equal(export_topology_conf(net, &out[0], &error), BOUGH_OK);
    assert_int_equal(export_topology_yaml(net, &out[1], &error), BOUGH_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(topology_conf_parse("f", out[i].data, out[i].length, &conf[i], &error), BOUGH_OK);
    assert_int_equal(conf[0].count, conf[1].count);
    assert_int_equal(conf[0].node.count, 32);
    assert_int_equal(conf[0].node.count, conf[1].node.count);
    for (size_t i = 0; i < conf[0].node.count; i++)
        assert_string_equal(conf[0].node.name[i], conf[1].node.name[i]);
    for (size_t i = 0; i < conf[0].child.count; i++)
        assert_string_equal(conf[0].child.name[i], conf[1].child.name[i]);
    assert_string_equal(conf[1].topology, "tree");
    for (int i = 0; i < 2; i++) topology_conf_fini(&conf[i]), bough_text_fini(&out[i]);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(too_many_names_are_refused),
        cmocka_unit_test(forms_of_lines),
        cmocka_unit_test(spines_one_by_one),
        cmocka_unit_test(files_read_back),
        cmocka_unit_test(both_forms_are_one_tree),
        cmocka_unit_test(a_node_below_two_lines_is_found),
        cmocka_unit_test(yaml_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
