/* Every text format of fabrics, with what a terminal adds to it: before, between and after its lines. */
#include "base/text/text.h"
#include "formats/fabrics/fabric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct sample {
    const char *format, *text;
} samples[] = {
    {"ibnetdiscover", "vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0xa00\nswitchguid=0xa00(a00)\n"
                      "Switch\t4 \"S-0000000000000a00\"\t\t# \"sw1\" base port 0 lid 10 lmc 0\n"
                      "[1]\t\"H-0000000000000001\"[1](2) \t\t# \"host1 HCA-1\" lid 1 4xHDR\n\n"
                      "Ca\t1 \"H-0000000000000001\"\t\t# \"host1 HCA-1\"\n"
                      "[1](2) \t\"S-0000000000000a00\"[1]\t\t# lid 1 lmc 0 \"sw1\" lid 10 4xHDR\n"},
    {"ibnetdiscover -p",
     "CA     1  1 0x0000000000000001 4x HDR - SW    10  1 0x0000000000000a00 ( 'host1 HCA-1' - 'sw1' )\n"
     "SW    10  1 0x0000000000000a00 4x HDR - CA     1  1 0x0000000000000001 ( 'sw1' - 'host1 HCA-1' )\n"},
    {"iblinkinfo",
     "Switch: 0x0000000000000a00 sw1:\n"
     "          10    1[  ] ==( 4X 53.125 Gbps Active/  LinkUp)==>   1    1[  ] \"host1 HCA-1\" ( )\n"
     "CA: host1 HCA-1:\n"
     "      0x0000000000000001   1    1[  ] ==( 4X 53.125 Gbps Active/  LinkUp)==>  10    1[  ] \"sw1\" ( "
     ")\n"},
    {"db_csv", "START_NODES\nNodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID,PortGUID\n"
               "\"sw1\",4,2,0xa00,0xa00,0xa00\n\"host1 HCA-1\",1,1,0x1,0x1,0x1\nEND_NODES\n\nSTART_PORTS\n"
               "NodeGuid,PortGuid,PortNum,LID,LMC,LinkWidthActv,LinkSpeedActv\n0xa00,0xa00,0,10,0,0,0\n"
               "0xa00,0xa00,1,0,0,2,4\n0x1,0x1,1,1,0,2,4\nEND_PORTS\n\nSTART_LINKS\n"
               "NodeGuid1,PortNum1,NodeGuid2,PortNum2\n0xa00,1,0x1,1\nEND_LINKS\n"},
    {"lst",
     "{ CA Ports:01 SystemGUID:0000000000000001 NodeGUID:0000000000000001 PortGUID:0000000000000001 "
     "VenID:0 DevID:0 Rev:0 {host1 HCA-1} LID:0001 PN:01 } { SW Ports:04 SystemGUID:0000000000000a00 "
     "NodeGUID:0000000000000a00 PortGUID:0000000000000a00 VenID:0 DevID:0 Rev:0 {sw1} LID:000A PN:01 } "
     "PHY=4x LOG=ACT SPD=50\n"},
    {"ptm", "graph dc {\n \"leaf1\":\"swp1\" -- \"host1\":\"eth0\"\n \"leaf1\":\"swp2\" -- "
            "\"host2\":\"eth0\"\n}\n"},
    {"csv", "node,port,node,port\nleaf1,1,host1,1\nleaf1,2,host2,1\n"},
    {"anynet", "router 0 node 0 node 1 router 1\nrouter 1 node 2 node 3\n"},
    {"topo", "Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1000\n"
             "Radix_Down 2\nRadix_Up 2\nTier 1\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1000\n"
             "Radix_Down 2\n"},
    {"topology.conf", "SwitchName=leaf1 Nodes=host[1-2]\nSwitchName=leaf2 Nodes=host[3-4]\n"
                      "SwitchName=core Switches=leaf[1-2]\n"},
    {"topology.yaml",
     "- topology: a\n  tree:\n    switches:\n      - switch: core\n        children: leaf[1-2]\n"
     "      - switch: leaf1\n        nodes: host[1-2]\n      - switch: leaf2\n"
     "        nodes: host[3-4]\n"},
    {"containerlab", "name: lab\ntopology:\n  nodes:\n    leaf1:\n      kind: nokia_srlinux\n  links:\n"
                     "    - endpoints: [\"leaf1:e1-1\", \"host1:eth1\"]\n    - endpoints: [\"leaf1:e1-2\", "
                     "\"host2:eth1\"]\n"},
    {"ns-3", "3 1 2\n2\n0 2 100Gbps 1000ns 0\n1 2 100Gbps 1000ns 0\n"},
    {"json", "{\"nodes\": [{\"id\": \"leaf1\"}, {\"id\": \"host1\"}, {\"id\": \"host2\"}],\n"
             "\"links\": [{\"source\": \"leaf1\", \"target\": \"host1\"},\n"
             "{\"source\": \"leaf1\", \"target\": \"host2\"}]}\n"},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

/* Lines that are no data, put before and after a text and behind its n-th lines. */
typedef struct noise {
    const char *before, *between, *after, *end;
} noise;

static const noise kinds[] = {
    {"[root@head ~]# cat x\n", "", "[root@head ~]# ", "\n"},
    {"root@head:~# cat x\r\nLast login: today\r\n", "", "root@head:~# logout\r\n", "\r\n"},
    {"src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status 110; timed out\n",
     "ibwarn: [1] mad_rpc: _do_madrpc failed\n", "ibnetdiscover: iberror: failed: x\n", "\n"},
    {"\xef\xbb\xbf", "", "", "\r\n"},
    {"\x1b[?2004h\x1b]0;head\a[root@head ~]# cat x\r\n\x1b[?2004l\r", "-W- x\n", "\x1b[?2004h$ ",
     "\x1b[0m\r\n"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static char *with_noise(const char *text, const noise *n) {
    bough_text out = {0};
    bough_text_put(&out, n->before);
    for (const char *end; *text; text = end + 1) {
        end = strchr(text, '\n');
        bough_text_add(&out, text, (size_t)(end - text));
        bough_text_put(&out, n->end);
        if (end[1]) bough_text_put(&out, n->between);
    }
    bough_text_put(&out, n->after);
    return bough_text_take(&out);
}

static size_t skipped(const bough_fabric *f) {
    size_t count = 0;
    for (size_t i = 0; i < f->findings.count; i++)
        count += strcmp(f->findings.item[i].kind, "tool-message") == 0;
    return count;
}

static void same_fabric(const struct sample *s, const noise *n) {
    bough_fabric plain, noisy;
    bough_error error = {0};
    char *text = with_noise(s->text, n);
    if (bough_fabric_parse("plain", s->text, strlen(s->text), &plain, &error))
        fail_msg("%s: %s: %s", s->format, error.place, error.reason);
    if (bough_fabric_parse("noisy", text, strlen(text), &noisy, &error))
        fail_msg("%s: %s: %s, in\n%s", s->format, error.place, error.reason, text);
    assert_string_equal(plain.format, s->format);
    assert_string_equal(noisy.format, s->format);
    assert_int_equal(noisy.node_count, plain.node_count);
    assert_int_equal(noisy.port_count, plain.port_count);
    for (uint32_t i = 0; i < plain.node_count; i++)
        assert_string_equal(noisy.node[i].name, plain.node[i].name);
    const bool lines = n->before[0] != '\xef';
    assert_int_equal(skipped(&plain), 0);
    assert_int_equal(skipped(&noisy), lines);
    assert_int_equal(noisy.findings.count, plain.findings.count + lines);
    bough_fabric_fini(&plain);
    bough_fabric_fini(&noisy);
    free(text);
}

static void noise_changes_no_fabric(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t k = 0; k < KINDS; k++) same_fabric(&samples[i], &kinds[k]);
}

/* A line that is neither is still an error, at its line. */
static void other_lines_are_refused(void **state) {
    (void)state;
    static const char text[] = "[root@head ~]# cat x\nnode,port,node,port\nleaf1,1,host1,1\nleaf1,2\n";
    bough_fabric f;
    bough_error error = {0};
    assert_int_equal(bough_fabric_parse("x", text, strlen(text), &f, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "x:4");
    static const char nothing[] = "[root@head ~]# ibnetdiscover\n";
    assert_int_equal(bough_fabric_parse("x", nothing, strlen(nothing), &f, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "is empty"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_changes_no_fabric),
        cmocka_unit_test(other_lines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
