/* GOAL text: what is refused and where, what is read, and schedules as traffic: placements, what cannot come
 * out even. */
#include "traffic/schedules/goal/goal.h"

#include "support/fabrics.h"
#include "traffic/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

static bough_error error;

static bough_status read_text(const char *text, size_t size, bough_schedule **schedule) {
    bough_input input;
    assert_int_equal(bough_input_from("x.goal", text, size, &input, NULL), BOUGH_OK);
    bough_status status = goal_read(&input, "x.goal", schedule, &error);
    bough_input_fini(&input);
    return status;
}

#define RANKS2(a, b) "num_ranks 2\nrank 0 {\n" a "}\nrank 1 {\n" b "}\n"

static const struct {
    const char *text, *place, *reason;
} bad[] = {
    {"", "x.goal", "contains no schedule"},
    {"// nothing\n", "x.goal", "contains no schedule"},
    {"rank 0 {\n}\n", "x.goal:1", "num_ranks N must precede the first rank"},
    {"num_ranks\n", "x.goal:1", "expected the number of ranks, but the line ends"},
    {"num_ranks 0\nrank 0 { }", "x.goal:1", "0 ranks"},
    {"num_ranks 1000000\n", "x.goal:1", "num_ranks is 1000000, more than a file of 18 bytes can contain"},
    {"num_ranks 99999999999999999999\n", "x.goal:1", "99999999999999999999 is too large"},
    {"num_ranks 1\nnum_ranks 1\nrank 0 { }", "x.goal:2", "num_ranks is given twice"},
    {"num_ranks 1\nrank 1 {\n}\n", "x.goal:2", "rank 1 is out of range; num_ranks is 1"},
    {"num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", "x.goal:4", "rank 0 is given twice"},
    {"num_ranks 2\nrank 1 {\n}\n//        \n", "x.goal", "lacks rank 0; num_ranks is 2"},
    {"num_ranks 1\nrank 0 {\ncalc 5\n", "x.goal:4", "rank 0 is not closed; expected }"},
    {"num_ranks 1\nrank 0\ncalc 5\n", "x.goal:3", "expected { after the rank, found 'calc'"},
    {"num_ranks 1\n/* rank 0 {\n", "x.goal:2", "unterminated comment"},
    {"num_ranks 1\nfrank 0 {\n}", "x.goal:2", "expected rank R {, found 'frank'"},
    {RANKS2("l1: sendd 5b to 1\n", ""), "x.goal:3", "expected send, recv or calc, found 'sendd'"},
    {RANKS2("l1: send 5 to 1\n", ""), "x.goal:3", "expected b (bytes) after the size, found 'to'"},
    {RANKS2("l1: send 5b from 1\n", ""), "x.goal:3", "expected 'to' and a rank, found 'from'"},
    {RANKS2("l1: recv 5b to 1\n", ""), "x.goal:3", "expected 'from' and a rank, found 'to'"},
    {RANKS2("l1: send 5b to 2\n", ""), "x.goal:3", "send to rank 2 does not exist; there are 2 ranks"},
    {RANKS2("l1: send 5b to -1\n", ""), "x.goal:3", "expected rank, found '-'"},
    {RANKS2("", "recv 5b from -2\n"), "x.goal:5", "rank -2; the only negative value is -1 (any)"},
    {RANKS2("send 5b to 1 tag -1\n", ""), "x.goal:3", "expected tag, found '-'"},
    {RANKS2("send 5b to 1 tag 4294967295\n", ""), "x.goal:3", "tag 4294967295 is too large"},
    {RANKS2("send 5b to 1 cpu 256\n", ""), "x.goal:3", "cpu 256 is too large; at most 255"},
    {RANKS2("send 5b to 1 bag 2\n", ""), "x.goal:3",
     "expected tag, cpu, nic or the end of the line, found 'bag'"},
    {RANKS2("calc 5 nic 2\n", ""), "x.goal:3", "expected cpu or the end of the line, found 'nic'"},
    {RANKS2("calc 5 send\n", ""), "x.goal:3", "expected cpu or the end of the line, found 'send'"},
    {RANKS2("calc 5 { }\n", ""), "x.goal:3", "expected the end of the line, found '{'"},
    {RANKS2("calc -5\n", ""), "x.goal:3", "expected a time, found '-'"},
    {RANKS2("calc 9223372036854775808\n", ""), "x.goal:3", "a time 9223372036854775808 is too large"},
    {RANKS2("send 18446744073709551616b to 1\n", ""), "x.goal:3", "18446744073709551616 is too large"},
    {RANKS2("a: calc 5\na: calc 6\n", ""), "x.goal:4",
     "label 'a' is used for two operations of rank 0; the first is in line 3"},
    {RANKS2("a: calc 5\nb requires a\n", ""), "x.goal:4", "rank 0 has no operation 'b'"},
    {RANKS2("a: calc 5\na irequires b\n", "b: calc 5\n"), "x.goal:4", "rank 0 has no operation 'b'"},
    {RANKS2("a: calc 5\na requires 7\n", ""), "x.goal:4", "expected a label, found '7'"},
    {RANKS2("a: calc 5\na needs a\n", ""), "x.goal:4", "expected ':', requires or irequires after the label"},
    {RANKS2("a: calc 5\na requires a\n", ""), "x.goal:4", "an operation cannot depend on itself"},
    {RANKS2("a: calc 5\nb: calc 6\na requires b\nb requires a\n", ""), "x.goal",
     "rank 0: a cycle of 2 operations that wait for each other: calc (line 3) waits for calc (line 4) waits "
     "for calc "
     "(line "
     "3)"},
};

