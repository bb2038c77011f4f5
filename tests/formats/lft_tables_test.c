/* Forwarding tables: what the reader refuses, small tables checked by hand, and what it reports. */
#include "formats/tables/lft_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Leaf (LID 1) and spine (LID 2) with two cables between them; hosts with LIDs 4 and 6 at the leaf, 9 at the
 * spine. */
static const char network[] = "Switch\t8 \"S-00000000000000a0\"\t\t# \"leaf\" base port 0 lid 1 lmc 0\n"
                              "[1]\t\"H-0000000000000100\"[1](101) \t\t# \"n4\" lid 4 4xQDR\n"
                              "[2]\t\"H-0000000000000200\"[1](201) \t\t# \"n6\" lid 6 4xQDR\n"
                              "[5]\t\"S-00000000000000b0\"[1]\t\t# \"spine\" lid 2 4xQDR\n"
                              "[6]\t\"S-00000000000000b0\"[2]\t\t# \"spine\" lid 2 4xQDR\n"
                              "Switch\t8 \"S-00000000000000b0\"\t\t# \"spine\" base port 0 lid 2 lmc 0\n"
                              "[1]\t\"S-00000000000000a0\"[5]\t\t# \"leaf\" lid 1 4xQDR\n"
                              "[2]\t\"S-00000000000000a0\"[6]\t\t# \"leaf\" lid 1 4xQDR\n"
                              "[3]\t\"H-0000000000000300\"[1](301) \t\t# \"n9\" lid 9 4xQDR\n"
                              "Ca\t1 \"H-0000000000000100\"\t\t# \"n4\"\n"
                              "[1](101) \t\"S-00000000000000a0\"[1]\t\t# lid 4 lmc 0 \"leaf\" lid 1 4xQDR\n"
                              "Ca\t1 \"H-0000000000000200\"\t\t# \"n6\"\n"
                              "[1](201) \t\"S-00000000000000a0\"[2]\t\t# lid 6 lmc 0 \"leaf\" lid 1 4xQDR\n"
                              "Ca\t1 \"H-0000000000000300\"\t\t# \"n9\"\n"
                              "[1](301) \t\"S-00000000000000b0\"[3]\t\t# lid 9 lmc 0 \"spine\" lid 2 4xQDR\n";

#define N 255
static const uint8_t leaf_row[] = {N, 0, 5, N, 1, N, 2, N, N, 6};
static const uint8_t spine_row[] = {N, 1, 0, N, 1, N, 2, N, N, 3};

#define LEAF_LFTS                                                                                            \
    "Unicast lids [0-9] of switch Lid 1 guid 0x00000000000000a0 ('leaf'):\n"                                 \
    "0x0001 000 # Switch portguid 0x00000000000000a0: 'leaf'\n"                                              \
    "0x0002 005 # Switch portguid 0x00000000000000b0: 'spine'\n"                                             \
    "0x0004 001 # Channel Adapter portguid 0x0000000000000101: 'n4'\n"                                       \
    "0x0006 002 # Channel Adapter portguid 0x0000000000000201: 'n6'\n"                                       \
    "0x0009 006 # Channel Adapter portguid 0x0000000000000301: 'n9'\n"                                       \
    "9 lids dumped\n"
#define SPINE_IBROUTE                                                                                        \
    "Unicast lids [0x0-0x9] of switch DR path slid 0; dlid 0; 0,1,5 guid 0x00000000000000b0 (spine):\n"      \
    "  Lid  Out   Destination\n"                                                                             \
    "       Port     Info \n"                                                                                \
    "0x0001 001 : (Switch portguid 0x00000000000000a0: 'leaf')\n"                                            \
    "0x0002 000 : (Switch portguid 0x00000000000000b0: 'spine')\n"                                           \
    "0x0004 001 : (Channel Adapter portguid 0x0000000000000101: 'n4')\n"                                     \
    "0x0006 002 : (Channel Adapter portguid 0x0000000000000201: 'n6')\n"                                     \
    "0x0009 003 : (Channel Adapter portguid 0x0000000000000301: 'n9')\n"                                     \
    "5 valid lids dumped \n"
