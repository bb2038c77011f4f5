/* Exports: what is refused, then every export read back: netlists by bough's own reader of fabrics, JSON by
 * Jansson, dot by a small reader of its grammar. */
#include "base/text/text.h"
#include "network/export/network_exports.h"
#include "support/fabric_texts.h"
#include "support/fabrics.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef bough_status writer(const bough_net *net, bough_text *out, bough_error *error);

static char *written(const bough_net *net, writer *write) {
    bough_text out = {0};
    bough_error error;
    if (write(net, &out, &error)) fail_msg("%s: %s", net->spec, error.reason);
    return bough_text_take(&out);
}

static const char *const specs[] = {"fattree:n=16",         "xgft:down=4x4,up=1x4",
                                    "xgft:down=4x2,up=2x2", "xgft:down=3x4x2,up=1x2x2,links=1x2x1",
                                    "kary:k=3,levels=3",    "clos:radix=8,hosts=24,taper=3",
                                    "kary:k=1,levels=1",    "bft:n=64"};

/* ---- bad input ---- */

static void refused(const bough_net *net, writer *write, bough_status status, const char *reason) {
    bough_text out = {0};
    bough_error error;
    assert_int_equal(write(net, &out, &error), status);
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    bough_text_fini(&out);
}

static void what_cannot_be_written_is_refused(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=2^40");
    refused(net, export_json, BOUGH_TOO_LARGE, "the limit is 16777216");
    refused(net, export_dot, BOUGH_TOO_LARGE, "87960930222080 links");
    refused(net, export_netlist, BOUGH_TOO_LARGE, "links");
    refused(net, export_verilog, BOUGH_TOO_LARGE, "links");
    bough_net_destroy(net);
    net = net_make("kary:k=3,levels=2");
    refused(net, export_verilog, BOUGH_UNSUPPORTED, "fattree and transit without faults");
    bough_net_destroy(net);
    net = net_make("xgft:down=300,up=1");
    refused(net, export_netlist, BOUGH_UNSUPPORTED, "300 ports; InfiniBand has at most 254");
    bough_net_destroy(net);
}

/* ---- 3-D models ---- */

/* A network that is given stacks: what the export looks at. */
static void stacks_become_boxes(void **state) {
    (void)state;
    const bough_packaging p = {.stages = 2,
                               .stage = {{.name = "small", .stacks = 1, .side = 1, .thickness = 0.5},
                                         {.name = "large", .stacks = 4, .side = 2, .thickness = 0.5}}};
    bough_net *net = net_make("fattree:n=16");
    refused(net, export_gltf, BOUGH_UNSUPPORTED, "fattree:n=16 has none");
    net->packaging = &p;
    char *text = written(net, export_gltf);
    json_error_t at;
    json_t *model = json_loads(text, JSON_REJECT_DUPLICATES, &at);
    if (!model) fail_msg("%s in %s", at.text, text);
    assert_string_equal(json_string_value(json_object_get(json_object_get(model, "asset"), "version")),
                        "2.0");
    json_t *nodes = json_object_get(model, "nodes"), *node;
    assert_int_equal(json_array_size(nodes), 64 + 4);
    assert_int_equal(json_array_size(json_object_get(model, "meshes")), 2);
    assert_int_equal(json_array_size(json_object_get(model, "materials")), 2);
    size_t i, stage[2] = {0, 0};
    json_array_foreach(nodes, i, node) {
        json_int_t mesh = json_integer_value(json_object_get(node, "mesh"));
        double volume = 1;
        for (size_t k = 0; k < 3; k++)
            volume *= json_number_value(json_array_get(json_object_get(node, "scale"), k)) / 0.3048;
        assert_in_range(mesh, 0, 1);
        assert_true(volume < (mesh ? 2 : 0.5) && volume > (mesh ? 1.7 : 0.4));
        stage[mesh]++;
    }
    assert_int_equal(stage[0], 64);
    const char *uri =
        json_string_value(json_object_get(json_array_get(json_object_get(model, "buffers"), 0), "uri"));
    uri = strchr(uri, ',') + 1;
    json_int_t bytes = json_integer_value(
        json_object_get(json_array_get(json_object_get(model, "buffers"), 0), "byteLength"));
    assert_int_equal(strlen(uri), (bytes + 2) / 3 * 4);
    /* little-endian: the corner (-0.5, 0.5, -0.5), and 23, the last index */
    assert_memory_equal(uri, "AAAAvwAAAD8AAAC/", 16);
    assert_string_equal(uri + strlen(uri) - 4, "ABcA");
    json_decref(model);
    free(text);
    bough_net_destroy(net);
}