static void wrong_text(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bough_schedule *s;
        bough_status status = read_text(bad[i].text, strlen(bad[i].text), &s);
        if (status != BOUGH_INVALID || strcmp(error.place, bad[i].place) ||
            !strstr(error.reason, bad[i].reason))
            fail_msg("%s: %d %s: %s", bad[i].text, status, error.place, error.reason);
        assert_null(s);
    }
    bough_schedule *s;
    assert_int_equal(read_text("num_ranks 1\n\0rank 0 {}", 23, &s), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "NUL"));
}

/* Every prefix of a good text is refused, and so is it with any one byte changed to a brace (or is read). */
static void cut_text(void **state) {
    (void)state;
    static const char text[] = RANKS2("a: calc 5\nb: send 8b to 1 tag 7 cpu 1 nic 0\nb irequires a\n",
                                      "recv 8b from -1 tag -1 /* any */\n");
    char changed[sizeof text];
    for (size_t i = 0; i + 3 < sizeof text; i++) {
        bough_schedule *s;
        assert_int_equal(read_text(text, i, &s), BOUGH_INVALID);
        memcpy(changed, text, sizeof text);
        changed[i] = '}';
        if (!read_text(changed, sizeof text - 1, &s)) bough_schedule_destroy(s);
    }
}

static void reads(void **state) {
    (void)state;
    static const char text[] = "/* head\n */ num_ranks 3\r\n"
                               "rank 2 { calc 7 // unlabelled\n}\n\n"
                               "rank 0\n{\n"
                               "  send2 requires _x1\n" /* before they are defined */
                               "send2: send 12 b to 1 nic 3 tag 9 cpu 2\n"
                               "_x1:calc 100 cpu 1\n"
                               "tag: recv 1b from 2\n"
                               "tag irequires _x1 }\n"
                               "rank 1 {}";
    bough_schedule *s;
    assert_int_equal(read_text(text, sizeof text - 1, &s), BOUGH_OK);
    assert_true(s->ranks == 3 && s->ops == 4 && s->sends == 1 && s->recvs == 1 && s->calcs == 2 &&
                s->bytes == 12);
    assert_true(s->first[1] == 3 && s->first[2] == 3 && s->first[3] == 4 && s->cpus == 3 && s->nics == 4);
    const bough_op *op = s->op;
    assert_true(op[0].kind == BOUGH_OP_SEND && op[0].size == 12 && op[0].peer == 1 && op[0].tag == 9 &&
                op[0].cpu == 2 && op[0].nic == 3 && op[0].line == 9);
    assert_true(op[1].kind == BOUGH_OP_CALC && op[1].size == 100 && op[1].cpu == 1);
    assert_true(op[2].kind == BOUGH_OP_RECV && op[2].peer == 2 && op[2].tag == 0 && op[2].line == 11);
    assert_true(op[3].kind == BOUGH_OP_CALC && op[3].size == 7 && op[3].line == 3);
    assert_true(s->waits[0] == 1 && s->waits[1] == 0 && s->waits[2] == 1);
    assert_true(s->then[1] == 0 && s->then[2] == 2);
    assert_true(s->follower[1] == 0 << 1 && s->follower[0] == (2 << 1 | 1)); /* forward ones come last */
    bough_schedule_destroy(s);
}

/* ---- traffic ---- */