#define LEAF_FDBS                                                                                            \
    "dump_ucast_routes: Switch 0x00000000000000a0\n"                                                         \
    "LID    : Port : Hops : Optimal\n"                                                                       \
    "0x0001 : 000  : 00   : yes\n"                                                                           \
    "0x0002 : 005  : 01   : yes\n"                                                                           \
    "0x0003 : UNREACHABLE\n"                                                                                 \
    "0x0004 : 001  : 01   : yes\n"                                                                           \
    "0x0005 : 255  : 01   : yes\n"                                                                           \
    "0x0006 : 002  : HOPS UNKNOWN\n"                                                                         \
    "0x0009 : 006  : 02   : No 1 hop path possible via port 3!\n"
#define LEAF_HEAD  "Unicast lids [0-9] of switch Lid 1 guid 0x00000000000000a0 ('leaf'):\n"
#define TO_N4      " # Channel Adapter portguid 0x0000000000000101: 'n4'\n"
#define SPINE_HEAD "Unicast lids [0x0-0x9] of switch Lid 2 guid 0x00000000000000b0 (spine):\n"

typedef struct fixture {
    bough_fabric fabric;
    bough_tables tables;
    bough_findings findings;
    bough_error error;
} fixture;

static int setup(void **state) {
    fixture *x = calloc(1, sizeof *x);
    *state = x;
    return !x || bough_fabric_parse("net", network, sizeof network - 1, &x->fabric, &x->error);
}

static int teardown(void **state) {
    fixture *x = *state;
    bough_tables_fini(&x->tables);
    bough_findings_fini(&x->findings);
    bough_fabric_fini(&x->fabric);
    free(x);
    return 0;
}

static bough_status parse(fixture *x, const char *text, size_t size) {
    bough_tables_fini(&x->tables);
    bough_findings_fini(&x->findings);
    bough_input input;
    assert_int_equal(bough_input_from("t", text, size, &input, NULL), BOUGH_OK);
    bough_status status = bough_tables_parse(&input, &x->fabric, &x->tables, &x->findings, &x->error);
    bough_input_fini(&input);
    return status;
}

static void good(fixture *x, const char *text) {
    if (parse(x, text, strlen(text))) fail_msg("%s: %s", x->error.place, x->error.reason);
}

static size_t findings(const fixture *x, const char *kind, bough_severity severity) {
    size_t n = 0;
    for (size_t i = 0; i < x->findings.count; i++) {
        const bough_finding *f = &x->findings.item[i];
        n += strcmp(f->kind, kind) == 0 && f->severity == severity;
    }
    return n;
}

static const bough_finding *finding(const fixture *x, const char *kind) {
    for (size_t i = 0; i < x->findings.count; i++)
        if (strcmp(x->findings.item[i].kind, kind) == 0) return &x->findings.item[i];
    fail_msg("no finding %s", kind);
    return NULL;
}

static void no_findings(const fixture *x) {
    for (size_t i = 0; i < x->findings.count; i++)
        fail_msg("%s: %s: %s", x->findings.item[i].where, x->findings.item[i].kind, x->findings.item[i].text);
}

static void check_rows(const fixture *x) {
    assert_int_equal(x->tables.nodes, 5);
    assert_int_equal(x->tables.lids, 10);
    assert_memory_equal(x->tables.port[0], leaf_row, 10);
    assert_memory_equal(x->tables.port[1], spine_row, 10);
    for (int n = 2; n < 5; n++) assert_null(x->tables.port[n]);
}

/* ---- what is refused ---- */