/* ---- netlists ---- */

static uint32_t adapters(const bough_fabric *f) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->node_count; i++) count += f->node[i].kind == BOUGH_FABRIC_ADAPTER;
    return count;
}

/* The fabric's node with the name of a node of the network; a netlist adds " HCA-1" to hosts, which names
 * lose. */
static uint32_t node_named(const bough_fabric *f, const bough_net *net, uint64_t v) {
    char name[160];
    bough_node_name(net, v, name, sizeof name);
    for (uint32_t i = 0; i < f->node_count; i++)
        if (strcmp(f->node[i].name, name) == 0) return i;
    fail_msg("the netlist has no node '%s'", name);
    return 0;
}

static void netlists_read_back_as_the_same_cables(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT(specs); s++) {
        bough_net *net = net_make(specs[s]);
        char *text = written(net, export_netlist);
        bough_fabric f;
        bough_error error;
        if (bough_fabric_parse("x.net", text, strlen(text), &f, &error))
            fail_msg("%s: %s", error.place, error.reason);
        assert_int_equal(f.node_count, net->nodes);
        assert_int_equal(adapters(&f), net->endpoints);
        assert_int_equal(f.port_count, net->links); /* one port a link that leaves */
        for (uint64_t l = 0; l < net->links; l++) {
            uint32_t from = node_named(&f, net, bough_link_start(net, l));
            uint32_t to = node_named(&f, net, net->ops->link_end(net, l).node);
            uint32_t port = bough_fabric_port_find(&f, from, net->ops->link_port(net, l) + 1);
            assert_true(port != BOUGH_NO_INDEX && f.port[port].peer != BOUGH_NO_INDEX);
            const bough_fabric_port *peer = &f.port[f.port[port].peer];
            assert_int_equal(peer->node, to);
            assert_int_equal(peer->number, net->ops->link_end(net, l).port + 1);
            assert_int_equal(f.port[port].rate, bough_net_link_rate(net, l));
        }
        for (uint32_t i = 0; i < f.port_count; i++)
            for (uint32_t j = 0; j < i; j++)
                assert_true(f.port[i].guid == 0 || f.port[i].guid != f.port[j].guid);
        /* nothing is odd about it: every port of a host is an endpoint */
        assert_int_equal(f.findings.count, 0);
        bough_net *read;
        assert_int_equal(bough_net_from_fabric(&f, NULL, NULL, &read, &error), BOUGH_OK);
        assert_true(read->endpoints >= net->endpoints && read->endpoints % net->endpoints == 0);
        assert_int_equal(read->cables, net->cables);
        bough_net_destroy(read);
        bough_fabric_fini(&f);
        free(text);
        bough_net_destroy(net);
    }
}

