/* Fabric files: bad ones first, then small ones checked by hand, then the recorded ones of shared/data. */
#include "bough/fabric.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
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

/* Lines to build other files of. */
#define SWITCH_A          "Switch\t8 \"S-00000000000000a0\"\t\t# \"A\" base port 0 lid 1 lmc 0\n"
#define SWITCH_B          "Switch\t8 \"S-00000000000000b0\"\t\t# \"B\" base port 0 lid 2 lmc 0\n"
#define SWITCH_C          "Switch\t8 \"S-00000000000000c0\"\t\t# \"C\" base port 0 lid 3 lmc 0\n"
#define TO_A(port, there) "[" #port "]\t\"S-00000000000000a0\"[" #there "]\t\t# \"A\" lid 1 4xQDR\n"
#define TO_B(port, there) "[" #port "]\t\"S-00000000000000b0\"[" #there "]\t\t# \"B\" lid 2 4xQDR\n"
#define TO_C(port, there) "[" #port "]\t\"S-00000000000000c0\"[" #there "]\t\t# \"C\" lid 3 4xQDR\n"
#define HOST_CA                                                                                              \
    "CA    11  1 0x0000000000000101 4x QDR - SW     1  1 0x00000000000000a0 ( 'n1 HCA-1' - 'A' )\n"

static bough_status parse(const char *text, size_t size, bough_fabric *fabric, bough_error *error) {
    return bough_fabric_parse("f", text, size, fabric, error);
}

static void good(const char *text, bough_fabric *fabric) {
    bough_error error = {0};
    if (parse(text, strlen(text), fabric, &error)) fail_msg("%s: %s", error.place, error.reason);
}

static size_t findings(const bough_fabric *fabric, const char *kind, bough_severity severity) {
    size_t n = 0;
    for (size_t i = 0; i < fabric->findings.count; i++) {
        const bough_finding *f = &fabric->findings.item[i];
        n += strcmp(f->kind, kind) == 0 && f->severity == severity;
    }
    return n;
}

static const bough_finding *finding(const bough_fabric *fabric, const char *kind) {
    for (size_t i = 0; i < fabric->findings.count; i++)
        if (strcmp(fabric->findings.item[i].kind, kind) == 0) return &fabric->findings.item[i];
    fail_msg("no finding %s", kind);
    return NULL;
}

static const bough_fabric_port *port(const bough_fabric *f, uint32_t node, uint32_t number) {
    uint32_t i = bough_fabric_port_find(f, node, number);
    if (i == BOUGH_NO_INDEX) fail_msg("no port %u of node %u", number, node);
    return &f->port[i];
}

static uint32_t node_named(const bough_fabric *f, const char *name) {
    for (uint32_t n = 0; n < f->node_count; n++)
        if (strcmp(f->node[n].name, name) == 0) return n;
    fail_msg("no node %s", name);
    return 0;
}

/* What holds of every fabric that could be read. */
static void check_shape(const bough_fabric *f) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bough_fabric_port *p = &f->port[i];
        assert_true(p->node < f->node_count && p->number >= 1 && p->number <= 254);
        if (i) assert_true(p[-1].node < p->node || (p[-1].node == p->node && p[-1].number < p->number));
        if (p->peer != BOUGH_NO_INDEX) {
            assert_true(p->peer < f->port_count && p->peer != i);
            assert_int_equal(f->port[p->peer].peer, i);
        }
        assert_int_equal(bough_fabric_port_find(f, p->node, p->number), i);
    }
    for (uint32_t n = 0; n < f->node_count; n++) {
        uint32_t first, count;
        bough_fabric_ports(f, n, &first, &count);
        assert_int_equal(first, total);
        total += count;
        assert_non_null(f->node[n].description);
        size_t length = strlen(f->node[n].name);
        assert_true(length > 0 && length < 96);
        assert_true(f->node[n].name[0] != ' ' && f->node[n].name[length - 1] != ' ');
        for (uint32_t m = 0; m < n && f->node_count < 500; m++)
            assert_string_not_equal(f->node[m].name, f->node[n].name);
    }
    assert_int_equal(total, f->port_count);
}

/* ---- what is refused ---- */

