/* Files of port counters: what is refused, and small files by hand in each format. Samples have the form of
 * what the tools and exporters print. */
#include "formats/counters/port_readings.h"
#include "support/own_directory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define QUERY    "# Port counters: Lid 7 port 2 (CapMask: 0x1200)\nPortSelect:......................2\n"
#define QUERY_EX "# Port extended counters: Lid 7 port 2 (CapMask: 0x5300 CapMask2: 0x0000002)\n"
#define ERRORS   "Errors for 0xa0 \"A\"\n   GUID 0xa0 port ALL: [SymbolErrorCounter == 5]\n"
#define PM                                                                                                   \
    "START_PM_INFO\nNodeGUID,PortGUID,PortNumber,PortXmitData,PortXmitDataExtended,SymbolErrorCounterExt\n"
#define NODE   "node_infiniband_port_data_transmitted_bytes_total"
#define SWITCH "infiniband_switch_port_transmit_data_bytes_total"

/* ---- bad input ---- */

static const struct bad_case {
    const char *text, *place, *reason;
} bad[] = {
    {"", "f", "is empty; expected output of perfquery or ibqueryerrors"},
    {"Switch 36 \"S-00\"\n", "f:1", "is not a file of port counters"},
    {"# HELP up x\nup 1\n", "f", "has no port counters"},
    {"START_NODES\nA\nEND_NODES\n", "f", "has no port counters"},
    {"# Port counters: DR path slid 0; dlid 0; 0,1 port 1\n", "f:1", "expected \"Lid NUMBER port NUMBER\""},
    {"# Port counters: Lid 0 port 1\n", "f:1", "LID 0 is no unicast LID"},
    {"# Port counters: Lid 49152 port 1\n", "f:1", "LID 49152 is no unicast LID"},
    {"# Port counters: Lid 7 port 256\n", "f:1", "port 256 is too large"},
    {QUERY "PortXmitData:....................x\n", "f:3", "PortXmitData: expected a whole number"},
    {QUERY "PortXmitData:....................5", "f:3", ""},
    {QUERY "PortXmitData:....................5 6\n", "f:3", "PortXmitData: expected a whole number"},
    {ERRORS "   GUID a0 port 1: [SymbolErrorCounter == 5]\n", "f:3", "expected \"GUID 0x.. port NUMBER:\""},
    {ERRORS "   GUID 0x0 port 1: [SymbolErrorCounter == 5]\n", "f:3", "the GUID is 0"},
    {ERRORS "   GUID 0xa0 port 255: [SymbolErrorCounter == 5]\n", "f:3", "of at most 254"},
    {ERRORS "   GUID 0xa0 port 1: [SymbolErrorCounter = 5]\n", "f:3", "expected [NAME == NUMBER]"},
    {ERRORS "   GUID 0xa0 port 1: [SymbolErrorCounter == 5\n", "f:3", "expected [NAME == NUMBER]"},
    {ERRORS "more text\n", "f:3", "expected \"GUID 0x.. port NUMBER:\""},
    {PM "0xa0,0xa0,1,5,6\nEND_PM_INFO\n", "f:3", "has 5 cells, but the section PM_INFO has 6 columns"},
    {PM "0xa0,0xa0,1,5,x,7\nEND_PM_INFO\n", "f:3", "PortXmitDataExtended is \"x\"; expected a whole number"},
    {PM "0xa0,0xa0,255,5,6,7\nEND_PM_INFO\n", "f:3", "PortNumber is \"255\""},
    {PM "0x0,0xa0,1,5,6,7\nEND_PM_INFO\n", "f:3", "the GUID is 0"},
    {PM "0xa0,0xa0,1,5,6,7\n", "f:3", "has no end; expected END_PM_INFO"},
    {"START_PM_INFO\nNodeGUID,PortXmitData\n0xa0,5\nEND_PM_INFO\n", "f:2", "has no column PortNumber"},
    {SWITCH "{port=\"1\"} 5\n", "f:1", "the label guid must be a GUID"},
    {SWITCH "{guid=\"0xa0\"} 5\n", "f:1", "the label port must be a number"},
    {SWITCH "{guid=\"0xa0\",port=\"1\"} -5\n", "f:1", "must be a whole number below 2^64"},
    {SWITCH "{guid=\"0xa0\",port=\"1\"} 1.5\n", "f:1", "must be a whole number below 2^64"},
    {SWITCH "{guid=\"0xa0\",port=\"1\"} 1e30\n", "f:1", "must be a whole number below 2^64"},
    {SWITCH "{guid=\"0xa0\",port=\"1\"}\n", "f:1", "must be a whole number below 2^64"},
    {SWITCH "{guid=\"0xa0\",port=\"1\"} 5 x\n", "f:1", "expected a time stamp in ms"},
    {SWITCH "{guid=\"0xa0\",port=\"1} 5\n", "f:1", "expected labels"},
    {SWITCH "{guid=\"0xa0\",port=\"1\\\n", "f:1", "expected labels"},
    {NODE "{device=\"mlx5_0\",port=\"1\"} 5\n", "f:1", "has no label `instance`"},
};

