/* Fabrics from GraphML: what is refused, and small cases by hand. tests/cli/networkx_test.py reads what
 * NetworkX writes. */
#include "base/text/text.h"
#include "network/net.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define G(text)  "<graphml>\n<graph edgedefault='undirected'>\n" text "</graph></graphml>\n"

/* bough may have been built without libxml2. */
static int is_read(void **state) {
    static const char text[] = G("<node id='a'/><node id='b'/>");
    bough_fabric f;
    bough_error error = {0};
    (void)state;
    bough_status status = bough_fabric_parse("f", text, strlen(text), &f, &error);
    if (!status) bough_fabric_fini(&f);
    if (status == BOUGH_UNSUPPORTED) {
        assert_non_null(strstr(error.reason, "libxml2 was not there"));
        printf("bough was built without libxml2: GraphML is not read\n");
    }
    return status == BOUGH_UNSUPPORTED;
}

static void refused(const char *text, const char *place, const char *reason) {
    bough_fabric f;
    bough_error error = {0};
    if (bough_fabric_parse("f", text, strlen(text), &f, &error) != BOUGH_INVALID)
        fail_msg("was taken: %s", text);
    if (!strstr(error.reason, reason) || strcmp(error.place, place) != 0)
        fail_msg("'%s: %s', not '%s: %s'", error.place, error.reason, place, reason);
}

static void wrong_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *place, *reason;
    } bad[] = {
        {"<graphml>\n<graph>\n<node id='a'", "f:3", "is no well-formed XML in UTF-8"},
        {"<graphml>\n<graph></graphml>", "f:2", "is no well-formed XML in UTF-8"},
        {G("<node id='\xff'/>"), "f:3", "is no well-formed XML in UTF-8"},
        {G("<node id='&unknown;'/>"), "f:3", "is no well-formed XML in UTF-8"},
        {"<?xml version='1.0'?>\n<!DOCTYPE graphml SYSTEM 'http://x/y.dtd'>\n" G(""), "f:2",
         "has a document type"},
        {"<?xml version='1.0'?>\n<!DOCTYPE g [<!ENTITY a 'b'>]>\n" G("<node id='&a;'/>"), "f:2",
         "has a document type"},
        {"<?xml version='1.0'?><svg/>", "f:1", "is not a fabric file, but XML of another kind"},
        {G("<node/>"), "f:3", "a node has no id"},
        {G("<node id='a'/><edge source='a'/>"), "f:3", "an edge has no target"},
        {G("<node id='a'/><edge source='a' target='b'/>"), "f", "link 1 has no target among the ids"},
        {G("<node id='a'/><node id='a'/>"), "f", "two nodes have the name a"},
        {G("<node id='a'><graph><node id='b'/></graph></node>"), "f:3", "a group of nodes"},
        {G("<node id='a'><node id='b'/></node>"), "f:3", "within another"},
        {G("<node id='a'/><hyperedge/>"), "f:3", "has a hyperedge"},
        {G("<node id='a'/><node id='b'/><edge directed='true' source='a' target='b'/>"), "f:3", "are mixed"},
        {"<graphml><key id='k' for='node' attr.name='kind'/><graph>\n<node id='a'><data "
         "key='k'>hub</data></node></graph></graphml>",
         "f", "kind 'hub' is not host or switch"},
        {"<graphml><key id='k' for='edge' attr.name='rate'/><graph><node id='a'/><node id='b'/><edge "
         "source='a' target='b'><data key='k'>nan</data></edge></graph></graphml>",
         "f", "the rate of a link"},
        {"<graphml><key id='k' for='edge' attr.name='rate'/><key id='k' for='all' "
         "attr.name='kind'/></graphml>",
         "f:1", "that of another key"},
        {"<graphml><graph edgedefault='directed'><node id='a'/><node id='b'/><edge source='a' "
         "target='b'/></graph></graphml>",
         "f", "has not as many links"},
        {"<graphml/>", "f", "is read as graphml, but contains no nodes"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) refused(bad[i].text, bad[i].place, bad[i].reason);
}