static void refuses(void **state) {
    (void)state;
    static const struct {
        const char *text, *place, *reason;
    } cases[] = {
        {"", "f", "holds nothing"},
        {"\n\n# nothing\n", "f", "holds nothing"},
        {"hello\n", "f:1",
         "is not a fabric file; expected ibnetdiscover output (plain or -p), an ORCS dot file"},
        {"# x\nS-00a0\n", "f:2", "is not a fabric file"},
        {"Switch: guid 0x1\n", "f:1", "is not a fabric file"},
        {"Switch\t : 0x1 ports 36 \"x\"\n", "f:1", "is not a fabric file"},
        {"vendid=0x2c9\n", "f:1", "in the middle of a node"},
        {"Switch\t99999999999999999999999 \"S-00000000000000a0\"\n", "f:1", "number of ports"},
        {"Switch\t300 \"S-00000000000000a0\"\n", "f:1", "number of ports"},
        {"Switch\t8 \"S-zz\"\n", "f:1", "GUID"},
        {"Switch\t8 \"S-00000000000000a00\"\n", "f:1", "GUID"},
        {"Switch\t8 \"H-00000000000000a0\"\n", "f:1", "letter"},
        {"Switch\t8 Sw1\n", "f:1", "expected a quoted node name"},
        {"Switch\t8 \"S-00000000000000a0\" # \"A\n", "f:1", "text in quotes"},
        {"Switch\t8 \"S-00000000000000a0\" # \"A\" lid 49152 lmc 0\n", "f:1", "LID 49152 is too large"},
        {"Switch\t8 \"S-00000000000000a0\" # \"A\" lid x\n", "f:1", "a number is due"},
        {"Switch\t8 \"S-00000000000000a0\" # \"A\" lid 1 lmc 8\n", "f:1", "lmc"},
        {"Switch\t8 \"S-00000000000000a0\" # \"A\" nonsense\n", "f:1", "\"nonsense\" was not expected"},
        {"Switch\t8 \"S-00000000000000a0\" x\n", "f:1", "goes on"},
        {"vendid=0x1\n[1]\t\"S-00000000000000a0\"[1]\n", "f:2", "before the first node"},
        {SWITCH_A TO_B(0, 1), "f:2", "port 0 does not exist"},
        {SWITCH_A TO_B(255, 1), "f:2", "port 255 does not exist"},
        {SWITCH_A TO_B(1, 0), "f:2", "port 0 does not exist"},
        {SWITCH_A TO_B(1, 340282366920938463463374607431768211456), "f:2", "does not exist"},
        {SWITCH_A TO_B(x, 1), "f:2", "port number is not readable"},
        {SWITCH_A "[1\n", "f:2", "port number"},
        {SWITCH_A "[1][ext 5\t\"S-00000000000000b0\"[2]\n", "f:2", "external"},
        {SWITCH_A "[1](xyz)\t\"S-00000000000000b0\"[2]\n", "f:2", "port GUID"},
        {SWITCH_A "[1]\t\"S-00000000000000b0\"[2] garbage\n", "f:2", "goes on"},
        {SWITCH_A "[1]\t\"S-00000000000000b0\"[2] # no quotes\n", "f:2", "was not expected"},
        {SWITCH_A "[1]\t\"S-00000000000000b0\"[2] # lid 1\n", "f:2", "description"},
        {SWITCH_A "garbage\n", "f:2", "expected a line of ibnetdiscover"},
        {SWITCH_A HOST_CA, "f:2", "expected a line of ibnetdiscover"},
        {SWITCH_A "[1]\t\"S-00000000000000b0\"[2]\t\t# \"B\" lid 2 4xQ", "f:2",
         "the file ends in the middle"},
        {HOST_CA "garbage\n", "f:2", "expected a line of ibnetdiscover -p"},
        {HOST_CA "CA x\n", "f:2", "LID is not readable"},
        {HOST_CA "CA 70000 1\n", "f:2", "LID 70000 is too large"},
        {HOST_CA "CA 7 x\n", "f:2", "port number is not readable"},
        {HOST_CA "CA 7 0 0x1 4x QDR 'x'\n", "f:2", "port 0 does not exist"},
        {HOST_CA "CA 7 255 0x1 4x QDR 'x'\n", "f:2", "port 255 does not exist"},
        {HOST_CA "CA 7 1 0x11223344556677889 4x QDR 'x'\n", "f:2", "GUID"},
        {HOST_CA "CA 7 1 0x1\n", "f:2", "width and speed"},
        {HOST_CA "CA 7 1 0x1 4x QDR\n", "f:2", "expected \"- \""},
        {HOST_CA "CA 7 1 0x1 4x QDR 'x' y\n", "f:2", "goes on"},
        {HOST_CA "CA 7 1 0x1 4x QDR - SW 1 1 0x1 'x'\n", "f:2", "descriptions"},
        {HOST_CA "CA 7 1 0x1 4x QDR - SW 1 1 0x1 ( 'x' )\n", "f:2", "descriptions"},
        {HOST_CA "CA 7 1 0x1 4x QDR - ?? 1 1 0x1 ( 'x' - 'y' )\n", "f:2", "CA, SW or RT"},
        {HOST_CA "SW 7 1 0x1 4x QDR - SW 1 1 0x1 ( 'x' - 'y", "f:2", "the file ends in the middle"},
        {"digraph x\n", "f:2", "digraph {"},
        {"digraph {\n", "f:2", "closing brace"},
        {"digraph {\n}\n", "f", "holds no nodes"},
        {"digraph {\n H1 -> S1\n", "f:3", "closing brace"},
        {"digraph {\n H1 -> S1 [comment=\"*\n}\n", "f:2", "quoted text does not end"},
        {"digraph {\n H1 -> S1 [comment\"*\"]\n}\n", "f:2", "attributes"},
        {"digraph {\n H0 -> S1\n}\n", "f:2", "\"H0\" is no node"},
        {"digraph {\n H49152 -> S1\n}\n", "f:2", "\"H49152\" is no node"},
        {"digraph {\n\n H1 -> Sx\n}\n", "f:3", "\"Sx\" is no node"},
        {"digraph {\n H1 -> S99999999999999999999\n}\n", "f:2", "is no node"},
        {"digraph {\n H1 -> H2\n}\n", "f:2", "between two hosts"},
        {"digraph {\n S1 -> S1\n}\n", "f:2", "to itself"},
        {"digraph {\n H1 S1\n}\n", "f:2", "expected a cable"},
        {"digraph {\n -> S1\n}\n", "f:2", "expected a cable"},
        {"digraph {\n H1 -> S1\n} x\n", "f:3", "goes on after"},
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
    assert_int_equal(bough_fabric_read("/nonexistent/x.ibnetdiscover", &fabric, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "/nonexistent/x.ibnetdiscover");
    assert_int_equal(bough_fabric_read(SOURCE_DIR "/src/topology/formats", &fabric, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "directory"));
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
    check_shape(f);
}

static void plain(void **state) {
    (void)state;
    bough_fabric f;
    good(small, &f);
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
    good(small, &g);
    assert_true(g.hash != f.hash && g.hash != 0);
    bough_fabric_fini(&f);
    bough_fabric_fini(&g);
    snprintf(text, sizeof text,
             "ibwarn: [1] mad_rpc: _do_madrpc failed\nDR path slid 0; dlid 0; 0 -> new\n%s", small);
    good(text, &f);
    assert_int_equal(f.findings.count, 1);
    assert_int_equal(findings(&f, "tool-message", BOUGH_INFO), 1);
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
    good(text, &f);
    assert_int_equal(f.node_count, 4);
    assert_int_equal(f.port_count, 4);
    assert_int_equal(f.findings.count, 1);
    assert_int_equal(findings(&f, "duplicate-node", BOUGH_INFO), 1);
    assert_int_equal(port(&f, 0, 1)->peer, bough_fabric_port_find(&f, 1, 2));
    assert_int_equal(port(&f, 2, 1)->peer, bough_fabric_port_find(&f, 3, 1));
    check_shape(&f);
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
    good(text, &f);
    assert_string_equal(f.format, "ibnetdiscover -p");
    assert_int_equal(f.findings.count, 0);
    assert_int_equal(f.node_count, 3);
    assert_int_equal(f.port_count, 7);
    assert_string_equal(f.node[0].name, "n1");
    assert_int_equal(f.node[0].guid, 0x101); /* of its lowest port: the file has no node GUIDs */
    assert_int_equal(f.node[0].ports_declared, 2);
    assert_string_equal(f.node[1].name, "it's A");
    assert_int_equal(f.node[1].guid, 0xa0);
    assert_int_equal(f.node[1].lid, 1);
    assert_int_equal(f.node[1].ports_declared, 4);
    assert_int_equal(port(&f, 0, 2)->lid, 12);
    assert_int_equal(port(&f, 0, 2)->guid, 0x102);
    assert_int_equal(port(&f, 0, 2)->peer, bough_fabric_port_find(&f, 1, 2));
    assert_int_equal(port(&f, 1, 4)->peer, BOUGH_NO_INDEX);
    assert_int_equal(port(&f, 1, 4)->rate, 0);
    assert_string_equal(port(&f, 1, 4)->speed, "");
    assert_int_equal(port(&f, 1, 3)->rate, UINT64_C(32000000000));
    assert_int_equal(port(&f, 1, 3)->width, 8);
    assert_int_equal(port(&f, 1, 3)->lid, 0);
    check_shape(&f);
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
    good(text, &f);
    assert_string_equal(f.format, "orcs");
    for (size_t i = 0; i < f.findings.count; i++) fail_msg("%s", f.findings.item[i].text);
    assert_int_equal(f.node_count, 6);
    uint32_t alpha = node_named(&f, "alpha"), s7 = node_named(&f, "S7"), s9 = node_named(&f, "S9");
    uint32_t h4 = node_named(&f, "H4");
    assert_int_equal(f.node[alpha].guid, 1);
    assert_int_equal(f.node[s7].guid, 7);
    assert_int_equal(f.node[s7].lid, 0);
    assert_int_equal(f.node[s7].ports_declared, 4);
    /* S7: alpha 1, beta 2, S9 3 and 4; S9: S7 1 and 2, H4 3, H5 4 */
    assert_int_equal(port(&f, s7, 1)->peer, bough_fabric_port_find(&f, alpha, 1));
    assert_int_equal(port(&f, s7, 3)->peer, bough_fabric_port_find(&f, s9, 1));
    assert_int_equal(port(&f, s7, 4)->peer, bough_fabric_port_find(&f, s9, 2));
    assert_int_equal(port(&f, s9, 3)->peer, bough_fabric_port_find(&f, h4, 1));
    assert_int_equal(port(&f, alpha, 1)->lid, 1);
    assert_int_equal(port(&f, alpha, 1)->rate, 0);
    assert_non_null(f.tables);
    assert_int_equal(f.tables->nodes, 6);
    assert_int_equal(f.tables->lids, 6);
    assert_null(f.tables->port[alpha]);
    static const uint8_t row7[] = {255, 1, 2, 255, 3, 4}, row9[] = {255, 1, 1, 255, 3, 4};
    assert_memory_equal(f.tables->port[s7], row7, 6);
    assert_memory_equal(f.tables->port[s9], row9, 6);
    check_shape(&f);
    bough_fabric_fini(&f);
}

static void orcs_findings(void **state) {
    (void)state;
    bough_fabric f;
    good("digraph {\nH1 -> S1\nS1 -> H1 [comment=\"H1, H9\"]\nS1 -> S2 [comment=\"H1\"]\nS3 -> H2\n}\n", &f);
    assert_int_equal(findings(&f, "one-sided-cable", BOUGH_WARN), 2);
    assert_int_equal(findings(&f, "absent-lid", BOUGH_WARN), 1);
    assert_string_equal(finding(&f, "absent-lid")->where, "f:3");
    assert_int_equal(findings(&f, "repeated-entry", BOUGH_WARN), 1);
    assert_int_equal(port(&f, node_named(&f, "H2"), 1)->lid, 2);
    check_shape(&f);
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

/* ---- what is odd but readable ---- */

static void one_sided(void **state) {
    (void)state;
    bough_fabric f;
    /* B has a block but no line for its end; the adapter has its end's LID and GUID from the switch. */
    good(SWITCH_A TO_B(1, 2) "[2]\t\"H-0000000000000b00\"[1](b01) \t\t# \"n\" lid 8 4xEDR\n" SWITCH_B
                             "Ca\t1 \"H-0000000000000b00\"\t\t# \"n\"\n",
         &f);
    assert_int_equal(f.port_count, 4);
    assert_int_equal(f.findings.count, 2);
    assert_int_equal(findings(&f, "one-sided-cable", BOUGH_WARN), 2);
    const bough_finding *x = finding(&f, "one-sided-cable");
    assert_string_equal(x->where, "f:2");
    assert_non_null(strstr(x->text, "A port 1 to B port 2"));
    assert_int_equal(port(&f, 1, 2)->peer, bough_fabric_port_find(&f, 0, 1));
    assert_int_equal(port(&f, 1, 2)->rate, UINT64_C(32000000000));
    assert_int_equal(port(&f, 1, 2)->lid, 0);
    assert_int_equal(port(&f, 2, 1)->lid, 8);
    assert_int_equal(port(&f, 2, 1)->guid, 0xb01);
    check_shape(&f);
    bough_fabric_fini(&f);
    /* -p: the other end is listed without a cable */
    good("SW 1 1 0xa0 4x QDR - SW 2 1 0xb0 ( 'A' - 'B' )\nSW 2 1 0xb0 4x SDR 'B'\n", &f);
    assert_int_equal(findings(&f, "one-sided-cable", BOUGH_WARN), 1);
    assert_int_equal(f.port[0].peer, 1);
    bough_fabric_fini(&f);
}

static void contradicting(void **state) {
    (void)state;
    bough_fabric f;
    /* A1 says B1; B1 and C1 agree: only theirs stays. */
    good(SWITCH_A TO_B(1, 1) SWITCH_B TO_C(1, 1) SWITCH_C TO_B(1, 1), &f);
    assert_int_equal(findings(&f, "contradicting-cable", BOUGH_ERROR), 1);
    assert_string_equal(finding(&f, "contradicting-cable")->where, "f:2");
    assert_non_null(strstr(finding(&f, "contradicting-cable")->text, "left out"));
    assert_int_equal(port(&f, 0, 1)->peer, BOUGH_NO_INDEX);
    assert_int_equal(port(&f, 1, 1)->peer, bough_fabric_port_find(&f, 2, 1));
    check_shape(&f);
    bough_fabric_fini(&f);
    /* A1 says B1, B1 says C1, C1 says nothing: both are doubtful. */
    good(SWITCH_A TO_B(1, 1) SWITCH_B TO_C(1, 1) SWITCH_C, &f);
    assert_int_equal(findings(&f, "contradicting-cable", BOUGH_ERROR), 2);
    for (uint32_t i = 0; i < f.port_count; i++) assert_int_equal(f.port[i].peer, BOUGH_NO_INDEX);
    check_shape(&f);
    bough_fabric_fini(&f);
    /* A round of three; two that claim one silent end; a port that is its own end. */
    good(SWITCH_A TO_B(1, 1) SWITCH_B TO_C(1, 1) SWITCH_C TO_A(1, 1), &f);
    assert_int_equal(findings(&f, "contradicting-cable", BOUGH_ERROR), 3);
    bough_fabric_fini(&f);
    good(SWITCH_A TO_C(1, 1) SWITCH_B TO_C(1, 1) SWITCH_C, &f);
    assert_int_equal(findings(&f, "contradicting-cable", BOUGH_ERROR), 2);
    bough_fabric_fini(&f);
    good(SWITCH_A TO_A(1, 1), &f);
    assert_int_equal(findings(&f, "contradicting-cable", BOUGH_ERROR), 1);
    assert_int_equal(f.port[0].peer, BOUGH_NO_INDEX);
    check_shape(&f);
    bough_fabric_fini(&f);
    /* B1's line names a node that is missing, so A1's claim on it is doubtful too. */
    good(SWITCH_A TO_B(1, 1) SWITCH_B TO_C(1, 1), &f);
    assert_int_equal(findings(&f, "missing-node", BOUGH_ERROR), 1);
    assert_int_equal(findings(&f, "contradicting-cable", BOUGH_ERROR), 1);
    assert_int_equal(port(&f, 0, 1)->peer, BOUGH_NO_INDEX);
    bough_fabric_fini(&f);
}

static void odd_nodes_and_ports(void **state) {
    (void)state;
    bough_fabric f;
    good(SWITCH_A TO_B(1, 2) TO_B(9, 3) TO_C(4, 4) SWITCH_B TO_A(2, 1) TO_A(3, 9)
             TO_A(3, 8) "Ca\t1 \"H-0000000000000005\"\t\t# \"alone\"\n" SWITCH_B TO_A(2, 1),
         &f);
    assert_int_equal(f.node_count, 3);
    assert_int_equal(findings(&f, "missing-node", BOUGH_ERROR), 1); /* C */
    assert_string_equal(finding(&f, "missing-node")->where, "f:4");
    assert_non_null(strstr(finding(&f, "missing-node")->text, "00000000000000c0"));
    assert_int_equal(findings(&f, "port-beyond-count", BOUGH_WARN), 1); /* A 9 */
    assert_int_equal(findings(&f, "duplicate-port", BOUGH_ERROR), 1);   /* B 3; the first line counts */
    assert_int_equal(findings(&f, "duplicate-node", BOUGH_WARN), 1);    /* B */
    assert_int_equal(findings(&f, "isolated-node", BOUGH_INFO), 1);     /* alone */
    assert_int_equal(f.findings.count, 5);
    assert_int_equal(port(&f, 0, 9)->peer, bough_fabric_port_find(&f, 1, 3));
    assert_int_equal(port(&f, 0, 4)->peer, BOUGH_NO_INDEX);
    check_shape(&f);
    bough_fabric_fini(&f);
}

static void odd_rates(void **state) {
    (void)state;
    bough_fabric f;
    good(SWITCH_A "[1] \"S-00000000000000b0\"[1] # \"B\" lid 2 4xZDR\n[2] \"S-00000000000000b0\"[2] # \"B\" "
                  "lid 2 3xQDR\n"
                  "[3] \"S-00000000000000b0\"[3] # \"B\" lid 2 ?????\n[4] \"S-00000000000000b0\"[4] # \"B\" "
                  "lid 2 4xQDR\n"
                  "[5] \"S-00000000000000b0\"[5]\n" SWITCH_B
                  "[1] \"S-00000000000000a0\"[1] # \"A\" lid 1 4xZDR\n[2] \"S-00000000000000a0\"[2] # \"A\" "
                  "lid 1 3xQDR\n"
                  "[3] \"S-00000000000000a0\"[3] # \"A\" lid 1 ?????\n[4] \"S-00000000000000a0\"[4] # \"A\" "
                  "lid 1 1xDDR\n"
                  "[5] \"S-00000000000000a0\"[5]\n",
         &f);
    assert_int_equal(findings(&f, "unknown-rate", BOUGH_WARN), 3);
    assert_int_equal(findings(&f, "mismatched-ends", BOUGH_WARN), 1);
    assert_string_equal(finding(&f, "mismatched-ends")->where, "f:5");
    assert_int_equal(f.findings.count, 4);
    assert_string_equal(port(&f, 0, 1)->speed, "ZDR");
    assert_int_equal(port(&f, 0, 1)->rate, 0);
    assert_int_equal(port(&f, 0, 2)->width, 0);
    assert_int_equal(port(&f, 0, 4)->rate, UINT64_C(32000000000));
    assert_int_equal(port(&f, 1, 4)->rate, UINT64_C(4000000000));
    assert_int_equal(port(&f, 0, 5)->peer, bough_fabric_port_find(&f, 1, 5)); /* no comments: still a cable */
    bough_fabric_fini(&f);
}

static void odd_lids(void **state) {
    (void)state;
    bough_fabric f;
    good("Switch\t8 \"S-00000000000000a0\"\t\t# \"A\" base port 0 lid 1 lmc 0\n"
         "[1]\t\"H-0000000000000100\"[1](101) # \"n1\" lid 4 4xQDR\n"
         "[2]\t\"H-0000000000000200\"[1](201) # \"n2\" lid 7 4xQDR\n"
         "[3]\t\"H-0000000000000300\"[1](301) # \"n3\" lid 0 4xQDR\n"
         "Ca\t1 \"H-0000000000000100\" # \"n1\"\n"
         "[1](101) \"S-00000000000000a0\"[1] # lid 4 lmc 2 \"A\" lid 1 4xQDR\n"
         "Ca\t1 \"H-0000000000000200\" # \"n2\"\n"
         "[1](201) \"S-00000000000000a0\"[2] # lid 7 lmc 0 \"A\" lid 1 4xQDR\n"
         "Ca\t1 \"H-0000000000000300\" # \"n3\"\n"
         "[1](301) \"S-00000000000000a0\"[3] # lid 65535 lmc 0 \"A\" lid 1 4xQDR\n",
         &f);
    assert_int_equal(findings(&f, "duplicate-lid", BOUGH_ERROR), 1); /* 7 is one of 4 .. 7 */
    assert_non_null(strstr(finding(&f, "duplicate-lid")->text, "LID 7 belongs to n1 and to n2 port 1"));
    assert_string_equal(finding(&f, "duplicate-lid")->where, "f:8");
    assert_int_equal(findings(&f, "no-lid", BOUGH_WARN), 1);
    assert_non_null(strstr(finding(&f, "no-lid")->text, "n3 port 1"));
    assert_int_equal(findings(&f, "lmc", BOUGH_INFO), 1);
    assert_int_equal(f.findings.count, 3);
    assert_int_equal(port(&f, node_named(&f, "n1"), 1)->lmc, 2);
    bough_fabric_fini(&f);
}

/* Of each kind 20 are listed and the rest is counted. */
static void many_findings(void **state) {
    (void)state;
    char text[16384];
    size_t n = 0;
    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "Ca\t1 \"H-%016d\" # \"n%d\"\n", i, i);
    bough_fabric f;
    good(text, &f);
    assert_int_equal(findings(&f, "isolated-node", BOUGH_INFO), 21);
    assert_int_equal(f.findings.count, 21);
    assert_string_equal(f.findings.item[20].where, "f");
    assert_string_equal(f.findings.item[20].text, "and 80 more");
    bough_fabric_fini(&f);
}

/* ---- names ---- */

#define CA(guid, text) "Ca\t1 \"H-" guid "\" # \"" text "\"\n"

static void names(void **state) {
    (void)state;
    static const struct {
        const char *guid, *text, *name;
    } cases[] = {
        {"0000000000000001", "solo HCA-1", "solo"},
        {"0000000000000002", "twin HCA-1", "twin/HCA-1"},
        {"0000000000000003", "twin HCA-2", "twin/HCA-2"},
        {"0000000000000004", "same mlx5_0", "same mlx5_0-0000000000000004"},
        {"0000000000000005", "same mlx5_0", "same mlx5_0-0000000000000005"},
        {"0000000000000006", "MT25408 ConnectX Mellanox Technologies",
         "MT25408 ConnectX Mellanox Technologies-0000000000000006"},
        {"0000000000000007", "MT25408 ConnectX Mellanox Technologies",
         "MT25408 ConnectX Mellanox Technologies-0000000000000007"},
        {"0000000000000008", "", "H-0000000000000008"},
        {"0000000000000009", "  \t", "H-0000000000000009"},
        {"000000000000000a", "  p qib0 ", "p"},
        {"000000000000000b", "HCA-1", "HCA-1"},
        {"000000000000000c", "two words HCA-1", "two words HCA-1"},
        {"000000000000000d", "bell\a\x01 and \xff\xc3", "bell?? and ??"},
        {"000000000000000e", "caf\xc3\xa9 hfi1_0", "caf\xc3\xa9"},
        {"000000000000000f", "twin/HCA-2", "twin/HCA-2-000000000000000f"},
        {"0000000000000010", "Mellanox Technologies Aggregation Node",
         "Mellanox Technologies Aggregation Node"},
    };
    char text[8192];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(cases); i++)
        n += (size_t)snprintf(text + n, sizeof text - n, CA("%s", "%s"), cases[i].guid, cases[i].text);
    bough_fabric f;
    good(text, &f);
    check_shape(&f);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (i == 2) continue; /* below */
        assert_string_equal(f.node[i].name, cases[i].name);
        assert_string_equal(f.node[i].description, cases[i].text);
        assert_int_equal(f.node[i].aggregation, i == 15);
    }
    /* what would be "twin/HCA-2" is another's description: both carry their GUID */
    assert_string_equal(f.node[2].name, "twin HCA-2-0000000000000003");
    assert_non_null(strstr(finding(&f, "duplicate-description")->text, "4 nodes share 2 descriptions"));
    bough_fabric_fini(&f);
}

