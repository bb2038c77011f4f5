/* Fabric files: bad ones first, then small ones checked by hand. */
#include "support/fabric_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Two switches, two cables between them, an adapter with two ports, a router. Written as ibnetdiscover does.
 */
static const char small[] =
    "#\n"
    "# Topology file: generated on Fri Nov 20 19:18:55 2026\n"
    "#\n"
    "\n"
    "vendid=0x2c9\n"
    "devid=0xbd36\n"
    "sysimgguid=0xa3\n"
    "switchguid=0xa0(a0)\n"
    "Switch\t8 \"S-00000000000000a0\"\t\t# \"leaf # \"1\"; x\" enhanced port 0 lid 5 lmc 0\n"
    "[1]\t\"H-0000000000000b00\"[1](b01) \t\t# \"node7 HCA-1\" lid 8 4xEDR\n"
    "[2]\t\"H-0000000000000b00\"[2](b02) \t\t# \"node7 HCA-1\" lid 9 4xFDR10\n"
    "[7]\t\"S-00000000000000c0\"[3]\t\t# \"spine\" lid 6 4xHDR\n"
    "[8]\t\"S-00000000000000c0\"[4]\t\t# \"spine\" lid 6 12xFDR\n"
    "\n"
    "switchguid=0xc0(c0)\n"
    "Switch\t4 \"S-00000000000000c0\"\t\t# \"spine\" base port 0 lid 6 lmc 0\n"
    "[3]\t\"S-00000000000000a0\"[7]\t\t# \"leaf # \"1\"; x\" lid 5 4xHDR\n"
    "[4]\t\"S-00000000000000a0\"[8]\t\t# \"leaf # \"1\"; x\" lid 5 12xFDR\n"
    "[1]\t\"R-0000000000000d00\"[1](d01) \t\t# \"gate\" lid 7 1xSDR\n"
    "\n"
    "caguid=0xb00\n"
    "Ca\t2 \"H-0000000000000b00\"\t\t# \"node7 HCA-1\"\n"
    "[1](b01) \t\"S-00000000000000a0\"[1]\t\t# lid 8 lmc 0 \"leaf # \"1\"; x\" lid 5 4xEDR\n"
    "[2](b02) \t\"S-00000000000000a0\"[2]\t\t# lid 9 lmc 0 \"leaf # \"1\"; x\" lid 5 4xFDR10\n"
    "\n"
    "rtguid=0xd00\n"
    "Rt\t1 \"R-0000000000000d00\"\t\t# \"gate\"\n"
    "[1](d01) \t\"S-00000000000000c0\"[1]\t\t# lid 7 lmc 0 \"spine\" lid 6 1xSDR\n";

static bough_status parse(const char *text, size_t size, bough_fabric *fabric, bough_error *error) {
    return bough_fabric_parse("f", text, size, fabric, error);
}

/* ---- what is refused ---- */