static void test_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        port_readings r = {0};
        bough_error error = {0};
        file_write("f", bad[i].text, strlen(bad[i].text));
        const bough_status status = port_readings_read("f", &r, &error);
        const bool open = !*bad[i].reason; /* a file that ends within a line is taken */
        if (open ? status != BOUGH_OK : status != BOUGH_INVALID) fail_msg("case %zu: %s", i, bad[i].text);
        if (!open && (strcmp(error.place, bad[i].place) != 0 || !strstr(error.reason, bad[i].reason)))
            fail_msg("case %zu (%s): %s: %s", i, bad[i].text, error.place, error.reason);
        port_readings_fini(&r);
    }
    const char zero[] = QUERY "Port\0Data:..1\n";
    port_readings r = {0};
    bough_error error = {0};
    file_write("f", zero, sizeof zero - 1);
    assert_int_equal(port_readings_read("f", &r, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "f:3");
    port_readings_fini(&r);
}

/* ---- by hand ---- */

static port_readings take(const char *text) {
    port_readings r = {0};
    bough_error error = {0};
    file_write("f", text, strlen(text));
    if (port_readings_read("f", &r, &error)) fail_msg("%s: %s", error.place, error.reason);
    return r;
}

typedef struct expected {
    bough_counter counter;
    uint64_t value;
    bool wide, bytes;
} expected;

static void same(const port_reading *r, expected e) {
    assert_int_equal(r->counter, e.counter);
    assert_true(r->value == e.value);
    assert_int_equal(r->wide, e.wide);
    assert_int_equal(r->bytes, e.bytes);
}

static void test_perfquery(void **state) {
    (void)state;
    port_readings r =
        take("ibwarn: [10496] sim_connect: attached as client 1 at node \"H-0002c90300000000\"\n" QUERY
             "CounterSelect:...................0x0000\nSymbolErrorCounter:..............3\n"
             "PortXmitData:....................4294967295\n"
             "perfquery: iberror: failed: perfextquery\n" QUERY_EX
             "PortXmitData:....................178791657177235\nPortXmitWait:....41864608\n"
             "# Port counters: Lid 7 port 255 (CapMask: 0x1200)\nPortXmitData:.....9\n"
             "# PortRcvErrorDetails counters: Lid 7 port 2\nPortXmitData:......8\n");
    assert_int_equal(r.count, 4);
    same(&r.item[0], (expected){BOUGH_COUNTER_SYMBOL_ERRORS, 3, false, false});
    same(&r.item[1], (expected){BOUGH_COUNTER_XMIT_DATA, UINT32_MAX, false, false});
    same(&r.item[2], (expected){BOUGH_COUNTER_XMIT_DATA, UINT64_C(178791657177235), true, false});
    same(&r.item[3], (expected){BOUGH_COUNTER_XMIT_WAIT, 41864608, true, false});
    for (size_t i = 0; i < r.count; i++) {
        assert_int_equal(r.item[i].lid, 7);
        assert_int_equal(r.item[i].port, 2);
        assert_true(r.item[i].guid == 0);
    }
    assert_int_equal(r.item[1].line, 6);
    assert_true(isnan(r.time));
    assert_false(r.errors_above);
    port_readings_fini(&r);
}