/* A fabric's netlist is the fabric again: nodes, GUIDs, LIDs, rates, and what is no endpoint. */
static void netlists_of_fabrics_are_the_fabric(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",   "H1 lid 3",  "H2 lid 8 lmc 1",
                                        "H1:1 S1:1", "H2:1 S2:1",  "S1:5 S2:6", "S1:10 S2:10 4xDDR",
                                        "A7 lid 11", "A7:1 S2:30", NULL};
    bough_net *net = fabric_net(lines, NULL);
    char *text = written(net, export_netlist);
    const bough_fabric *f = net->fabric;
    bough_fabric g;
    bough_error error;
    if (bough_fabric_parse("x.net", text, strlen(text), &g, &error)) fail_msg("%s", error.reason);
    assert_int_equal(g.node_count, f->node_count);
    assert_int_equal(g.port_count, f->port_count);
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bough_fabric_port *p = &f->port[i], *q;
        uint32_t n = 0;
        while (g.node[n].guid != f->node[p->node].guid) n++;
        assert_string_equal(g.node[n].description, f->node[p->node].description);
        assert_int_equal(g.node[n].kind, f->node[p->node].kind);
        assert_int_equal(g.node[n].lid, f->node[p->node].lid);
        uint32_t k = bough_fabric_port_find(&g, n, p->number);
        assert_true(k != BOUGH_NO_INDEX);
        q = &g.port[k];
        assert_int_equal(q->lid, p->lid);
        assert_int_equal(q->lmc, p->lmc);
        assert_int_equal(q->guid, p->guid);
        assert_int_equal(q->rate, p->rate);
        assert_int_equal(g.node[g.port[q->peer].node].guid, f->node[f->port[p->peer].node].guid);
        assert_int_equal(g.port[q->peer].number, f->port[p->peer].number);
    }
    bough_fabric_fini(&g);
    free(text);
    bough_net_destroy(net);
}

/* ibsim makes the GUID of port i from that of its node: + i. Adapters of today have port GUID = node GUID,
 * and those of one card follow each other. */
static void ibsim_makes_the_port_guids(void **state) {
    (void)state;
    static const char file[] =
        "switchguid=0x20(20)\nSwitch\t4 \"S-0000000000000020\"\t# \"leaf\" base port 0 lid 1 lmc 0\n"
        "[1]\t\"H-0000000000000012\"[1](12)\t# \"b\" lid 2 4xQDR\n[2]\t\"H-0000000000000011\"[1](11)\n"
        "[3]\t\"H-0000000000000021\"[1](21)\t# \"taken\" lid 4 4xQDR\n[4]\t\"H-0000000000000040\"[2](42)\t# "
        "\"old\" lid 5 4xQDR\n"
        "\ncaguid=0x12\nCa\t1 \"H-0000000000000012\"\t# \"b\"\n"
        "[1](12)\t\"S-0000000000000020\"[1]\t# lid 2 lmc 0 \"leaf\" lid 1 4xQDR\n"
        "\ncaguid=0x11\nCa\t1 \"H-0000000000000011\"\t# \"a\"\n"
        "[1](11)\t\"S-0000000000000020\"[2]\t# lid 3 lmc 0 \"leaf\" lid 1 4xQDR\n"
        "\ncaguid=0x21\nCa\t1 \"H-0000000000000021\"\t# \"taken\"\n"
        "[1](21)\t\"S-0000000000000020\"[3]\t# lid 4 lmc 0 \"leaf\" lid 1 4xQDR\n"
        "\ncaguid=0x40\nCa\t2 \"H-0000000000000040\"\t# \"old\"\n"
        "[2](42)\t\"S-0000000000000020\"[4]\t# lid 5 lmc 0 \"leaf\" lid 1 4xQDR\n";
    bough_net *net = fabric_net_from(file, NULL);
    char *text = written(net, export_netlist);
    bough_fabric f;
    bough_error error;
    if (bough_fabric_parse("x.net", text, strlen(text), &f, &error)) fail_msg("%s", error.reason);
    assert_int_equal(adapters(&f), 4);
    for (uint32_t i = 0; i < f.port_count; i++) {
        const bough_fabric_port *p = &f.port[i];
        const bough_fabric_node *node = &f.node[p->node];
        if (node->kind == BOUGH_FABRIC_SWITCH) continue;
        if (strcmp(node->name, "taken") == 0) /* the switch has the GUID below */
            assert_int_equal(node->guid, p->guid);
        else
            assert_int_equal(node->guid + p->number, p->guid);
    }
    bough_fabric_fini(&f);
    free(text);
    bough_net_destroy(net);
}