static void long_names(void **state) {
    (void)state;
    char text[2048], word[301] = "", cut[96];
    for (int i = 0; i < 100; i++) strcat(word, "\xe2\x82\xac"); /* 3 bytes each */
    snprintf(text, sizeof text, CA("0000000000000001", "%s") CA("0000000000000002", "%s"), word, word);
    bough_fabric f;
    good(text, &f);
    memcpy(cut, word, 78); /* 26 of them leave room for "-" and 16 digits in 95 bytes */
    strcpy(cut + 78, "-0000000000000001");
    assert_string_equal(f.node[0].name, cut);
    assert_string_equal(f.node[0].description, word);
    check_shape(&f);
    bough_fabric_fini(&f);
    word[95] = 0;
    snprintf(text, sizeof text, CA("0000000000000001", "%s"), word);
    good(text, &f);
    assert_int_equal(strlen(f.node[0].name), 95); /* 31 of them, and the rest of a broken one as ?? */
    assert_string_equal(f.node[0].name + 93, "??");
    bough_fabric_fini(&f);
}

/* A switch and an adapter of one GUID and description are told apart all the same. */
static void stubborn_names(void **state) {
    (void)state;
    bough_fabric f;
    good("Switch\t1 \"S-0000000000000001\" # \"x\"\n" CA("0000000000000001", "x")
             CA("0000000000000002", "x~2"),
         &f);
    check_shape(&f);
    assert_string_equal(f.node[0].name, "x-0000000000000001");
    assert_string_equal(f.node[1].name, "x-0000000000000001~2");
    assert_int_equal(findings(&f, "duplicate-guid", BOUGH_ERROR), 1);
    bough_fabric_fini(&f);
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
    bough_status status = bough_fabric_read(path, &f, &error);
    unlink(path);
    assert_int_equal(status, BOUGH_OK);
    check_small(&f);
    assert_string_equal(f.source, path);
    good(small, &plain_one);
    assert_true(f.hash == plain_one.hash);
    bough_fabric_fini(&f);
    bough_fabric_fini(&plain_one);
}