/* A pasted terminal, and messages among the lines. */
static void test_noise(void **state) {
    (void)state;
    static const char *const texts[] = {
        "\xef\xbb\xbf[root@head ~]# ibqueryerrors\r\n" ERRORS
        "src/query_smp.c:199; umad (DR path slid 0; dlid 0; 0,1) bad status 110; Connection timed out\r\n"
        "   GUID 0xa0 port 1: [SymbolErrorCounter == 5]\r\n[root@head ~]# ",
        "\x1b[?2004h$ perfquery\n\x1b[?2004l\r" QUERY
        "ibwarn: [1] x\nSymbolErrorCounter:..............5\n$ exit\n",
        "[root@head ~]# cat x\n" PM "-W- x\n0xa0,0xa0,1,5,6,7\nEND_PM_INFO\nexit\n",
        "admin@head:~$ curl x\n" SWITCH "{guid=\"0xa0\",port=\"1\"} 5\nLast login: x\nadmin@head:~$"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        port_readings r = take(texts[i]);
        assert_int_equal(r.skipped, 3);
        assert_true(r.count > 0);
        port_readings_fini(&r);
    }
}

static void test_query_errors(void **state) {
    (void)state;
    port_readings r =
        take("Errors for \"n1 HCA-1\"\n"
             "   GUID 0x101 port 1: [LinkDownedCounter == 2] [PortXmitData == 6000000000 (22.352GB)]\n"
             "       Link info:      2   1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==> 0xa1 1 1[  ] \"A\" ( )\n"
             "Errors for 0xa0 \"A [1]\"\n   GUID 0xa0 port ALL: [PortXmitWait == 9]\n"
             "   GUID 0xa0 port 3: [PortXmitWait == 9 (9.000)]\n\n"
             "## Summary: 2 nodes checked, 2 bad nodes found\n## Suppressed:\n");
    assert_int_equal(r.count, 4);
    same(&r.item[0], (expected){BOUGH_COUNTER_LINK_DOWNED, 2, false, false});
    same(&r.item[1], (expected){BOUGH_COUNTER_XMIT_DATA, UINT64_C(6000000000), true, false});
    same(&r.item[2], (expected){BOUGH_COUNTER_RCV_DATA, 0, false, false}); /* 0, and left out */
    same(&r.item[3], (expected){BOUGH_COUNTER_XMIT_WAIT, 9, false, false});
    assert_true(r.item[0].guid == 0x101 && r.item[3].guid == 0xa0);
    assert_int_equal(r.item[3].port, 3);
    assert_true(r.errors_above);
    port_readings_fini(&r);

    r = take(
        "Data Counters for 0xa0 \"A\"\n   GUID 0xa0 port 1: [PortXmitData == 5 (20.000B)] [PortRcvData == 0 "
        "(0.000)] [PortUnicastXmitPkts == 1 (1.000)]\n\n## Summary: 1 nodes checked, 0 bad nodes found\n");
    assert_int_equal(r.count, 2);
    same(&r.item[0], (expected){BOUGH_COUNTER_XMIT_DATA, 5, true, false});
    same(&r.item[1], (expected){BOUGH_COUNTER_RCV_DATA, 0, true, false});
    assert_false(r.errors_above); /* error counters were not asked for */
    port_readings_fini(&r);

    r = take("\n## Summary: 24 nodes checked, 0 bad nodes found\n");
    assert_int_equal(r.count, 0);
    assert_true(r.errors_above && r.any);
    port_readings_fini(&r);
}

