/* Names of nodes by GUID (ib-node-name-map): what is refused, and what the nodes are called. */
#include "network/hosts.h"
#include "support/fabric_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "vendid=0x2c9\nswitchguid=0xa00(a00)\n"
                           "Switch\t4 \"S-0000000000000a00\"\t\t# \"MF0;x\" base port 0 lid 10 lmc 0\n"
                           "[1]\t\"H-0000000000000001\"[1](2) \t\t# \"host1 HCA-1\" lid 1 4xHDR\n"
                           "[2]\t\"H-0000000000000003\"[1](4) \t\t# \"host2 HCA-1\" lid 2 4xHDR\n\n"
                           "Ca\t1 \"H-0000000000000001\"\t\t# \"host1 HCA-1\"\n"
                           "[1](2) \t\"S-0000000000000a00\"[1]\t\t# lid 1 lmc 0 \"sw1\" lid 10 4xHDR\n"
                           "Ca\t1 \"H-0000000000000003\"\t\t# \"host2 HCA-1\"\n"
                           "[1](4) \t\"S-0000000000000a00\"[2]\t\t# lid 2 lmc 0 \"sw1\" lid 10 4xHDR\n";
static const char fabric_path[] = "node_names.ibnetdiscover", map_path[] = "node_names.map";

static void write_file(const char *path, const char *content) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static bough_status read_with(const char *map, bough_fabric *f, bough_error *error) {
    write_file(map_path, map);
    return bough_fabric_read_file(&(bough_fabric_file){.path = fabric_path, .names = map_path}, f, error);
}

static void wrong_maps_are_refused(void **state) {
    (void)state;
    static const fabric_bad bad[] = {
        {"0xa00\n", "node_names.map:1", "expected a GUID and a name in quotes"},
        {"# x\nleaf \"a\"\n", "node_names.map:2", "expected a GUID and a name in quotes"},
        {"0xa00 leaf\n", "node_names.map:1", "expected a GUID and a name in quotes"},
        {"0xa00 \"leaf\n", "node_names.map:1", "expected a name in quotes behind the GUID"},
        {"0xa00 \"\"\n", "node_names.map:1", "expected a name in quotes behind the GUID"},
        {"0xa00 \"a\" b\n", "node_names.map:1", "unexpected text behind the name"},
        {"0x10000000000000a00 \"a\"\n", "node_names.map:1", "expected a GUID"}};
    write_file(fabric_path, text);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bough_fabric f;
        bough_error error = {0};
        assert_int_equal(read_with(bad[i].text, &f, &error), BOUGH_INVALID);
        assert_string_equal(error.place, bad[i].place);
        assert_non_null(strstr(error.reason, bad[i].reason));
    }
    bough_fabric f;
    bough_error error = {0};
    write_file(fabric_path, "node,node\na,b\nc,b\n");
    assert_int_equal(read_with("0x1 \"a\"\n", &f, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "this file has no GUIDs"));
}

static void nodes_get_their_names(void **state) {
    (void)state;
    bough_fabric plain, f;
    bough_error error = {0};
    write_file(fabric_path, text);
    assert_int_equal(bough_fabric_read_file(&(bough_fabric_file){.path = fabric_path}, &plain, &error),
                     BOUGH_OK);
    assert_int_equal(read_with("# names\n\n0x0000000000000a00\t\"leaf 7\" # rack 3\n  0x3  \"gpu9 mlx5_0\"\n"
                               "0xfff \"gone\"",
                               &f, &error),
                     BOUGH_OK);
    assert_string_equal(plain.node[0].name, "MF0;x");
    assert_string_equal(f.node[0].name, "leaf 7");
    assert_string_equal(f.node[1].name, "host1");
    assert_string_equal(f.node[2].name, "gpu9");
    assert_int_equal(fabric_findings(&f, "names", BOUGH_INFO), 1);
    assert_true(f.hash != plain.hash);
    bough_fabric_fini(&plain);
    bough_fabric_fini(&f);
}

#define PORT(n, guid, name)                                                                                  \
    "CA  " #n "  1 0x000000000000000" guid " 4x HDR - SW    10  " #n " 0x0000000000000a00 ( '" name          \
    "' - 'sw' )\n"                                                                                           \
    "SW  10  " #n " 0x0000000000000a00 4x HDR - CA    " #n "  1 0x000000000000000" guid " ( 'sw' - '" name   \
    "' )\n"

/* Adapters of one host, some of which have its domain. */
static void hosts_with_and_without_a_domain(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t hosts;
    } cases[] = {{PORT(1, "1", "n1.x.org mlx5_0") PORT(2, "2", "n1 mlx5_1") PORT(3, "3", "n2 mlx5_0"), 2},
                 {PORT(1, "1", "n1.x mlx5_0") PORT(2, "2", "n1.x mlx5_1") PORT(3, "3", "n2 mlx5_0"), 2},
                 {PORT(1, "1", "n1.x mlx5_0") PORT(2, "2", "n1.y mlx5_1") PORT(3, "3", "n1 mlx5_0"), 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_net *net = fabric_net_from(cases[i].text, NULL);
        assert_int_equal(net->hosts->count, cases[i].hosts);
        bough_net_destroy(net);
    }
    bough_fabric f = fabric_from(cases[0].text);
    assert_string_equal(f.node[0].name, "n1/mlx5_0");
    bough_fabric_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_maps_are_refused),
        cmocka_unit_test(nodes_get_their_names),
        cmocka_unit_test(hosts_with_and_without_a_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
