/* Lines that are no data: which are, which are not, and what is left of a text without them. */
#include "base/text/terminal_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool is_noise(const char *text) {
    scanner s = {.at = text, .stop = text + strlen(text)};
    return terminal_noise(&s);
}

static void lines_of_data_stay(void **state) {
    (void)state;
    static const char *const data[] = {
        "",
        "   ",
        "# a comment",
        "#",
        "[1]\t\"S-0002c90200000001\"[2] # \"ibwarn: node\" lid 3 4xHDR",
        "Switch\t41 \"S-b8599f0300000a00\"\t\t# \"sw1\" base port 0 lid 10 lmc 0",
        "Ca\t1 \"H-0c42a10300000001\"\t\t# \"root@head:~$ x\"",
        "vendid=0x2c9",
        "Switch: 0xb8599f0300000a00 sw1 [x]:",
        "0x0001 001 # Channel Adapter portguid 0x0002c90300000001: 'h0000 HCA-1'",
        "node,port,node,port,rate",
        "leaf1,1,node1,1,100Gb/s",
        "node1 # a comment",
        "node[01-04] # a comment",
        "node1 (spare) # a comment",
        "node1 [spare] # a comment",
        "\"leaf1\":\"swp1\" -- \"server1\":\"eth0\"",
        "leaf1:swp1 -- server1:eth0",
        "leaf1:swp1 # a comment",
        "leaf1: # a comment",
        "Ethernet1/7 # a comment",
        "node1[a:b] # a comment",
        "SwitchName=leaf1 Nodes=node[1-4]  # ibwarn: x",
        "router 0 router 1 node 0",
        "node_infiniband_port{device=\"mlx5_0\"} 5 # x",
        "PortXmitData:......................5",
        "src/a.csv:5 x",
        "- topology: fabric",
        "exits",
        "a, ibwarn: b",
        "an ibpanic:outer 11",
        "noibpanic:outer 11",
        "{ CA Ports:01 }",
        "<graphml>",
        "$x",
        "connection,a,b",
        "\x1b",
    };
    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        if (is_noise(data[i])) fail_msg("'%s' is data", data[i]);
}

static void prompts_and_messages_are_noise(void **state) {
    (void)state;
    static const char *const noise[] = {
        "[root@head ~]# ibnetdiscover",
        "[root@head ~]# ",
        "[root@head ~]#",
        "[admin@ufm /var/log]$ cat x | less",
        "root@head:~# ibnetdiscover -p",
        "me@my-laptop:~/fabric-logs$ ls",
        "cumulus@leaf01:mgmt:~$ netq show lldp",
        "me@head ~ % cat x",
        "head:~ # iblinkinfo",
        "head:/tmp # iblinkinfo",
        "(base) me@head:~$ x",
        "sw1# show lldp neighbors",
        "sw1(config)# exit",
        "sw1 [standalone: master] (config) # show lldp",
        "sw1 [fabric: master] # ",
        "$ cat x",
        "$",
        "ibwarn: [1] mad_rpc: _do_madrpc failed; dport (DR path slid 0; dlid 0; 0,1)",
        "/usr/sbin/ibroute: iberror: failed: dump tables",
        "ibnetdiscover: iberror: [12] main: failed",
        "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1,1,31 Attr 0x11:0) bad status 110; timed out",
        "../libibnetdisc/src/ibnetdisc.c:590: failed to query port",
        "DR path slid 0; dlid 0; 0 -> new",
        "SubnGet() failed",
        "-W- lid: 0x0001 has no name",
        "-I- Using port 1",
        "Warning: Permanently added 'head' (ED25519) to the list of known hosts.",
        "Last login: Mon Jan  1 00:00:00 2024 from 10.0.0.1",
        "Script done on 2024-01-01 00:00:00+00:00 [COMMAND_EXIT_CODE=\"0\"]",
        "Connection to head closed.",
        "bash: warning: setlocale: cannot change locale",
        "exit",
        "logout",
        "\x1b[?2004l",
        "\x1b]0;root@head:~\a[root@head ~]# ibnetdiscover",
        "\x1b[01;32mroot@head\x1b[00m:\x1b[01;34m~\x1b[00m# x",
    };
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        if (!is_noise(noise[i])) fail_msg("'%s' is noise", noise[i]);
}

static uint64_t clean(const char *text, char *out) {
    strcpy(out, text);
    bough_input_piece piece = {.data = out, .size = strlen(text)};
    uint64_t skipped = terminal_clean(&piece);
    assert_int_equal(piece.size, strlen(out));
    return skipped;
}

static void what_is_left(void **state) {
    (void)state;
    static const struct {
        const char *text, *left;
        uint64_t skipped;
    } cases[] = {
        {"", "", 0},
        {"a\n\nb", "a\n\nb", 0},
        {"a\r\nb\r\n", "a\r\nb\r\n", 0},
        {"\xef\xbb\xbf"
         "a\n",
         "a\n", 0},
        {"\xef\xbb\xbf", "", 0},
        {"[root@head ~]# x\na\nibwarn: [1] x\r\nb\n[root@head ~]# ", "\na\n\nb\n", 3},
        {"\x1b[1;31ma\x1b[0m,b\n", "a,b\n", 0},
        {"\x1b]0;title\aa\x1b]2;title\x1b\\b\x1b(B\x1b=\n", "ab\n", 0},
        {"\x1b[?2004h[root@head ~]# x\n\x1b[?2004l\ra\n", "\na\n", 1},
        {"a\x1b", "a\x1b", 0},
        {"a\x1b[1", "a\x1b[1", 0},
        {"a\x1b]0;title", "a", 0},
    };
    char out[200];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(clean(cases[i].text, out), cases[i].skipped);
        assert_string_equal(out, cases[i].left);
    }
}

static void the_next_line_of_data(void **state) {
    (void)state;
    static const char text[] = "\xef\xbb\xbf$ x\nibwarn: [1] x\n\x1b[?2004l\r# y\n$\n";
    scanner s;
    assert_int_equal(scan_start(&s, "f", text, strlen(text), NULL), BOUGH_OK);
    assert_true(terminal_next_line(&s));
    assert_int_equal(s.line, 3);
    assert_true(scan_text(&s, "# y") && scan_done(&s));
    assert_false(terminal_next_line(&s));
    assert_true(terminal_escapes(text, strlen(text)));
    assert_false(terminal_escapes("a", 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_data_stay),
        cmocka_unit_test(prompts_and_messages_are_noise),
        cmocka_unit_test(what_is_left),
        cmocka_unit_test(the_next_line_of_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