/* Many keys, a long value, elements within elements. */
static void sizes_are_limited(void **state) {
    (void)state;
    bough_text keys = {0}, value = {0}, deep = {0};
    bough_text_put(&keys, "<graphml>");
    for (int i = 0; i < 33; i++) bough_text_printf(&keys, "<key id='%d' for='node' attr.name='name'/>", i);
    bough_text_put(&keys, "</graphml>");
    refused(keys.data, "f:1", "more than 32 keys");
    bough_text_put(&value,
                   "<graphml><key id='k' for='node' attr.name='name'/><graph><node id='a'><data key='k'>");
    for (int i = 0; i < 4097; i++) bough_text_put(&value, "x");
    bough_text_put(&value, "</data></node></graph></graphml>");
    refused(value.data, "f:1", "more than 4096 bytes");
    bough_text_put(&deep, "<graphml>");
    for (int i = 0; i < 101; i++) bough_text_put(&deep, "<x>");
    refused(deep.data, "f:1", "within 100 others");
    deep.length = 0;
    bough_text_put(&deep, "<graphml>\n<!--");
    for (int i = 0; i < 2000; i++) bough_text_put(&deep, "=");
    bough_text_put(&deep, "-->\n<graph>\n<node id='>");
    for (int i = 0; i < 1000; i++) bough_text_printf(&deep, "='\n a%d='", i);
    bough_text_put(&deep, "'/></graph></graphml>");
    refused(deep.data, "f:4", "an element has more than 1000 attributes");
    bough_text_fini(&keys);
    bough_text_fini(&value);
    bough_text_fini(&deep);
}

static void has(const char *text, uint64_t endpoints, uint64_t switches, const char *first) {
    bough_fabric f;
    bough_net *net = NULL;
    bough_error error = {0};
    char name[100];
    if (bough_fabric_parse("f", text, strlen(text), &f, &error) ||
        bough_net_from_fabric(&f, NULL, "f", &net, &error))
        fail_msg("%s: %s", error.place, error.reason);
    assert_int_equal(net->endpoints, endpoints);
    assert_int_equal(net->switches, switches);
    assert_string_equal(bough_node_name(net, 0, name, sizeof name), first);
    bough_net_destroy(net);
}

/* A star; a byte order mark; defaults of keys; a value in CDATA; keys that do not count, with defaults. */
static void small_graphs(void **state) {
    (void)state;
    static const char star[] = G("<node id='h1'/><node id='h2'/><node id='s'/>"
                                 "<edge source='h1' target='s'/><edge source='s' target='h2'/>");
    has(star, 2, 1, "h1");
    char marked[sizeof star + 64];
    snprintf(marked, sizeof marked, "\xef\xbb\xbf<?xml version='1.0' encoding='UTF-8'?><!-- x -->%s", star);
    has(marked, 2, 1, "h1");
    has("<graphml><key id='n' for='node' attr.name='name'/><key id='k' for='node' attr.name='kind'>"
        "<default>host</default></key><key id='c' for='node' attr.name='colour'><default>switch</default>"
        "</key><graph><node id='0'><data key='n'><![CDATA[a<b]]></data></node><node id='1'/>"
        "<node id='2'><data key='k'> switch\n</data></node>"
        "<edge source='0' target='2'/><edge source='1' target='2'/></graph></graphml>",
        2, 1, "1"); /* 1 before a<b */
}

/* As in the Topology Zoo: labels that several nodes have, and rates in bit/s. */
static void labels_and_rates(void **state) {
    (void)state;
    static const char text[] =
        "<graphml><key id='l' for='node' attr.name='label'/><key id='r' for='edge' "
        "attr.name='LinkSpeedRaw'/><graph>"
        "<node id='0'><data key='l'>None</data></node><node id='1'><data key='l'>None</data></node>"
        "<node id='2'><data key='l'>Oslo</data></node><edge source='0' target='2'><data "
        "key='r'>10000000000.0</data>"
        "</edge><edge source='1' target='2'/></graph></graphml>";
    bough_fabric f;
    bough_error error = {0};
    assert_int_equal(bough_fabric_parse("f", text, strlen(text), &f, &error), BOUGH_OK);
    assert_int_equal(f.node_count, 3);
    assert_string_equal(f.node[0].description, "None");
    assert_string_equal(f.node[1].description, "None (1)");
    assert_string_equal(f.node[2].description, "Oslo");
    assert_true(f.port[0].rate == UINT64_C(10000000000) && f.port[1].rate == 0);
    bough_fabric_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(sizes_are_limited),
        cmocka_unit_test(small_graphs),
        cmocka_unit_test(labels_and_rates),
    };
    return is_read(NULL) ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