static void refuses(void **state) {
    fixture *x = *state;
    static const struct {
        const char *text, *place, *reason;
    } cases[] = {
        {"", "t", "contains no forwarding table"},
        {"\n# nothing\n", "t", "contains no forwarding table"},
        {"hello\n", "t:1", "is not a forwarding table file"},
        {"Switch: guid 0x00000000000000a0\n0x0001: 00 ff\n", "t:1", "is not a forwarding table file"},
        {"0x0001 001 # x\n", "t:1", "before the header line of a table"},
        {"Unicast lids\n", "t:1", "is not a forwarding table file"},
        {"Unicast lids [0-9\n", "t:1", "header line of a table"},
        {"Unicast lids [0-9] of switch Lid 1 guid\n", "t:1", "header line of a table"},
        {"Unicast lids [0-9] of switch Lid 1 guid 0x\n", "t:1", "header line of a table"},
        {"Unicast lids [0-9] of switch Lid 1 guid 0x123456789abcdef01 ('x'):\n", "t:1",
         "header line of a table"},
        {"dump_ucast_routes: Switch 00a0\n", "t:1", "GUID"},
        {"dump_ucast_routes: Switch 0xa0 x\n", "t:1", "GUID"},
        {LEAF_HEAD "garbage\n", "t:2",
         "expected a line of a forwarding table, as 0x0001 001, or 0x0001 : 001 in"},
        {LEAF_HEAD "0x0001\n", "t:2", "invalid LID"},
        {LEAF_HEAD "0xzz 001\n", "t:2", "invalid LID"},
        {LEAF_HEAD "0x0001 xyz\n", "t:2", "invalid output port"},
        {LEAF_HEAD "0x0001 1x\n", "t:2", "invalid output port"},
        {LEAF_HEAD "0x0001 256 # x\n", "t:2", "port 256 does not exist"},
        {LEAF_HEAD "0x0001 99999999999999999999999999 # x\n", "t:2", "does not exist"},
        {LEAF_HEAD "0xc000 001 # x\n", "t:2", "LID 49152 is too large"},
        {LEAF_HEAD "0x0004 300" TO_N4, "t:2", "port 300 does not exist"},
        {LEAF_HEAD "0x0004x001" TO_N4, "t:2", "invalid LID"},
        {LEAF_HEAD "1x0004 001" TO_N4, "t:2", "expected a line of a forwarding table"},
        {LEAF_HEAD "0xffffffffffffffffffffffff 001 # x\n", "t:2", "is too large"},
        {LEAF_HEAD "0x0001 00", "t:2", "the file ends within"},
        {LEAF_HEAD "9 lids dum", "t:2", "the file ends within"},
        {LEAF_FDBS "0x0001 001 # x\n", "t:10", "expected \"LID : port : hops : yes\""},
        {LEAF_FDBS "0x0001 : UNREACHABLE x\n", "t:10", "UNREACHABLE"},
        {LEAF_FDBS "0x0001 : \n", "t:10", "invalid output port"},
        {LEAF_FDBS "PLFT_NUM: one\n", "t:10", "expected a line of a forwarding table"},
        {"Multicast mlids [0xc000-0xc3ff] of switch Lid 1 guid 0x1 (x):\n0xc000 x\n", "t",
         "contains no forwarding table"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        bough_status status = parse(x, cases[i].text, strlen(cases[i].text));
        if (status != BOUGH_INVALID || strcmp(x->error.place, cases[i].place) ||
            !strstr(x->error.reason, cases[i].reason))
            fail_msg("case %zu: status %d, %s: %s", i, status, x->error.place, x->error.reason);
        assert_null(x->tables.port);
    }
    static const char nul[] = LEAF_HEAD "0x0001 001 # \0\n";
    assert_int_equal(parse(x, nul, sizeof nul - 1), BOUGH_INVALID);
    assert_string_equal(x->error.place, "t:2");
    assert_int_equal(bough_tables_read(&(bough_tables_file){"/nonexistent"}, &x->fabric, &x->tables,
                                       &x->findings, &x->error),
                     BOUGH_INVALID);
    bough_tables_fini(NULL);
    bough_findings_fini(NULL);
}

/* Cut anywhere: refused, or every entry that was read is right. */
static void cut(void **state) {
    fixture *x = *state;
    static const char text[] = LEAF_LFTS SPINE_IBROUTE;
    for (size_t size = 0; size < sizeof text - 1; size++) {
        if (parse(x, text, size)) {
            assert_int_equal(x->error.status, BOUGH_INVALID);
            continue;
        }
        for (uint32_t n = 0; n < 2; n++)
            for (uint32_t l = 0; x->tables.port[n] && l < 10; l++) {
                uint8_t port = x->tables.port[n][l];
                assert_true(port == 255 || port == (n ? spine_row : leaf_row)[l]);
            }
        if (size < sizeof text - 3) /* else only the line end is missing */
            assert_true(x->findings.count > 0);
    }
}

/* ---- small tables ---- */

static void forms(void **state) {
    fixture *x = *state;
    good(x, LEAF_LFTS SPINE_IBROUTE);
    no_findings(x);
    check_rows(x);
    uint64_t hash = x->tables.hash;
    good(x, SPINE_IBROUTE "\n" LEAF_FDBS);
    no_findings(x);
    check_rows(x);
    assert_true(hash && x->tables.hash != hash);
    good(x, "osm_ucast_mgr_" LEAF_FDBS "PLFT_NUM: 0\n" SPINE_IBROUTE);
    no_findings(x);
    check_rows(x);
    /* CRLF; no line end at the end */
    char text[4096];
    size_t n = 0;
    for (const char *c = LEAF_LFTS SPINE_IBROUTE; *c; c++) {
        if (*c == '\n') text[n++] = '\r';
        text[n++] = *c;
    }
    assert_int_equal(parse(x, text, n - 2), BOUGH_OK);
    no_findings(x);
    check_rows(x);
    /* ibroute -n shows no destinations, -a shows unused entries */
    good(x, SPINE_HEAD
         "0x0000 255 : (illegal port)\n0x0001 001 \n0x0002 000 \n0x0003 255\n0x0004 001 \n0x0006 002\n"
         "0x0009 003 \n7 lids dumped \n" LEAF_LFTS);
    no_findings(x);
    check_rows(x);
}

/* ibdiagnet2.fdbs; only the first table of a switch is read. */
static void private_tables(void **state) {
    fixture *x = *state;
    good(x, "# made\n" LEAF_FDBS "PLFT_NUM: 1\nLID    : Port : Hops : Optimal\n0x0001 : 007  : 00   : yes\n"
            "PLFT_NUM: 0\n0x0002 : 005  : 00   : yes\n"
            "__osm_ucast_mgr_dump_ucast_routes: Switch 0xb0\nPLFT_NUM: 2\n0x0001 : 007  : 00   : "
            "yes\n" SPINE_IBROUTE);
    check_rows(x);
    const bough_finding *f = NULL;
    for (size_t i = 0; i < x->findings.count; i++)
        if (strcmp(x->findings.item[i].kind, "private-table") == 0) f = &x->findings.item[i];
    assert_non_null(f);
    assert_non_null(strstr(f->text, "2 private tables (PLFT 1 and above) were ignored"));
}

static void gzip_and_directory(void **state) {
    fixture *x = *state;
    char folder[] = "/tmp/bough-tables-XXXXXX", leaf[64], spine[64];
    assert_non_null(mkdtemp(folder));
    snprintf(leaf, sizeof leaf, "%s/leaf.gz", folder);
    snprintf(spine, sizeof spine, "%s/spine", folder);
    gzFile gz = gzopen(leaf, "wb");
    gzputs(gz, LEAF_LFTS);
    gzclose(gz);
    FILE *file = fopen(spine, "w");
    fputs(SPINE_IBROUTE, file);
    fclose(file);
    bough_status status =
        bough_tables_read(&(bough_tables_file){folder}, &x->fabric, &x->tables, &x->findings, &x->error);
    if (!status) {
        no_findings(x);
        check_rows(x);
    }
    bough_tables_fini(&x->tables);
    bough_status one =
        bough_tables_read(&(bough_tables_file){leaf}, &x->fabric, &x->tables, &x->findings, &x->error);
    file = fopen(spine, "a");
    fputs("garbage\n", file);
    fclose(file);
    bough_tables none;
    bough_status bad =
        bough_tables_read(&(bough_tables_file){folder}, &x->fabric, &none, &x->findings, &x->error);
    unlink(leaf), unlink(spine), rmdir(folder);
    assert_int_equal(status, BOUGH_OK);
    assert_int_equal(one, BOUGH_OK);
    assert_memory_equal(x->tables.port[0], leaf_row, 10);
    assert_null(x->tables.port[1]);
    assert_int_equal(findings(x, "no-table", BOUGH_WARN), 1);
    assert_int_equal(bad, BOUGH_INVALID);
    assert_non_null(strstr(x->error.place, "/spine:10"));
}

/* ---- what is odd but readable ---- */

/* The tables are those without the lines of a terminal around and among them. */
static void noise_is_skipped(void **state) {
    fixture *x = *state;
    static const char *const cases[] = {
        "[root@head ~]# cat lfts\n" LEAF_LFTS "root@head:~# cat spine\r\n" SPINE_IBROUTE "[root@head ~]# ",
        "\xef\xbb\xbf\x1b]0;head\a$ cat lfts\r\n\x1b[?2004l\r" LEAF_LFTS
        "src/query_smp.c:195; umad (DR path) bad status 110\n" SPINE_IBROUTE "$ exit"};
    uint8_t leaf[10], spine[10];
    good(x, LEAF_LFTS SPINE_IBROUTE);
    memcpy(leaf, x->tables.port[0], sizeof leaf);
    memcpy(spine, x->tables.port[1], sizeof spine);
    const size_t others = x->findings.count;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        good(x, cases[i]);
        assert_memory_equal(x->tables.port[0], leaf, sizeof leaf);
        assert_memory_equal(x->tables.port[1], spine, sizeof spine);
        assert_int_equal(findings(x, "tool-message", BOUGH_INFO), 1);
        assert_non_null(strstr(finding(x, "tool-message")->text, ": 3"));
        assert_int_equal(x->findings.count, others + 1);
    }
}