/* ---- recorded fabrics ---- */

/* hosts: adapter ports with a cable; cables: between switches. */
static void count(const bough_fabric *f, uint32_t *hosts, uint32_t *aggregation, uint32_t *switches,
                  uint32_t *cables) {
    *hosts = *aggregation = *switches = *cables = 0;
    for (uint32_t n = 0; n < f->node_count; n++) *switches += f->node[n].kind == BOUGH_FABRIC_SWITCH;
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bough_fabric_port *p = &f->port[i];
        if (p->peer == BOUGH_NO_INDEX) continue;
        if (f->node[p->node].kind == BOUGH_FABRIC_SWITCH) {
            *cables += p->peer > i && f->node[f->port[p->peer].node].kind == BOUGH_FABRIC_SWITCH;
        } else {
            ++*hosts;
            *aggregation += f->node[p->node].aggregation;
        }
    }
}

static void recorded(void **state) {
    (void)state;
    static const struct {
        const char *file, *format;
        uint32_t hosts, aggregation, switches, cables;
    } cases[] = {
        {"fabrics/dgx-ndr.ibnetdiscover", "ibnetdiscover", 582, 40, 40, 532},
        {"fabrics/dgx-ndr.opensm.ibnetdiscover", "ibnetdiscover", 582, 40, 40, 532},
        {"fabrics/psmn-x5.ibnetdiscover", "ibnetdiscover", 89, 0, 11, 70},
        {"fabrics/psmn-x5.opensm.ibnetdiscover", "ibnetdiscover", 89, 0, 11, 70},
        {"fabrics/avakas.ports", "ibnetdiscover -p", 281, 0, 25, 288},
        {"fabrics/plafrim2-a.ports", "ibnetdiscover -p", 96, 0, 7, 59},
        {"fabrics/plafrim2-b.ports", "ibnetdiscover -p", 23, 0, 1, 0},
        {"fabrics/monch.orcs.dot", "orcs", 393, 0, 41, 413},
        {"ibsim/ft2-16.ibnetdiscover", "ibnetdiscover", 16, 0, 8, 16},
        {"ibsim/ft3-16.ibnetdiscover", "ibnetdiscover", 16, 0, 20, 32},
        {"ibsim/ft3-16.ports", "ibnetdiscover -p", 16, 0, 20, 32},
        {"ibsim/ft2-128.ibnetdiscover", "ibnetdiscover", 128, 0, 24, 128},
        {"ibsim/ft3-128.ibnetdiscover", "ibnetdiscover", 128, 0, 80, 256},
        {"ibsim/ft3-128-cut5.ibnetdiscover", "ibnetdiscover", 128, 0, 80, 251},
        {"ibsim/ft2-1024.ibnetdiscover.gz", "ibnetdiscover", 1024, 0, 48, 1024},
        {"ibsim/ft3-1024.ibnetdiscover.gz", "ibnetdiscover", 1024, 0, 320, 2048},
        {"ibsim/ft2-16.net", "ibnetdiscover", 16, 0, 8, 16},
        {"ibsim/ft3-16.net", "ibnetdiscover", 16, 0, 20, 32},
        {"ibsim/ft2-128.net", "ibnetdiscover", 128, 0, 24, 128},
        {"ibsim/ft3-128.net", "ibnetdiscover", 128, 0, 80, 256},
        {"ibsim/ft3-128-cut5.net", "ibnetdiscover", 128, 0, 80, 251},
        {"ibsim/ft2-1024.net.gz", "ibnetdiscover", 1024, 0, 48, 1024},
        {"ibsim/ft3-1024.net.gz", "ibnetdiscover", 1024, 0, 320, 2048},
    };
    if (access(SHARED_DATA "/README.md", R_OK)) skip();
    for (size_t i = 0; i < COUNT(cases); i++) {
        char path[1024];
        bough_fabric f;
        bough_error error = {0};
        uint32_t hosts, aggregation, switches, cables;
        snprintf(path, sizeof path, "%s/%s", SHARED_DATA, cases[i].file);
        if (bough_fabric_read(path, &f, &error)) fail_msg("%s: %s", error.place, error.reason);
        count(&f, &hosts, &aggregation, &switches, &cables);
        if (hosts != cases[i].hosts || aggregation != cases[i].aggregation || switches != cases[i].switches ||
            cables != cases[i].cables || strcmp(f.format, cases[i].format))
            fail_msg("%s: %s, %u hosts (%u aggregation), %u switches, %u cables", path, f.format, hosts,
                     aggregation, switches, cables);
        check_shape(&f);
        /* These were recorded whole: nothing is wrong with them (netlists have no LIDs yet). */
        for (size_t k = 0; k < f.findings.count; k++) {
            const bough_finding *x = &f.findings.item[k];
            if (x->severity != BOUGH_INFO && !(strstr(path, ".net") && !strcmp(x->kind, "no-lid")))
                fail_msg("%s: %s: %s", x->where, x->kind, x->text);
        }
        bough_fabric_fini(&f);
    }
}