static void netlists_have_the_rates_of_the_network(void **state) {
    (void)state;
    static const struct {
        const char *given; /* "": the file has none */
        uint64_t rate;
    } rates[] = {
        {"9Gb/s", UINT64_C(9000000000)},
        {"12Gb/s", UINT64_C(12000000000)},
        {"2880Gb/s", UINT64_C(2880000000000)},
        {"1.5Mb/s", 1500000},
        {"7b/s", 7},
        {"40Gb/s", UINT64_C(40000000000)},
        {"25Gb/s", UINT64_C(25000000000)},
        {"12.5GB/s", UINT64_C(100000000000)},
        {"50Gb/s", UINT64_C(50000000000)},
        {"200Gb/s", UINT64_C(200000000000)},
        {"400Gb/s", UINT64_C(400000000000)},
        {"800Gb/s", UINT64_C(800000000000)},
        {"", UINT64_C(100000000000)},
    };
    for (size_t i = 0; i < COUNT(rates); i++) {
        char file[160];
        snprintf(file, sizeof file, "node,port,node,port,rate\nh1,1,s,1,%s\nh2,1,s,2,%s\n", rates[i].given,
                 rates[i].given);
        bough_net *net = fabric_net_from(file, NULL);
        char *text = written(net, export_netlist);
        bough_fabric f;
        bough_error error;
        if (bough_fabric_parse("x.net", text, strlen(text), &f, &error)) fail_msg("%s", error.reason);
        assert_int_equal(f.port_count, 4);
        for (uint32_t p = 0; p < 4; p++) assert_int_equal(f.port[p].rate, rates[i].rate);
        bough_fabric_fini(&f);
        free(text);
        bough_net_destroy(net);
    }
}

/* Every port of a host has a GUID of its own, and both ends say the same. */
static void ports_have_guids(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=4x2,up=2x2");
    char *text = written(net, export_netlist);
    assert_non_null(strstr(text, "\n[2](2c90300000102) \t\"S-"));
    assert_non_null(strstr(text, "\t\"H-0002c90300000100\"[2](2c90300000102)\t"));
    free(text);
    bough_net_destroy(net);
}

/* ---- JSON ---- */

static int64_t whole(const json_t *o, const char *key) {
    json_t *value = json_object_get(o, key);
    if (!json_is_integer(value)) fail_msg("%s is no whole number", key);
    return json_integer_value(value);
}

static void json_says_the_network(const bough_net *net) {
    char *text = written(net, export_json), name[160];
    json_error_t why;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!root) fail_msg("%s: line %d: %s", net->spec, why.line, why.text);
    const json_t *nodes = json_object_get(root, "nodes"), *links = json_object_get(root, "links");
    const json_t *network = json_object_get(root, "network");
    assert_int_equal(whole(root, "schema"), 2);
    assert_int_equal(whole(network, "endpoints"), net->endpoints);
    assert_int_equal(whole(network, "switches"), net->switches);
    assert_int_equal(whole(network, "links"), net->links);
    assert_int_equal(whole(network, "cables"), net->cables);
    assert_int_equal(whole(network, "levels"), net->levels);
    assert_int_equal(json_array_size(nodes), net->nodes);
    assert_int_equal(json_array_size(links), net->links);
    for (uint64_t v = 0; v < net->nodes; v++) {
        const json_t *n = json_array_get(nodes, v);
        assert_int_equal(whole(n, "id"), v);
        assert_int_equal(whole(n, "level"), net->ops->node_level(net, v));
        assert_int_equal(json_is_true(json_object_get(n, "endpoint")), v < net->endpoints);
        assert_int_equal(json_is_true(json_object_get(n, "switch")), v >= net->endpoints);
        assert_string_equal(json_string_value(json_object_get(n, "name")),
                            bough_node_name(net, v, name, sizeof name));
    }
    for (uint64_t l = 0; l < net->links; l++) {
        const json_t *o = json_array_get(links, l);
        assert_int_equal(whole(o, "from"), bough_link_start(net, l));
        assert_int_equal(whole(o, "from_port"), bough_port_number(net, net->ops->link_port(net, l)));
        assert_int_equal(whole(o, "to"), net->ops->link_end(net, l).node);
        assert_int_equal(whole(o, "to_port"), bough_port_number(net, net->ops->link_end(net, l).port));
        assert_int_equal(whole(o, "group"), net->ops->link_group(net, l));
        if (net->capabilities & BOUGH_HAS_RATES)
            assert_int_equal(whole(o, "rate"), net->ops->link_rate(net, l));
    }
    json_decref(root);
    free(text);
}