static void odd_tables(void **state) {
    fixture *x = *state;
    /* a switch that is not there; one without a table */
    good(
        x, LEAF_LFTS
        "Unicast lids [0-9] of switch Lid 7 guid 0x00000000000000ff ('x'):\n0x0001 001 # x\n9 lids dumped\n");
    assert_int_equal(findings(x, "absent-switch", BOUGH_WARN), 1);
    assert_string_equal(finding(x, "absent-switch")->where, "t:8");
    assert_int_equal(findings(x, "no-table", BOUGH_WARN), 1);
    assert_string_equal(finding(x, "no-table")->where, "spine");
    assert_int_equal(x->findings.count, 2);
    /* its entries make no room in the rows of others */
    good(x, LEAF_LFTS SPINE_IBROUTE "Unicast lids [0x0-0xbfff] of switch Lid 7 guid 0x00000000000000ff (x):\n"
                                    "0xbfff 001 : x\n1 valid lids dumped\n");
    assert_int_equal(findings(x, "absent-switch", BOUGH_WARN), 1);
    assert_int_equal(x->findings.count, 1);
    assert_int_equal(x->tables.lids, 10);
    /* without an end; with a message of the tool instead; with a wrong count */
    good(x, SPINE_HEAD "0x0004 001 : x\n" LEAF_LFTS);
    assert_int_equal(findings(x, "unfinished-table", BOUGH_WARN), 1);
    assert_int_equal(x->findings.count, 1);
    good(x, SPINE_HEAD "0x0004 001 : x\n/usr/sbin/ibroute: iberror: failed: dump tables\n" LEAF_LFTS);
    assert_int_equal(findings(x, "tool-message", BOUGH_INFO), 1);
    assert_int_equal(x->findings.count, 1);
    good(x, SPINE_HEAD "0x0004 001 : x\n2 valid lids dumped \n" LEAF_LFTS);
    assert_int_equal(findings(x, "wrong-count", BOUGH_WARN), 1);
    assert_string_equal(finding(x, "wrong-count")->where, "t:3");
    assert_int_equal(x->findings.count, 1);
    /* another LID of the switch, another port GUID of a LID */
    good(x, LEAF_LFTS "Unicast lids [0-9] of switch Lid 3 guid 0x00000000000000b0 ('spine'):\n"
                      "0x0004 001 # Channel Adapter portguid 0x0000000000000901: 'n4'\n"
                      "0x0001 001 # Channel Adapter portguid 0x0000000000000901: 'n4'\n9 lids dumped\n");
    assert_int_equal(findings(x, "lid-mismatch", BOUGH_ERROR), 1);
    assert_non_null(
        strstr(finding(x, "lid-mismatch")->text, "spine has LID 2, but according to its table 3 (t:8)"));
    assert_int_equal(findings(x, "guid-mismatch", BOUGH_WARN), 1);
    assert_non_null(strstr(finding(x, "guid-mismatch")->text, "2 entries"));
    assert_int_equal(x->findings.count, 2);
    /* multicast tables between the others */
    good(x,
         LEAF_LFTS "Multicast mlids [0xc000-0xc3ff] of switch Lid 1 guid 0xa0 (leaf):\n 0 1\n0xc000   x x\n"
                   "1 valid mlids dumped \n" SPINE_IBROUTE);
    assert_int_equal(findings(x, "multicast-table", BOUGH_INFO), 1);
    assert_int_equal(x->findings.count, 1);
    check_rows(x);
}