/* -p shows the same fabric as the plain format does. */
static void same_fabric(void **state) {
    (void)state;
    if (access(SHARED_DATA "/README.md", R_OK)) skip();
    bough_fabric f, g;
    assert_int_equal(bough_fabric_read(SHARED_DATA "/ibsim/ft3-16.ibnetdiscover", &f, NULL), BOUGH_OK);
    assert_int_equal(bough_fabric_read(SHARED_DATA "/ibsim/ft3-16.ports", &g, NULL), BOUGH_OK);
    for (uint32_t i = 0; i < f.port_count; i++) {
        const bough_fabric_port *p = &f.port[i], *q, *pp = &f.port[p->peer], *qq;
        q = port(&g, node_named(&g, f.node[p->node].name), p->number);
        qq = &g.port[q->peer];
        assert_string_equal(f.node[pp->node].name, g.node[qq->node].name);
        assert_int_equal(pp->number, qq->number);
        assert_int_equal(p->lid, q->lid);
        assert_int_equal(p->guid, q->guid);
        assert_int_equal(p->rate, q->rate);
        assert_int_equal(f.node[p->node].lid, g.node[q->node].lid);
    }
    bough_fabric_fini(&f);
    bough_fabric_fini(&g);
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Everything else in those folders is no fabric, and is refused with a place. */
static void others_refused(void **state) {
    (void)state;
    static const char *const folders[] = {"fabrics", "ibsim", "goal", "ai", "matrices"};
    static const char *const fabrics[] = {
        ".ibnetdiscover", ".ibnetdiscover.gz", ".ports", ".orcs.dot", ".net", ".net.gz"};
    if (access(SHARED_DATA "/README.md", R_OK)) skip();
    unsigned refused = 0;
    for (size_t d = 0; d < COUNT(folders); d++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", SHARED_DATA, folders[d]);
        DIR *dir = opendir(path);
        assert_non_null(dir);
        for (struct dirent *e; (e = readdir(dir));) {
            bool is_fabric = e->d_name[0] == '.';
            for (size_t k = 0; k < COUNT(fabrics); k++) is_fabric |= ends_with(e->d_name, fabrics[k]);
            if (is_fabric) continue;
            bough_fabric f;
            bough_error error = {0};
            snprintf(path, sizeof path, "%s/%s/%s", SHARED_DATA, folders[d], e->d_name);
            if (bough_fabric_read(path, &f, &error) != BOUGH_INVALID)
                fail_msg("%s is taken for a fabric", path);
            assert_non_null(strstr(error.reason, "is not a fabric file"));
            assert_non_null(strstr(error.place, e->d_name));
            assert_non_null(strchr(error.place, ':'));
            refused++;
        }
        closedir(dir);
    }
    assert_true(refused > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_binary),
        cmocka_unit_test(refuses_cut),
        cmocka_unit_test(refuses_cut_ports),
        cmocka_unit_test(refuses_missing_file),
        cmocka_unit_test(long_name),
        cmocka_unit_test(plain),
        cmocka_unit_test(plain_variants),
        cmocka_unit_test(grouped),
        cmocka_unit_test(ports_list),
        cmocka_unit_test(orcs),
        cmocka_unit_test(orcs_findings),
        cmocka_unit_test(one_sided),
        cmocka_unit_test(contradicting),
        cmocka_unit_test(odd_nodes_and_ports),
        cmocka_unit_test(odd_rates),
        cmocka_unit_test(odd_lids),
        cmocka_unit_test(many_findings),
        cmocka_unit_test(names),
        cmocka_unit_test(long_names),
        cmocka_unit_test(stubborn_names),
        cmocka_unit_test(gzip),
        cmocka_unit_test(recorded),
        cmocka_unit_test(same_fabric),
        cmocka_unit_test(others_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