/* ---- dot: graph NAME { statements }; only what the writer uses is in the grammar ---- */

typedef struct dot {
    const char *at;
    size_t nodes, edges, directed;
} dot;

static bool take(dot *d, const char *token) {
    while (strchr(" \n\t", *d->at) && *d->at) d->at++;
    size_t length = strlen(token);
    if (strncmp(d->at, token, length) != 0) return false;
    d->at += length;
    return true;
}

static void need(dot *d, const char *token) {
    if (!take(d, token)) fail_msg("expected '%s' at '%.40s'", token, d->at);
}

static void identifier(dot *d) {
    take(d, "");
    const char *start = d->at;
    if (take(d, "\"")) {
        for (; *d->at != '"'; d->at++) {
            if (*d->at == '\\') d->at++;
            if (!*d->at || *d->at == '\n') fail_msg("a string does not end");
        }
        d->at++;
    } else {
        while ((*d->at >= 'a' && *d->at <= 'z') || (*d->at >= 'A' && *d->at <= 'Z') ||
               (*d->at >= '0' && *d->at <= '9') || *d->at == '_')
            d->at++;
    }
    if (d->at == start) fail_msg("expected a name at '%.40s'", d->at);
}

static bool attributes(dot *d) {
    bool directed = false;
    if (!take(d, "[")) return false;
    do {
        directed |= strncmp(d->at, "dir=", 4) == 0;
        identifier(d);
        need(d, "=");
        identifier(d);
    } while (take(d, ","));
    need(d, "]");
    return directed;
}

static void statements(dot *d) {
    while (!take(d, "}")) {
        if (take(d, "{")) {
            statements(d);
            continue;
        }
        take(d, "");
        bool node = *d->at == 'n' && d->at[1] >= '0' && d->at[1] <= '9';
        identifier(d);
        if (take(d, "=")) {
            identifier(d);
        } else if (take(d, "--")) {
            identifier(d);
            d->directed += attributes(d);
            d->edges++;
        } else {
            attributes(d);
            d->nodes += node;
        }
        need(d, ";");
    }
}

static void dot_draws_the_network(const bough_net *net) {
    char *text = written(net, export_dot);
    dot d = {.at = text};
    need(&d, "graph");
    identifier(&d);
    need(&d, "{");
    statements(&d);
    take(&d, "");
    if (*d.at) fail_msg("there is more: '%.40s'", d.at);
    assert_int_equal(d.nodes, net->nodes);
    assert_int_equal(d.edges, net->links / 2); /* cables */
    assert_int_equal(d.directed, 0);
    free(text);
}

static void json_and_dot_of_families(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT(specs); s++) {
        bough_net *net = net_make(specs[s]);
        json_says_the_network(net);
        dot_draws_the_network(net);
        bough_net_destroy(net);
    }
}