static void refuses(void **state) {
    (void)state;
    static const struct {
        const char *text, *place, *reason;
    } cases[] = {
        {"", "f", "is empty"},
        {"\n\n# nothing\n", "f", "is empty"},
        {"hello\n", "f:1",
         "is not a fabric file; expected output of ibnetdiscover (plain or -p) or iblinkinfo, "
         "ibdiagnet2.db_csv"},
        {"# x\nS-00a0\n", "f:2", "is not a fabric file"},
        {"hello\n", "f:1", "or another format that `bough list formats` prints"},
        {"Unicast lids [0x0-0x9] of switch Lid 1 guid 0xa0 (A):\n", "f:1",
         "is not a fabric file, but a forwarding table; expected a fabric, and the table by --lft"},
        {"Errors for 0xa0 \"A\"\n", "f:1", "is not a fabric file, but counters of ports"},
        {"graph [\n  node [ id 0 ]\n]\n", "f:1",
         "is not a fabric file, but a graph in GML; expected GraphML"},
        {"<html/>\n", "f:1", "is not a fabric file, but XML of another kind"},
        {"foo: 1\nbar: [2]\n", "f:1", "is not a fabric file, but YAML of another kind"},
        {"name,ip\nn1,10.0.0.1\n", "f:1",
         "is not a fabric file, but a table whose columns do not name both ends"},
        {"Hello, world\n", "f:1", "is not a fabric file; expected output of ibnetdiscover"},
        {"Switch: guid 0x1\n", "f:1", "is not a fabric file"},
        {"Switch\t : 0x1 ports 36 \"x\"\n", "f:1", "is not a fabric file"},
        {"vendid=0x2c9\n", "f:1", "within a node"},
        {"Switch\t99999999999999999999999 \"S-00000000000000a0\"\n", "f:1", "number of ports"},
        {"Switch\t300 \"S-00000000000000a0\"\n", "f:1", "number of ports"},
        {"Switch\t8 \"S-zz\"\n", "f:1", "GUID"},
        {"Switch\t8 \"S-00000000000000a00\"\n", "f:1", "GUID"},
        {"Switch\t8 \"H-00000000000000a0\"\n", "f:1", "letter"},
        {"Switch\t8 Sw1\n", "f:1", "expected a quoted node name"},
        {"Switch\t8 \"S-00000000000000a0\" # \"A\n", "f:1", "text in quotes"},
        {"Switch\t8 \"S-00000000000000a0\" # \"A\" lid 49152 lmc 0\n", "f:1", "LID 49152 is too large"},
        {"Switch\t8 \"S-00000000000000a0\" # \"A\" lid x\n", "f:1", "expected a number"},
        {"Switch\t8 \"S-00000000000000a0\" # \"A\" lid 1 lmc 8\n", "f:1", "lmc"},
        {"Switch\t8 \"S-00000000000000a0\" # \"A\" nonsense\n", "f:1", "unexpected \"nonsense\""},
        {"Switch\t8 \"S-00000000000000a0\" x\n", "f:1", "unexpected text"},
        {"vendid=0x1\n[1]\t\"S-00000000000000a0\"[1]\n", "f:2", "before the first node"},
        {SWITCH_A TO_B(0, 1), "f:2", "port 0 does not exist"},
        {SWITCH_A TO_B(255, 1), "f:2", "port 255 does not exist"},
        {SWITCH_A TO_B(1, 0), "f:2", "port 0 does not exist"},
        {SWITCH_A TO_B(1, 340282366920938463463374607431768211456), "f:2", "does not exist"},
        {SWITCH_A TO_B(x, 1), "f:2", "invalid port number"},
        {SWITCH_A "[1\n", "f:2", "port number"},
        {SWITCH_A "[1][ext 5\t\"S-00000000000000b0\"[2]\n", "f:2", "external"},
        {SWITCH_A "[1](xyz)\t\"S-00000000000000b0\"[2]\n", "f:2", "port GUID"},
        {SWITCH_A "[1]\t\"S-00000000000000b0\"[2] garbage\n", "f:2", "unexpected text"},
        {SWITCH_A "[1]\t\"S-00000000000000b0\"[2] # no quotes\n", "f:2", "unexpected \""},
        {SWITCH_A "[1]\t\"S-00000000000000b0\"[2] # lid 1\n", "f:2", "description"},
        {SWITCH_A "garbage\n", "f:2", "expected a line of ibnetdiscover"},
        {SWITCH_A HOST_CA, "f:2", "expected a line of ibnetdiscover"},
        {SWITCH_A "[1]\t\"S-00000000000000b0\"[2]\t\t# \"B\" lid 2 4xQ", "f:2", "the file ends within"},
        {HOST_CA "garbage\n", "f:2", "expected a line of ibnetdiscover -p"},
        {HOST_CA "CA x\n", "f:2", "invalid LID"},
        {HOST_CA "CA 70000 1\n", "f:2", "LID 70000 is too large"},
        {HOST_CA "CA 7 x\n", "f:2", "invalid port number"},
        {HOST_CA "CA 7 0 0x1 4x QDR 'x'\n", "f:2", "port 0 does not exist"},
        {HOST_CA "CA 7 255 0x1 4x QDR 'x'\n", "f:2", "port 255 does not exist"},
        {HOST_CA "CA 7 1 0x11223344556677889 4x QDR 'x'\n", "f:2", "GUID"},
        {HOST_CA "CA 7 1 0x1\n", "f:2", "width and speed"},
        {HOST_CA "CA 7 1 0x1 4x QDR\n", "f:2", "expected \"- \""},
        {HOST_CA "CA 7 1 0x1 4x QDR 'x' y\n", "f:2", "unexpected text"},
        {HOST_CA "CA 7 1 0x1 4x QDR - SW 1 1 0x1 'x'\n", "f:2", "descriptions"},
        {HOST_CA "CA 7 1 0x1 4x QDR - SW 1 1 0x1 ( 'x' )\n", "f:2", "descriptions"},
        {HOST_CA "CA 7 1 0x1 4x QDR - ?? 1 1 0x1 ( 'x' - 'y' )\n", "f:2", "CA, SW or RT"},
        {HOST_CA "SW 7 1 0x1 4x QDR - SW 1 1 0x1 ( 'x' - 'y", "f:2", "the file ends within"},
        {"digraph x\n", "f:2", "digraph {"},
        {"digraph {\n", "f:2", "closing brace"},
        {"digraph {\n}\n", "f", "is read as orcs, but contains no nodes"},
        {"digraph {\n H1 -> S1\n", "f:3", "closing brace"},
        {"digraph {\n H1 -> S1 [comment=\"*\n}\n", "f:2", "unterminated quoted text"},
        {"digraph {\n H1 -> S1 [comment\"*\"]\n}\n", "f:2", "attributes"},
        {"digraph {\n H0 -> S1\n}\n", "f:2", "\"H0\" is not a node"},
        {"digraph {\n H49152 -> S1\n}\n", "f:2", "\"H49152\" is not a node"},
        {"digraph {\n\n H1 -> Sx\n}\n", "f:3", "\"Sx\" is not a node"},
        {"digraph {\n H1 -> S99999999999999999999\n}\n", "f:2", "is not a node"},
        {"digraph {\n H1 -> H2\n}\n", "f:2", "between two hosts"},
        {"digraph {\n S1 -> S1\n}\n", "f:2", "to itself"},
        {"digraph {\n H1 S1\n}\n", "f:2", "expected a cable"},
        {"digraph {\n -> S1\n}\n", "f:2", "expected a cable"},
        {"digraph {\n H1 -> S1\n} x\n", "f:3", "unexpected text after"},
        {"digraph {\n H1 -> S1\n S1 -> H1 [comment=\"H1 and H2\"]\n}\n", "f:3", "list of hosts"},
        {"digraph {\n H1 -> S1\n S1 -> H1 [comment=\"H123456\"]\n}\n", "f:3", "list of hosts"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        bough_fabric fabric;
        bough_error error = {0};
        bough_status status = parse(cases[i].text, strlen(cases[i].text), &fabric, &error);
        if (status != BOUGH_INVALID || strcmp(error.place, cases[i].place) ||
            !strstr(error.reason, cases[i].reason))
            fail_msg("case %zu (%s): status %d, %s: %s", i, cases[i].text, status, error.place, error.reason);
        assert_int_equal(error.status, BOUGH_INVALID);
        assert_null(fabric.node);
        bough_fabric_fini(&fabric);
    }
}

static void refuses_binary(void **state) {
    (void)state;
    bough_fabric fabric;
    bough_error error = {0};
    static const char nul[] = SWITCH_A "[1]\t\"S-0000\0"
                                       "0\"[1]\n";
    assert_int_equal(parse(nul, sizeof nul - 1, &fabric, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "f:2");
    assert_non_null(strstr(error.reason, "NUL"));
    unsigned char noise[4096];
    uint32_t x = 12345;
    for (size_t i = 0; i < sizeof noise; i++) {
        x = x * 1664525 + 1013904223;
        noise[i] = (unsigned char)(x >> 24 ? x >> 24 : 1);
    }
    assert_int_equal(parse((const char *)noise, sizeof noise, &fabric, &error), BOUGH_INVALID);
    assert_null(strchr(error.reason, '\n'));
    /* without an error value too */
    assert_int_equal(parse("x", 1, &fabric, NULL), BOUGH_INVALID);
    bough_fabric_fini(NULL);
}

/* A file that ends within a line is refused with that line's number; one that ends between lines is not seen.
 */
static void refuses_cut(void **state) {
    (void)state;
    static const char *const ends[] = {
        "\n",    "4xEDR",      "4xFDR10",           "4xFDR", "4xHDR", "12xFDR",
        "1xSDR", "# \"gate\"", "# \"node7 HCA-1\"", "lmc 0", " # \"", " # \"1\""};
    for (size_t size = (size_t)(strstr(small, "vendid") - small) + 1; size < sizeof small - 1; size++) {
        bough_fabric fabric;
        bough_error error = {0};
        uint32_t line = 1;
        for (size_t i = 0; i < size - 1; i++) line += small[i] == '\n';
        bough_status status = parse(small, size, &fabric, &error);
        bool whole = false;
        for (size_t e = 0; e < COUNT(ends); e++)
            whole |=
                size > strlen(ends[e]) && !memcmp(small + size - strlen(ends[e]), ends[e], strlen(ends[e]));
        if (whole) { /* lines that could be all there is, but for the identifiers before a node */
            bough_fabric_fini(&fabric);
            continue;
        }
        char place[32];
        snprintf(place, sizeof place, "f:%u", line);
        if (status != BOUGH_INVALID || strcmp(error.place, place))
            fail_msg("cut after %zu bytes: status %d %s: %s", size, status, error.place, error.reason);
    }
}

static void refuses_cut_ports(void **state) {
    (void)state;
    static const char text[] =
        "SW     1  2 0x00000000000000a0 4x QDR                                    'it is A'\n"
        "SW     1  1 0x00000000000000a0 4x QDR - CA    11  1 0x0000000000000101 ( 'it is A' - 'n1 mlx4_0' )\n"
        "CA    11  1 0x0000000000000101 4x QDR - SW     1  1 0x00000000000000a0 ( 'n1 mlx4_0' - 'it is A' "
        ")\n";
    uint32_t line = 1;
    for (size_t size = 5; size < sizeof text; size++) {
        bough_fabric fabric;
        bough_error error = {0};
        char place[32];
        snprintf(place, sizeof place, "f:%u", line);
        bough_status status = parse(text, size, &fabric, &error);
        bough_fabric_fini(&fabric);
        line += text[size - 1] == '\n';
        if (text[size] == '\n' || text[size - 1] == '\n') continue; /* the line is whole */
        if (status != BOUGH_INVALID || strcmp(error.place, place))
            fail_msg("cut after %zu bytes: status %d %s: %s", size, status, error.place, error.reason);
    }
}

static void refuses_missing_file(void **state) {
    (void)state;
    bough_fabric fabric;
    bough_error error = {0};
    assert_int_equal(
        bough_fabric_read_file(&(bough_fabric_file){"/nonexistent/x.ibnetdiscover"}, &fabric, &error),
        BOUGH_INVALID);
    assert_string_equal(error.place, "/nonexistent/x.ibnetdiscover");
    assert_int_equal(
        bough_fabric_read_file(&(bough_fabric_file){SOURCE_DIR "/src/formats/counters"}, &fabric, &error),
        BOUGH_INVALID);
    assert_non_null(
        strstr(error.reason, "contains no fabric file; there are perfquery_output.c, pm_info.c, "));
}

/* A long name keeps its line number. */
static void long_name(void **state) {
    (void)state;
    bough_fabric fabric;
    bough_error error = {0};
    char name[600];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(bough_fabric_parse(name, "\nx\n", 3, &fabric, &error), BOUGH_INVALID);
    assert_string_equal(error.place + strlen(error.place) - 2, ":2");
}

/* ---- names ---- */

/* Two systems with one name keep their descriptions; the first unit is not said. */
static void managed_switches_have_short_names(void **state) {
    (void)state;
    static const char text[] = "Switch 2 \"S-01\" # \"MF0;rack#1:MSB7700/U1\" base port 0 lid 1 lmc 0\n"
                               "Switch 2 \"S-02\" # \"MF0;dir:CS7500/L01/U1\" base port 0 lid 2 lmc 0\n"
                               "Switch 2 \"S-03\" # \"MF0;dir:CS7500/L02/U1\" base port 0 lid 3 lmc 0\n"
                               "Switch 2 \"S-04\" # \"MF0;twin:MSB7700/U1\" base port 0 lid 4 lmc 0\n"
                               "Switch 2 \"S-05\" # \"MF0;twin:MSB7800/U1\" base port 0 lid 5 lmc 0\n"
                               "Switch 2 \"S-06\" # \"MF0;:MSB7700/U1\" base port 0 lid 6 lmc 0\n"
                               "Switch 2 \"S-07\" # \"MF0;odd\" base port 0 lid 7 lmc 0\n";
    static const char *const name[] = {
        "rack#1",          "dir/L01/U1", "dir/L02/U1", "MF0;twin:MSB7700/U1", "MF0;twin:MSB7800/U1",
        "MF0;:MSB7700/U1", "MF0;odd"};
    bough_fabric f;
    bough_error error;
    assert_int_equal(bough_fabric_parse("f", text, strlen(text), &f, &error), BOUGH_OK);
    assert_int_equal(f.node_count, 7);
    for (uint32_t i = 0; i < f.node_count; i++) assert_string_equal(f.node[i].name, name[i]);
    assert_string_equal(f.node[0].description, "MF0;rack#1:MSB7700/U1");
    bough_fabric_fini(&f);
}

/* ---- small fabrics ---- */

static void check_small(const bough_fabric *f) {
    assert_string_equal(f->format, "ibnetdiscover");
    assert_null(f->tables);
    assert_int_equal(f->node_count, 4);
    assert_int_equal(f->port_count, 10);
    assert_int_equal(f->findings.count, 0);
    const bough_fabric_node *n = f->node;
    assert_int_equal(n[0].kind, BOUGH_FABRIC_SWITCH);
    assert_int_equal(n[0].guid, 0xa0);
    assert_string_equal(n[0].description, "leaf # \"1\"; x");
    assert_string_equal(n[0].name, "leaf # \"1\"; x");
    assert_int_equal(n[0].lid, 5);
    assert_int_equal(n[0].ports_declared, 8);
    assert_int_equal(n[1].lid, 6);
    assert_int_equal(n[1].ports_declared, 4);
    assert_int_equal(n[2].kind, BOUGH_FABRIC_ADAPTER);
    assert_int_equal(n[2].guid, 0xb00);
    assert_string_equal(n[2].description, "node7 HCA-1");
    assert_string_equal(n[2].name, "node7");
    assert_int_equal(n[2].lid, 0);
    assert_false(n[2].aggregation);
    assert_int_equal(n[3].kind, BOUGH_FABRIC_ROUTER);
    assert_string_equal(n[3].name, "gate");
    /* node, port, peer node, peer port, LID, GUID, width, rate */
    static const struct {
        uint32_t node, number, peer, peer_number, lid;
        uint64_t guid;
        uint16_t width;
        const char *speed;
        uint64_t rate;
    } ports[] = {
        {0, 1, 2, 1, 0, 0, 4, "EDR", UINT64_C(100000000000)},
        {0, 2, 2, 2, 0, 0, 4, "FDR10", UINT64_C(40000000000)},
        {0, 7, 1, 3, 0, 0, 4, "HDR", UINT64_C(200000000000)},
        {0, 8, 1, 4, 0, 0, 12, "FDR", UINT64_C(163636363632)},
        {1, 1, 3, 1, 0, 0, 1, "SDR", UINT64_C(2000000000)},
        {1, 3, 0, 7, 0, 0, 4, "HDR", UINT64_C(200000000000)},
        {1, 4, 0, 8, 0, 0, 12, "FDR", UINT64_C(163636363632)},
        {2, 1, 0, 1, 8, 0xb01, 4, "EDR", UINT64_C(100000000000)},
        {2, 2, 0, 2, 9, 0xb02, 4, "FDR10", UINT64_C(40000000000)},
        {3, 1, 1, 1, 7, 0xd01, 1, "SDR", UINT64_C(2000000000)},
    };
    for (uint32_t i = 0; i < COUNT(ports); i++) {
        const bough_fabric_port *p = &f->port[i], *q = &f->port[p->peer];
        assert_int_equal(p->node, ports[i].node);
        assert_int_equal(p->number, ports[i].number);
        assert_int_equal(q->node, ports[i].peer);
        assert_int_equal(q->number, ports[i].peer_number);
        assert_int_equal(p->lid, ports[i].lid);
        assert_int_equal(p->guid, ports[i].guid);
        assert_int_equal(p->width, ports[i].width);
        assert_string_equal(p->speed, ports[i].speed);
        assert_int_equal(p->rate, ports[i].rate);
    }
    fabric_check_shape(f);
}

static void plain(void **state) {
    (void)state;
    bough_fabric f;
    fabric_good(small, &f);
    check_small(&f);
    assert_string_equal(f.source, "f");
    uint32_t first, count;
    bough_fabric_ports(&f, 1, &first, &count);
    assert_int_equal(first, 4);
    assert_int_equal(count, 3);
    bough_fabric_ports(&f, 17, &first, &count);
    assert_int_equal(count, 0);
    assert_int_equal(bough_fabric_port_find(&f, 0, 3), BOUGH_NO_INDEX);
    assert_int_equal(bough_fabric_port_find(&f, 9, 1), BOUGH_NO_INDEX);
    bough_fabric_fini(&f);
    bough_fabric_fini(&f);
}

/* CRLF, no line end at the end, and progress and warnings of the tool between the lines change nothing. */
static void plain_variants(void **state) {
    (void)state;
    char text[2 * sizeof small + 200];
    bough_fabric f, g;
    bough_error error = {0};
    size_t n = 0;
    for (const char *c = small; *c; c++) {
        if (*c == '\n') text[n++] = '\r';
        text[n++] = *c;
    }
    assert_int_equal(parse(text, n, &f, &error), BOUGH_OK);
    check_small(&f);
    bough_fabric_fini(&f);
    assert_int_equal(parse(small, sizeof small - 2, &f, &error), BOUGH_OK);
    check_small(&f);
    fabric_good(small, &g);
    assert_true(g.hash != f.hash && g.hash != 0);
    bough_fabric_fini(&f);
    bough_fabric_fini(&g);
    snprintf(text, sizeof text,
             "ibwarn: [1] mad_rpc: _do_madrpc failed\nDR path slid 0; dlid 0; 0 -> new\n%s", small);
    fabric_good(text, &f);
    assert_int_equal(f.findings.count, 1);
    assert_int_equal(fabric_findings(&f, "tool-message", BOUGH_INFO), 1);
    assert_int_equal(f.node_count, 4);
    bough_fabric_fini(&f);
}

/* ibnetdiscover -g: chassis titles, external ports, switches of a chassis twice. */
static void grouped(void **state) {
    (void)state;
    static const char text[] =
        "#\n\nChassis 1 (guid 0xfe)\n\n# Spine Nodes\nvendid=0x2c9\n"
        "sysimgguid=0xa3\t\t# Chassis 1\nswitchguid=0xa0(a0)\t# Spine 1 Chip 1\n" SWITCH_A
        "[1][ext 3]\t\"S-00000000000000b0\"[2][ext 4]\t\t# \"B\" lid 2 4xQDR s=4 w=2 v=4\n"
        "\n# Chassis Switches\nvendid=0x2c9\n" SWITCH_A TO_B(1, 2) "\nNon-Chassis Nodes\n\n" SWITCH_B TO_A(
            2, 1) "\nCa\t1 \"H-0000000000000001\"\t\t# \"n1\" (scp)\n"
                  "[1](2) \t\"H-0000000000000003\"[1] (4) \t\t# lid 4 lmc 0 \"n2\" lid 5 4xQDR\n"
                  "Ca\t1 \"H-0000000000000003\"\t\t# \"n2\"\n"
                  "[1](4) \t\"H-0000000000000001\"[1] (2) \t\t# lid 5 lmc 0 \"n1\" lid 4 4xQDR\n";
    bough_fabric f;
    fabric_good(text, &f);
    assert_int_equal(f.node_count, 4);
    assert_int_equal(f.port_count, 4);
    assert_int_equal(f.findings.count, 1);
    assert_int_equal(fabric_findings(&f, "duplicate-node", BOUGH_INFO), 1);
    assert_int_equal(fabric_port(&f, 0, 1)->peer, bough_fabric_port_find(&f, 1, 2));
    assert_int_equal(fabric_port(&f, 2, 1)->peer, bough_fabric_port_find(&f, 3, 1));
    fabric_check_shape(&f);
    bough_fabric_fini(&f);
}

/* ibnetdiscover -p, with a port that has no cable, an adapter of two ports, and quotes in descriptions. */
static void ports_list(void **state) {
    (void)state;
    static const char text[] =
        "DR path slid 0; dlid 0; 0 -> new Channel Adapter {0000000000000100} portnum 1 lid 0-0 \"\"\n"
        "CA    12  2 0x0000000000000102 4x QDR - SW     1  2 0x00000000000000a0 ( 'n1 mlx4_0' - 'it's A' )\n"
        "CA    11  1 0x0000000000000101 4x QDR - SW     1  1 0x00000000000000a0 ( 'n1 mlx4_0' - 'it's A' )\n"
        "SW     1  4 0x00000000000000a0 4x ???                                    'it's A'\n"
        "SW     1  3 0x00000000000000a0 8x DDR - CA    13  1 0x0000000000000901 ( 'it's A' - 'n2' )\n"
        "SW     1  2 0x00000000000000a0 4x QDR - CA    12  2 0x0000000000000102 ( 'it's A' - 'n1 mlx4_0' )\n"
        "SW     1  1 0x00000000000000a0 4x QDR - CA    11  1 0x0000000000000101 ( 'it's A' - 'n1 mlx4_0' )\n"
        "CA    13  1 0x0000000000000901 8x DDR - SW     1  3 0x00000000000000a0 ( 'n2' - 'it's A' )\n";
    bough_fabric f;
    fabric_good(text, &f);
    assert_string_equal(f.format, "ibnetdiscover -p");
    assert_int_equal(f.findings.count, 1);
    assert_int_equal(fabric_findings(&f, "tool-message", BOUGH_INFO), 1);
    assert_int_equal(f.node_count, 3);
    assert_int_equal(f.port_count, 7);
    assert_string_equal(f.node[0].name, "n1");
    assert_int_equal(f.node[0].guid, 0x101); /* of its lowest port: the file has no node GUIDs */
    assert_int_equal(f.node[0].ports_declared, 2);
    assert_string_equal(f.node[1].name, "it's A");
    assert_int_equal(f.node[1].guid, 0xa0);
    assert_int_equal(f.node[1].lid, 1);
    assert_int_equal(f.node[1].ports_declared, 4);
    assert_int_equal(fabric_port(&f, 0, 2)->lid, 12);
    assert_int_equal(fabric_port(&f, 0, 2)->guid, 0x102);
    assert_int_equal(fabric_port(&f, 0, 2)->peer, bough_fabric_port_find(&f, 1, 2));
    assert_int_equal(fabric_port(&f, 1, 4)->peer, BOUGH_NO_INDEX);
    assert_int_equal(fabric_port(&f, 1, 4)->rate, 0);
    assert_string_equal(fabric_port(&f, 1, 4)->speed, "");
    assert_int_equal(fabric_port(&f, 1, 3)->rate, UINT64_C(32000000000));
    assert_int_equal(fabric_port(&f, 1, 3)->width, 8);
    assert_int_equal(fabric_port(&f, 1, 3)->lid, 0);
    fabric_check_shape(&f);
    bough_fabric_fini(&f);
}

static void orcs(void **state) {
    (void)state;
    static const char text[] = "// a comment\ndigraph \"small\" {\n  node [shape=box];\n  rankdir = LR\n"
                               "  H1 -> S7 [hostname=\"alpha\", comment=\"*\"]\n"
                               "  H2 -> S7 [hostname=\"beta\", comment=\"*\"]\n"
                               "  S7 -> S9 [comment=\"H4\"]\n"
                               "  S7 -> S9 [comment=\"*\"];\n"
                               "  H4 -> S9 [comment=\"*\"]\n"
                               "  S7 -> H1 [comment=\"H1\"]\n"
                               "  S9 -> S7 [comment=\"H1, H2\"]\n"
                               "  \"S9\" -> S7 [comment=\"\"]\n"
                               "  S9 -> H5\n  H5 -> S9\n"
                               "  S7 -> H2\n  S9 -> H4\n}\n";
    bough_fabric f;
    fabric_good(text, &f);
    assert_string_equal(f.format, "orcs");
    for (size_t i = 0; i < f.findings.count; i++) fail_msg("%s", f.findings.item[i].text);
    assert_int_equal(f.node_count, 6);
    uint32_t alpha = fabric_node(&f, "alpha"), s7 = fabric_node(&f, "S7"), s9 = fabric_node(&f, "S9");
    uint32_t h4 = fabric_node(&f, "H4");
    assert_int_equal(f.node[alpha].guid, 1);
    assert_int_equal(f.node[s7].guid, 7);
    assert_int_equal(f.node[s7].lid, 0);
    assert_int_equal(f.node[s7].ports_declared, 4);
    /* S7: alpha 1, beta 2, S9 3 and 4; S9: S7 1 and 2, H4 3, H5 4 */
    assert_int_equal(fabric_port(&f, s7, 1)->peer, bough_fabric_port_find(&f, alpha, 1));
    assert_int_equal(fabric_port(&f, s7, 3)->peer, bough_fabric_port_find(&f, s9, 1));
    assert_int_equal(fabric_port(&f, s7, 4)->peer, bough_fabric_port_find(&f, s9, 2));
    assert_int_equal(fabric_port(&f, s9, 3)->peer, bough_fabric_port_find(&f, h4, 1));
    assert_int_equal(fabric_port(&f, alpha, 1)->lid, 1);
    assert_int_equal(fabric_port(&f, alpha, 1)->rate, 0);
    assert_non_null(f.tables);
    assert_int_equal(f.tables->nodes, 6);
    assert_int_equal(f.tables->lids, 6);
    assert_null(f.tables->port[alpha]);
    static const uint8_t row7[] = {255, 1, 2, 255, 3, 4}, row9[] = {255, 1, 1, 255, 3, 4};
    assert_memory_equal(f.tables->port[s7], row7, 6);
    assert_memory_equal(f.tables->port[s9], row9, 6);
    fabric_check_shape(&f);
    bough_fabric_fini(&f);
}

static void orcs_findings(void **state) {
    (void)state;
    bough_fabric f;
    fabric_good(
        "digraph {\nH1 -> S1\nS1 -> H1 [comment=\"H1, H9\"]\nS1 -> S2 [comment=\"H1\"]\nS3 -> H2\n}\n", &f);
    assert_int_equal(fabric_findings(&f, "one-sided-cable", BOUGH_WARN), 2);
    assert_int_equal(fabric_findings(&f, "absent-lid", BOUGH_WARN), 1);
    assert_string_equal(fabric_finding(&f, "absent-lid")->where, "f:3");
    assert_int_equal(fabric_findings(&f, "repeated-entry", BOUGH_WARN), 1);
    assert_int_equal(fabric_port(&f, fabric_node(&f, "H2"), 1)->lid, 2);
    fabric_check_shape(&f);
    bough_fabric_fini(&f);
    /* the 255th cable of a switch */
    char text[8192] = "digraph {\n";
    size_t n = strlen(text);
    for (int i = 1; i <= 255; i++) n += (size_t)snprintf(text + n, sizeof text - n, "H%d -> S1\n", i);
    snprintf(text + n, sizeof text - n, "}\n");
    bough_error error = {0};
    assert_int_equal(parse(text, strlen(text), &f, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "f:256");
}

/* ---- files ---- */

static void gzip(void **state) {
    (void)state;
    char path[] = "/tmp/bough-fabric-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    gzFile gz = gzdopen(file, "wb");
    assert_int_equal(gzwrite(gz, small, sizeof small - 1), sizeof small - 1);
    gzclose(gz);
    bough_fabric f, plain_one;
    bough_error error = {0};
    bough_status status = bough_fabric_read_file(&(bough_fabric_file){path}, &f, &error);
    unlink(path);
    assert_int_equal(status, BOUGH_OK);
    check_small(&f);
    assert_string_equal(f.source, path);
    fabric_good(small, &plain_one);
    assert_true(f.hash == plain_one.hash);
    bough_fabric_fini(&f);
    bough_fabric_fini(&plain_one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_binary),
        cmocka_unit_test(refuses_cut),
        cmocka_unit_test(refuses_cut_ports),
        cmocka_unit_test(refuses_missing_file),
        cmocka_unit_test(long_name),
        cmocka_unit_test(managed_switches_have_short_names),
        cmocka_unit_test(plain),
        cmocka_unit_test(plain_variants),
        cmocka_unit_test(grouped),
        cmocka_unit_test(ports_list),
        cmocka_unit_test(orcs),
        cmocka_unit_test(orcs_findings),
        cmocka_unit_test(gzip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