static const char *write_file(const char *name, const char *text) {
    const char *path = temporary_name(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static bough_traffic *traffic_of(const bough_net *net, const char *path, const char *more) {
    char spec[512];
    bough_traffic *t;
    snprintf(spec, sizeof spec, "goal:file=\"%s\"%s", path, more);
    bough_status status = bough_traffic_create(net, spec, &t, &error);
    assert_true(!status == (t != NULL));
    return t;
}

static void uneven(void **state) {
    (void)state;
    static const struct {
        const char *text, *line, *reason;
    } pair[] = {
        {RANKS2("send 8b to 1\n", "calc 1\n"), ":3", "rank 0: send 8 bytes to 1 tag 0 has no partner"},
        {RANKS2("calc 1\n", "recv 1b from 0 tag 3\n"), ":6",
         "rank 1: recv 1 byte from 0 tag 3 has no partner: rank 0 sends 0 matching messages, rank 1 receives "
         "1"},
        {RANKS2("send 8b to 1 tag 1\nsend 8b to 1 tag 1\n", "recv 8b from 0 tag 1\n"), ":4",
         "rank 0: send 8 bytes to 1 tag 1 has no partner: rank 0 sends 2 matching messages, rank 1 receives "
         "1"},
        {RANKS2("send 8b to 1\n", "recv 8b from 0\nrecv 8b from -1\n"), "",
         "rank 1 is the destination of 1 message but receives 2"},
        {RANKS2("send 8b to 1 tag 4\n", "recv 8b from -1 tag 5\n"), ":3", "no receive of rank 1 matches it"},
    };
    bough_net *net = net_make("fattree:n=4");
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        const char *path = write_file("uneven.goal", pair[i].text);
        char place[300];
        snprintf(place, sizeof place, "%s%s", path, pair[i].line);
        assert_null(traffic_of(net, path, ""));
        if (strcmp(error.place, place) || !strstr(error.reason, pair[i].reason))
            fail_msg("%s: %s: %s", pair[i].text, error.place, error.reason);
    }
    bough_net_destroy(net);
}

static void other_refusals(void **state) {
    (void)state;
    bough_net *two = net_make("fattree:n=2"), *four = net_make("fattree:n=4");
    static const char three[] = "num_ranks 3\nrank 0 { }\nrank 1 { }\nrank 2 { }\n";
    const char *path = write_file("three.goal", three);
    assert_null(traffic_of(two, path, ""));
    assert_non_null(strstr(error.reason, "3 ranks, but fattree:n=2 has 2 endpoints"));
    assert_null(traffic_of(four, path, ",place=nowhere"));
    assert_string_equal(error.place, "nowhere");
    path = write_file("long.goal", RANKS2("calc 4000000000000000000\n", ""));
    assert_null(traffic_of(four, path, ""));
    assert_non_null(strstr(error.reason, "calc 4000000000000000000 ns would take more than 6 days"));
    assert_non_null(strstr(error.place, "long.goal:3"));
    path = write_file("big.goal", RANKS2("send 4000000000000000000b to 1\n", "recv 1b from 0\n"));
    assert_null(traffic_of(four, path, ""));
    assert_non_null(strstr(error.reason, "would take more than 6 days"));
    bough_net_destroy(two);
    bough_net_destroy(four);
}

static void placements(void **state) {
    (void)state;
    static const struct {
        const char *text, *line, *reason;
    } wrong[] = {
        {"0 1\n1\n", ":2", "expected a rank and an endpoint"},
        {"0 1\nx 2\n", ":2", "expected a rank and an endpoint"},
        {"0 1\n# note\n2 1\n", ":3", "rank 2 is out of range; there are 2"},
        {"0 1\n0 1\n", ":2", "rank 0 is placed twice"},
        {"0 4\n1 0\n", ":1", "rank 0: 4 is out of range"},
        {"0 node7\n", ":1", "'node7' is not the number or name of an endpoint"},
        {"0 h4\n1 0\n", ":1", "'h4' is not the number or name of an endpoint"}, /* h4 would be a switch */
        {"0 h01\n1 0\n", ":1", "'h01' is not the number or name of an endpoint"},
        {"1 0\n", "", "does not place rank 0 of 2"},
        {"h[1\n", ":1", "[ without ]"},
        {"h[1-3]\n", ":1", "rank 2 is out of range"},
        {"0 h1\nh2\n", ":2", "rank 0 is placed twice"},
    };
    bough_net *net = net_make("fattree:n=4"), *one = net_make("fattree:n=2");
    char goal[300], more[400], place[400];
    snprintf(goal, sizeof goal, "%s", write_file("two.goal", RANKS2("send 8b to 1\n", "recv 8b from 0\n")));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *file = write_file("place.txt", wrong[i].text);
        snprintf(more, sizeof more, ",place=\"%s\"", file);
        snprintf(place, sizeof place, "%s%s", file, wrong[i].line);
        assert_null(traffic_of(net, goal, more));
        if (strcmp(error.place, place) || !strstr(error.reason, wrong[i].reason))
            fail_msg("%s: %s: %s", wrong[i].text, error.place, error.reason);
    }
    snprintf(more, sizeof more, ",place=\"%s\"", write_file("place.txt", "# both\n1 1\n 0\t 1 \n"));
    bough_traffic *t = traffic_of(one, goal, more);
    assert_non_null(t);
    assert_true(t->shape == BOUGH_SCHEDULE && t->messages == 1);
    assert_true(t->workload->endpoint[0] == 1 && t->workload->endpoint[1] == 1);
    bough_traffic_destroy(t);
    static const struct {
        const char *network, *lines;
    } named[] = {{"fattree:n=4", "0 h3\n1 h1\n"},
                 {"xgft:down=2x2,up=1x2", "0 h3\n1 1\n"}, /* all by name */
                 {"bft:n=4", "1 h1\n0 h3\n"},
                 {"bft:n=4", "h[3,1]\n"}, /* in the order of ranks */
                 {"bft:n=4", "# two lines\nh3\n h1 \n"},
                 {"cube:n=4", "0 v11\n1 v01\n"}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        bough_net *of = net_make(named[i].network);
        snprintf(more, sizeof more, ",place=\"%s\"", write_file("place.txt", named[i].lines));
        t = traffic_of(of, goal, more);
        if (!t) fail_msg("%s: %s", named[i].network, error.reason);
        assert_true(t->workload->endpoint[0] == 3 && t->workload->endpoint[1] == 1);
        bough_traffic_destroy(t);
        bough_net_destroy(of);
    }
    unsigned seen = 0;
    for (int key = 0; key < 200; key++) {
        snprintf(more, sizeof more, ",place=random,key=%d", key);
        t = traffic_of(net, goal, more);
        const uint32_t *at = t->workload->endpoint;
        assert_true(at[0] != at[1] && at[0] < 4 && at[1] < 4);
        seen |= 1u << (4 * at[0] + at[1]);
        bough_traffic_destroy(t);
    }
    assert_int_equal(__builtin_popcount(seen), 12); /* every pair of two of four comes up */
    bough_net_destroy(net);
    bough_net_destroy(one);
}