static void json_and_dot_of_fabrics(void **state) {
    (void)state;
    static const char *const names[] = {"example:cluster.ibnetdiscover", "fabrics/psmn-x5.ibnetdiscover",
                                        "fabrics/monch.orcs.dot", "fabrics/dgx-ndr.ibnetdiscover"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char *path = data_path(names[i]);
        if (!path) continue;
        char *spec = spec_of("ibnet", path);
        bough_net *net = net_make(spec);
        json_says_the_network(net);
        dot_draws_the_network(net);
        bough_net_destroy(net);
        free(spec);
        free(path);
    }
}

/* Cables within a level, and two between the same switches, are drawn once each. */
static void flat_cables_are_drawn_once(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 3",    "H2 lid 4", "H1:1 S1:1",
                                        "H2:1 S2:1", "S1:5 S2:6", "S1:10 S2:10", NULL};
    bough_net *net = fabric_net(lines, NULL);
    json_says_the_network(net);
    dot_draws_the_network(net);
    bough_net_destroy(net);
}

/* A file's name can hold anything; the export is still JSON and dot. */
static void names_are_quoted(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1", "H1 lid 2", "H2 lid 3", "H1:1 S1:1", "H2:1 S1:2", NULL};
    static const struct {
        const char *spec, *read;
    } odd[] = {{"ibnet:file=\"a \\\"b\\\" \\\\c\"", "ibnet:file=\"a \\\"b\\\" \\\\c\""},
               {"x\ny\t\x01z", "x\ny\t\x01z"},
               {"caf\xc3\xa9", "caf\xc3\xa9"},
               {"caf\xe9", "caf\xef\xbf\xbd"}};
    for (size_t i = 0; i < COUNT(odd); i++) {
        bough_fabric f;
        bough_error error;
        bough_net *net;
        char *text = fabric_text(lines);
        assert_int_equal(bough_fabric_parse("made", text, strlen(text), &f, &error), BOUGH_OK);
        assert_int_equal(bough_net_from_fabric(&f, NULL, odd[i].spec, &net, &error), BOUGH_OK);
        free(text);
        json_says_the_network(net);
        dot_draws_the_network(net);
        text = written(net, export_json);
        json_t *root = json_loads(text, 0, NULL);
        assert_string_equal(json_string_value(json_object_get(json_object_get(root, "network"), "spec")),
                            odd[i].read);
        json_decref(root);
        free(text);
        bough_net_destroy(net);
    }
}

static void every_export_is_in_the_table(void **state) {
    (void)state;
    size_t writers = 0;
    const bough_packaging packaging = {.stages = 1,
                                       .stage = {{.name = "stack", .stacks = 1, .side = 1, .thickness = 1}}};
    bough_net *net = net_make("kary:k=2,levels=2");
    net->packaging = &packaging;
    for (const bough_format *f = bough_formats; f->name; f++) {
        assert_true(*f->summary);
        if (strncmp(f->direction, "tables", 6) != 0)
            assert_int_equal(strstr(f->direction, "export") != NULL, f->write != NULL);
        if (!f->write) continue;
        bough_text out = {0};
        bough_error error;
        assert_int_equal(f->write(net, &out, &error), BOUGH_OK);
        assert_true(out.length > 50);
        bough_text_fini(&out);
        writers++;
    }
    assert_int_equal(writers, 14);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(stacks_become_boxes),
        cmocka_unit_test(netlists_read_back_as_the_same_cables),
        cmocka_unit_test(netlists_of_fabrics_are_the_fabric),
        cmocka_unit_test(netlists_have_the_rates_of_the_network),
        cmocka_unit_test(ibsim_makes_the_port_guids),
        cmocka_unit_test(ports_have_guids),
        cmocka_unit_test(json_and_dot_of_families),
        cmocka_unit_test(json_and_dot_of_fabrics),
        cmocka_unit_test(flat_cables_are_drawn_once),
        cmocka_unit_test(names_are_quoted),
        cmocka_unit_test(every_export_is_in_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