static void odd_entries(void **state) {
    fixture *x = *state;
    /* LID 12 beyond the range and unknown, as LID 3; port 4 without a cable, port 9 not there */
    good(x, SPINE_HEAD
         "0x0001 001 : x\n0x0003 001 : x\n0x0004 004 : x\n0x0006 009 : x\n0x0009 004 : x\n0x000c 001 : x\n"
         "6 valid lids dumped\n" LEAF_LFTS);
    assert_int_equal(x->tables.lids, 13);
    assert_int_equal(x->tables.port[1][12], 1);
    assert_int_equal(x->tables.port[0][12], 255);
    assert_int_equal(findings(x, "beyond-range", BOUGH_WARN), 1);
    assert_int_equal(findings(x, "absent-lid", BOUGH_WARN), 1);
    assert_non_null(strstr(finding(x, "absent-lid")->text, "2 entries are for 2 LIDs"));
    assert_non_null(strstr(finding(x, "absent-lid")->text, ": 3, 12"));
    assert_int_equal(findings(x, "dead-port", BOUGH_WARN), 2);
    assert_string_equal(finding(x, "dead-port")->where, "spine/4");
    assert_non_null(strstr(finding(x, "dead-port")->text, "sends 2 LIDs to this port"));
    assert_int_equal(x->findings.count, 4);
}