static void test_pm_info(void **state) {
    (void)state;
    port_readings r =
        take("# This database file was automatically generated by IBDIAG\n"
             "# Running timestamp : 1970-01-02 02:00:05 UTC +0100\n"
             "START_NODES\nx\nEND_NODES\n" PM
             "0x00000000000000a0,0xa0,1,4294967295,0x1000000000,7\n0xa0,0xa0,2,5,N/A,N/A\nEND_PM_INFO\n");
    assert_int_equal(r.count, 4);
    same(&r.item[0], (expected){BOUGH_COUNTER_XMIT_DATA, UINT32_MAX, false, false});
    same(&r.item[1], (expected){BOUGH_COUNTER_XMIT_DATA, UINT64_C(0x1000000000), true, false});
    same(&r.item[2], (expected){BOUGH_COUNTER_SYMBOL_ERRORS, 7, true, false});
    same(&r.item[3], (expected){BOUGH_COUNTER_XMIT_DATA, 5, false, false});
    assert_true(r.item[3].guid == 0xa0 && r.item[3].port == 2 && r.item[3].line == 9);
    assert_true(r.time == 86400 + 2 * 3600 + 5 - 3600);
    port_readings_fini(&r);
}

static double time_of(const char *text) {
    char file[400];
    snprintf(file, sizeof file, "# Running timestamp : %s\n" PM "END_PM_INFO\n", text);
    port_readings r = take(file);
    const double time = r.time;
    port_readings_fini(&r);
    return time;
}

static void test_times(void **state) {
    (void)state;
    assert_true(time_of("2022-08-25 17:45:38 UTC +0000") == 1661449538);
    assert_true(time_of("2022-08-25 17:45:38") == 1661449538);
    assert_true(time_of("2000-02-29 00:00:00 UTC -0530") == 951782400 + 5.5 * 3600);
    assert_true(isnan(time_of("Wed Feb  8 15:10:46 2012")));
    assert_true(isnan(time_of("2022-13-25 17:45:38 UTC +0000")));
    assert_true(isnan(time_of("2022-08-25 17:45:38 CEST")));
}

static void test_prometheus(void **state) {
    (void)state;
    port_readings r =
        take("# HELP " SWITCH " Infiniband switch port PortXmitData\n# TYPE " SWITCH " counter\n" SWITCH
             "{guid=\"0x7cfe9003009ce5b0\",port=\"2\",switch=\"a \\\"b\\\" {c}\"} 1.45192107443712e+14 "
             "1661449538500\n"
             "infiniband_hca_port_symbol_error_total{guid=\"0x101\",port=\"1\"} 3\n"
             "infiniband_hca_port_symbol_error_total{guid=\"0x101\",port=\"1\"} NaN\n"
             "infiniband_portxmitdata_total{component=\"switch\",local_guid=\"0xa0\",local_port=\"4\",remote_"
             "guid=\"0xb0\"} "
             "5.0e+00\n" NODE
             "{device=\"mlx5_0\",instance=\"node001.example.org:9100\",port=\"1\",} 18014398509481985\n"
             "infiniband_scrape_ok 1\nup{job=\"x\"} 1\n\n# EOF\n");
    assert_int_equal(r.count, 4);
    same(&r.item[0], (expected){BOUGH_COUNTER_XMIT_DATA, UINT64_C(145192107443712), true, true});
    same(&r.item[1], (expected){BOUGH_COUNTER_SYMBOL_ERRORS, 3, false, true});
    same(&r.item[2], (expected){BOUGH_COUNTER_XMIT_DATA, 5, true, false}); /* words */
    same(&r.item[3], (expected){BOUGH_COUNTER_XMIT_DATA, UINT64_C(18014398509481985), true, true});
    assert_true(r.item[0].guid == UINT64_C(0x7cfe9003009ce5b0) && r.item[0].port == 2);
    assert_true(r.item[2].guid == 0xa0 && r.item[2].port == 4);
    assert_true(bough_slice_is(r.item[3].host, "node001") && bough_slice_is(r.item[3].device, "mlx5_0"));
    assert_true(r.time == 1661449538.5);
    port_readings_fini(&r);

    r = take(NODE "{device=\"mlx5_0\",instance=\"10.0.0.1:9100\",port=\"1\"} 5\n");
    assert_true(bough_slice_is(r.item[0].host, "10.0.0.1"));
    port_readings_fini(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_perfquery), cmocka_unit_test(test_noise),
        cmocka_unit_test(test_query_errors), cmocka_unit_test(test_pm_info),   cmocka_unit_test(test_times),
        cmocka_unit_test(test_prometheus),
    };
    return cmocka_run_group_tests(tests, own_directory_enter, own_directory_leave);
}