static void hosts(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=4");
    const char *path = write_file("hosts.goal", RANKS2("send 8b to 1\n", "recv 8b from 0\n"));
    bough_traffic *t = traffic_of(net, path, "");
    const bough_host usual = {BOUGH_FROM_NETWORK, 1500000, 1000000, BOUGH_FROM_NETWORK, 0, 65535};
    assert_memory_equal(&t->workload->host, &usual, sizeof usual);
    bough_traffic_destroy(t);
    t = traffic_of(net, path, ",L=1us,o=2ps,g=3ns,G=4ps,O=5ps,S=0");
    const bough_host other = {1000000, 2, 3000, 4, 5, 0};
    assert_memory_equal(&t->workload->host, &other, sizeof other);
    bough_traffic_destroy(t);
    assert_null(traffic_of(net, path, ",L=1us")); /* one of the two */
    assert_non_null(strstr(error.reason, "G= is missing"));
    bough_physical *physical;
    assert_int_equal(bough_physical_create("loggopsim:o=7ps", &physical, &error), BOUGH_OK);
    bough_net_set_physical(net, physical);
    t = traffic_of(net, path, ",g=3ns");
    const bough_host both = {2500000, 7, 3000, 6000, 0, 65535};
    assert_memory_equal(&t->workload->host, &both, sizeof both);
    bough_traffic_destroy(t);
    bough_physical_destroy(physical);
    bough_net_destroy(net);
}

static void compressed(void **state) {
    (void)state;
    static const char text[] = RANKS2("send 8b to 1\n", "recv 8b from 0\n");
    const char *path = temporary_name("cut.goal.gz");
    bough_schedule *s;
    char data[512];
    gzFile file = gzopen(path, "wb");
    gzwrite(file, text, sizeof text - 1);
    gzclose(file);
    assert_int_equal(bough_schedule_read_goal(path, NULL, &s, &error), BOUGH_OK);
    assert_int_equal(s->ops, 2);
    bough_schedule_destroy(s);
    FILE *raw = fopen(path, "rb");
    size_t size = fread(data, 1, sizeof data, raw);
    fclose(raw);
    raw = fopen(path, "wb");
    fwrite(data, 1, size - 12, raw);
    fclose(raw);
    assert_int_equal(bough_schedule_read_goal(path, NULL, &s, &error), BOUGH_INVALID);
    assert_string_equal(error.place, path);
    assert_non_null(strstr(error.reason, "truncated"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_text), cmocka_unit_test(cut_text),       cmocka_unit_test(reads),
        cmocka_unit_test(uneven),     cmocka_unit_test(other_refusals), cmocka_unit_test(placements),
        cmocka_unit_test(hosts),      cmocka_unit_test(compressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