/* A LID twice in a table, a switch twice: the last one counts, and the parts are joined. */
static void repeated(void **state) {
    fixture *x = *state;
    good(x, LEAF_LFTS SPINE_HEAD "0x0001 002 : x\n0x0001 001 : x\n0x0001 001 : x\n3 valid lids dumped\n");
    assert_int_equal(findings(x, "repeated-entry", BOUGH_WARN), 1);
    assert_non_null(strstr(finding(x, "repeated-entry")->text, " 1 entry"));
    assert_int_equal(x->findings.count, 1);
    assert_int_equal(x->tables.port[1][1], 1);
    good(x, SPINE_HEAD "0x0001 001 : x\n0x0002 001 : x\n2 valid lids dumped\n" LEAF_LFTS SPINE_HEAD
                       "0x0002 000 : x\n0x0009 003 : x\n2 valid lids dumped\n" SPINE_HEAD
                       "0x0004 001 : x\n0x0006 002 : x\n"
                       "2 valid lids dumped\n");
    check_rows(x);
    assert_int_equal(findings(x, "repeated-table", BOUGH_WARN), 1);
    assert_int_equal(findings(x, "repeated-table", BOUGH_INFO), 1);
    assert_int_equal(x->findings.count, 2);
}

static void many_findings(void **state) {
    fixture *x = *state;
    char text[16384] = LEAF_LFTS SPINE_IBROUTE;
    size_t n = strlen(text);
    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "dump_ucast_routes: Switch 0x%016d\n", i);
    good(x, text);
    assert_int_equal(findings(x, "absent-switch", BOUGH_WARN), 21);
    assert_int_equal(x->findings.count, 21);
    assert_string_equal(x->findings.item[20].text, "and 80 more"); /* 0xa0 and 0xb0 are not among the 100 */
    check_rows(x);
}

/* Findings of several readings add up in one list. */
static void findings_add_up(void **state) {
    fixture *x = *state;
    good(x, LEAF_LFTS);
    bough_tables more;
    bough_input input;
    assert_int_equal(bough_input_from("u", SPINE_IBROUTE, strlen(SPINE_IBROUTE), &input, NULL), BOUGH_OK);
    assert_int_equal(bough_tables_parse(&input, &x->fabric, &more, &x->findings, &x->error), BOUGH_OK);
    bough_input_fini(&input);
    bough_tables_fini(&more);
    assert_int_equal(findings(x, "no-table", BOUGH_WARN), 2);
}

/* ---- other files ---- */

/* Files that are no tables. */
static void others_refused(void **state) {
    fixture *x = *state;
    static const char *const files[] = {
        "fabrics/dgx-ndr.ibnetdiscover",
        "fabrics/avakas.ports",
        "fabrics/monch.orcs.dot",
        "fabrics/psmn-x5.opensm.roots",
        "fabrics/psmn-x5.hostnames",
        "ibsim/ft3-16.ftree.lid-matrix",
        "ibsim/ft3-16.subnet.lst",
        "ibsim/ft3-16.ftree.ca-order",
        "ibsim/make_netlist.py",
        "ai/resnet-2gpu.chakra-et.json.gz",
        "README.md",
        "fabrics",
        "goal/nonblocking-2.goal",
    };
    if (access(SHARED_DATA "/README.md", R_OK)) skip();
    for (size_t i = 0; i < COUNT(files); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", SHARED_DATA, files[i]);
        if (bough_tables_read(&(bough_tables_file){path}, &x->fabric, &x->tables, &x->findings, &x->error) !=
            BOUGH_INVALID)
            fail_msg("%s was taken for tables", path);
        assert_non_null(strchr(x->error.place, ':'));
    }
}

/* ---- lines that another table has, too ---- */

/* LID 3, which no node has, before LID 4: where a table had both, the reader expects the line of LID 4. */
#define UNKNOWN_3  "0x0003 255 # nothing\n"
#define KNOWN_4    LEAF_HEAD UNKNOWN_3 "0x0004 001" TO_N4 "9 lids dumped\n"
#define SPINE_NEXT "Unicast lids [0-9] of switch Lid 2 guid 0x00000000000000b0 ('spine'):\n" UNKNOWN_3

static void expected_lines_may_differ(void **state) {
    fixture *x = *state;
    good(x, KNOWN_4 SPINE_NEXT "0x0004 002" TO_N4 "0x0006 003 # nothing\n9 lids dumped\n");
    no_findings(x);
    assert_int_equal(x->tables.port[0][4], 1);
    assert_int_equal(x->tables.port[1][4], 2);
    assert_int_equal(x->tables.port[1][6], 3);

    good(x, KNOWN_4 SPINE_NEXT
         "0x0004 002 # Channel Adapter portguid 0x0000000000000102: 'n4'\n9 lids dumped\n");
    assert_int_equal(findings(x, "guid-mismatch", BOUGH_WARN), 1);
    assert_int_equal(x->tables.port[1][4], 2);

    good(x, KNOWN_4 SPINE_NEXT "0x0004 002" TO_N4 "0x0004 003" TO_N4 "9 lids dumped\n");
    assert_int_equal(findings(x, "repeated-entry", BOUGH_WARN), 1);
    assert_int_equal(x->tables.port[1][4], 3);

    good(x, KNOWN_4 SPINE_NEXT "0x0005 002" TO_N4 "9 lids dumped\n"); /* another LID in its place */
    assert_int_equal(x->tables.port[1][4], 255);
    assert_int_equal(x->tables.port[1][5], 2);

    good(x, KNOWN_4 SPINE_NEXT "0x0004 002 # Channel Adapter portguid 0x0000000000000101: 'n4'"); /* no end */
    assert_int_equal(findings(x, "unfinished-table", BOUGH_WARN), 1);
    assert_int_equal(x->tables.port[1][4], 2);

    good(x, KNOWN_4
         "Multicast mlids [0xC000-0xC00F] of switch Lid 2 guid 0x00000000000000b0 ('spine'):\n" UNKNOWN_3
         "0x0004 002" TO_N4);
    assert_null(x->tables.port[1]);
}

static void expected_lines_are_checked(void **state) {
    fixture *x = *state;
    static const char *const lines[] = {"0x0004 256", "0x0004 0a1", "0x0004 999"};
    for (size_t i = 0; i < COUNT(lines); i++) {
        char text[1000], place[20];
        snprintf(text, sizeof text, "%s%s%s%s", KNOWN_4, SPINE_NEXT, lines[i], TO_N4);
        assert_int_equal(parse(x, text, strlen(text)), BOUGH_INVALID);
        snprintf(place, sizeof place, "t:%d", 7);
        assert_string_equal(x->error.place, place);
    }
    /* lines that were expected are counted */
    good(x, KNOWN_4 SPINE_NEXT "0x0004 002" TO_N4);
    assert_int_equal(parse(x, KNOWN_4 SPINE_NEXT "0x0004 002" TO_N4 "?\n",
                           strlen(KNOWN_4 SPINE_NEXT "0x0004 002" TO_N4 "?\n")),
                     BOUGH_INVALID);
    assert_string_equal(x->error.place, "t:8");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(refuses),
        TEST(expected_lines_may_differ),
        TEST(expected_lines_are_checked),
        TEST(cut),
        TEST(forms),
        TEST(private_tables),
        TEST(gzip_and_directory),
        TEST(odd_tables),
        TEST(noise_is_skipped),
        TEST(odd_entries),
        TEST(repeated),
        TEST(many_findings),
        TEST(findings_add_up),
        TEST(others_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
