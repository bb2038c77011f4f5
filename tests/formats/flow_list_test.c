/* Lists of messages: what the readers refuse, what they read, when triggers fire. */
#include "traffic/lists/flow_list_traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bough_status read_list(const char *text, uint64_t unit, flow_list *l, bough_error *error) {
    bough_input input;
    if (bough_input_from("list", text, strlen(text), &input, error)) fail_msg("%s", error->reason);
    *l = (flow_list){0};
    *error = (bough_error){0};
    bough_status status =
        unit ? flow_list_read_cm(&input, unit, 0, l, error) : flow_list_read_matrix(&input, l, error);
    bough_input_fini(&input);
    return status;
}

static void refused(const char *text, uint64_t unit, const char *place, const char *reason) {
    flow_list l;
    bough_error error;
    bough_status status = read_list(text, unit, &l, &error);
    if (status != BOUGH_INVALID || strcmp(error.place, place) != 0 || !strstr(error.reason, reason))
        fail_msg("'%s': status %d, '%s: %s', expected '%s: %s'", text, status, error.place, error.reason,
                 place, reason);
    flow_list_fini(&l);
}

static void wrong_lists_are_refused(void **state) {
    (void)state;
    refused("", 1, "list", "the file has no Nodes line");
    refused("0->1 start 0 size 1\n", 1, "list:1", "message before the Nodes line");
    refused("Nodes x\n", 1, "list:1", "Nodes 'x' is not a whole number");
    refused("Nodes 2\nNodes 2\n", 1, "list:2", "twice");
    refused("Nodes 2\nhallo\n", 1, "list:2", "unknown key 'hallo'");
    refused("Nodes 2\nfailure switch_type TOR\n", 1, "list:2", "unknown key 'failure'");
    refused("Nodes 2\n0->2 start 0 size 1\n", 1, "list:2", "node 2 does not exist; there are 2");
    refused("Nodes 2\n5->1 start 0 size 1\n", 1, "list:2", "node 5 does not exist");
    refused("Nodes 2\n0->x start 0 size 1\n", 1, "list:2", "SOURCE->DESTINATION");
    refused("Nodes 2\n0->1 start 0\n", 1, "list:2", "no size");
    refused("Nodes 2\n0->1 start 0 size 0\n", 1, "list:2", "size 0 is an endless flow");
    refused("Nodes 2\n0->1 size 1\n", 1, "list:2", "either a start or a trigger");
    refused("Nodes 2\n0->1 start 0 size\n", 1, "list:2", "'size' has no value");
    refused("Nodes 2\n0->1 start -1 size 1\n", 1, "list:2", "start '-1' is not a number");
    refused("Nodes 2\n0->1 start 1e300 size 1\n", 1, "list:2", "too late");
    refused("Nodes 2\n0->1 start 0 size 1.5\n", 1, "list:2", "size '1.5'");
    refused("Nodes 2\n0->1 id 1 msg 0 start 0 size 1\n", 1, "list:2", "msg 0; messages count from 1");
    refused("Nodes 2\n0->1 id 1 start 0 size 1 msg 99999999999999999999\n", 1, "list:2", "msg '9");
    refused("Nodes 2\n0->1 start 0 size 1 speed 3\n", 1, "list:2", "unknown key 'speed'");
    refused("Nodes 2\nConnections 2\n0->1 start 0 size 1\n", 1, "list:3",
            "1 message, but Connections gives 2");
    refused("Nodes 2\n0->1 trigger 3 size 1\n", 1, "list:2", "trigger 3 is used but never described");
    refused("Nodes 2\n0->1 trigger 0 size 1\n", 1, "list:2", "must not be 0");
    refused("Nodes 2\ntrigger id 1 multishot\n", 1, "list:2", "unknown key 'multishot'");
    refused("Nodes 2\ntrigger id 1 barrier\n", 1, "list:2", "count of signals");
    refused("Nodes 2\ntrigger id 1 oneshot\ntrigger id 1 oneshot\n", 1, "list:3", "described twice");
    refused("", 0, "list", "empty");
    refused("0 1\n1 0 2\n", 0, "list:2", "3 entries, but the first line has 2");
    refused("0 1 2\n1 0 2\n", 0, "list:2", "2 lines of 3 entries");
    refused("0 1\n1 0\n0 0\n", 0, "list:3", "more lines than the 2 columns");
    refused("0 1\n1 -3\n", 0, "list:2", "numbers of bytes, '-3'");
}

static void lists_are_read(void **state) {
    (void)state;
    flow_list l;
    bough_error error;
    if (read_list(
            "# by hand\nNodes 4\nConnections 3\n2->1 id 7 msg start 1.5 size 10\n0->3 start 0 size 5 prio 3\n"
            "1->0 id 2 msg 4 start 1 size 1 msg\n",
            1000000, &l, &error))
        fail_msg("%s: %s", error.place, error.reason);
    assert_int_equal(l.nodes, 4);
    assert_int_equal(l.flows, 3);
    assert_int_equal(l.timed, 3);
    assert_int_equal(l.flow[0].start, 0);
    assert_int_equal(l.flow[1].start, 1000000);
    assert_int_equal(l.flow[2].start, 1500000);
    assert_int_equal(l.flow[2].source, 2);
    assert_int_equal(l.flow[2].size, 10);
    assert_true(l.prioritised);
    flow_list_fini(&l);
    if (read_list("0 5,0\n\n7 9 0\n# nothing\n0 0 1\n", 0, &l, &error)) fail_msg("%s", error.reason);
    assert_int_equal(l.nodes, 3);
    assert_int_equal(l.flows, 2);
    assert_true(l.flow[0].source == 0 && l.flow[0].destination == 1 && l.flow[0].size == 5);
    assert_true(l.flow[1].source == 1 && l.flow[1].destination == 0 && l.flow[1].size == 7);
    flow_list_fini(&l);
    if (read_list("Nodes 4\n", 1, &l, &error)) fail_msg("%s", error.reason); /* nobody sends anything */
    assert_true(l.nodes == 4 && l.flows == 0);
    flow_list_fini(&l);
}

static bough_status read_ns3(const char *text, flow_list *l, bough_error *error) {
    bough_input input;
    if (bough_input_from("list", text, strlen(text), &input, error)) fail_msg("%s", error->reason);
    *l = (flow_list){0};
    *error = (bough_error){0};
    bough_status status = flow_list_read_ns3(&input, l, error);
    bough_input_fini(&input);
    return status;
}

static void wrong_flows_are_refused(void **state) {
    (void)state;
    static const char *const bad[][3] = {
        {"", "list", "an empty file; expected the number of flows"},
        {"source,destination\n", "list:1", "2 fields; expected the number of flows"},
        {"x\n", "list:1", "number of flows 'x'"},
        {"2\n0 1 3 100 10 2.0\n", "list:2", "1 flow, but the first line gives 2"},
        {"1\n0 1 3 10\n", "list:2", "4 fields; a flow has source"},
        {"1\n0 1 3 100 10 2.0 3.0\n", "list:2", "7 fields; a flow has source"},
        {"1\n0 -1 3 100 10 2.0\n", "list:2", "destination '-1'"},
        {"1\n0 4294967296 3 100 10 2.0\n", "list:2", "destination"},
        {"1\n0 1 3 100 2.0 9.5\n", "list:2",
         "bytes '2.0' is not a whole number; a flow has source, destination"},
        {"1\n0 1 3 100 0 2.0\n", "list:2", "a flow of 0 bytes"},
        {"1\n0 1 3 100 10 soon\n", "list:2", "start 'soon' is not a number"},
        {"1\n0 1 3 100 10 1e6\n", "list:2", "is too late"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        flow_list l;
        bough_error error;
        bough_status status = read_ns3(bad[i][0], &l, &error);
        if (status != BOUGH_INVALID || strcmp(error.place, bad[i][1]) != 0 ||
            !strstr(error.reason, bad[i][2]))
            fail_msg("%zu: '%s: %s'", i, error.place, error.reason);
        flow_list_fini(&l);
    }
}

/* Starts count from the first one; one line leaves its port out; what follows the flows is not read. */
static void flows_are_read(void **state) {
    (void)state;
    flow_list l;
    bough_error error;
    if (read_ns3("2\r\n\n0 9 3 100 1000 2.000001\n4 0 3 50 2\nnot read\n", &l, &error))
        fail_msg("%s: %s", error.place, error.reason);
    assert_int_equal(l.nodes, 10);
    assert_int_equal(l.flows, 2);
    assert_int_equal(l.timed, 2);
    assert_true(l.flow[0].source == 4 && l.flow[0].size == 50 && l.flow[0].start == 0);
    assert_true(l.flow[1].destination == 9 && l.flow[1].size == 1000 && l.flow[1].start == 1000000);
    assert_false(l.prioritised);
    flow_list_fini(&l);
    if (read_ns3("2\n0 1 3 100 8 2\n0 1 0 100 8 2\n", &l, &error)) fail_msg("%s", error.reason);
    assert_true(l.prioritised);
    flow_list_fini(&l);
}

/* Every message takes 10 ticks. Writes "time:source>destination/units " of each, then when the last was
 * there, in ps. */
static void play(const char *text, const uint32_t *endpoint, const bough_clock *clock, char *out,
                 size_t size) {
    flow_list l;
    bough_error error;
    bough_net *net;
    bough_source *source;
    uint64_t arrival[16], born = 0, told = 0, now;
    if (read_list(text, 1, &l, &error)) fail_msg("%s: %s", error.place, error.reason);
    if (bough_net_create("xgft:down=8,up=1", &net, &error)) fail_msg("%s", error.reason);
    if (flow_list_source(&(placed_flows){&l, net, endpoint}, clock, &source, &error))
        fail_msg("%s", error.reason);
    *out = 0;
    for (;;) {
        bough_message m[2];
        uint32_t got;
        now = source->next_time(source);
        if (told < born && arrival[told] < now) now = arrival[told];
        if (now == BOUGH_NONE) break;
        while (told < born && arrival[told] == now) source->delivered(source, (uint32_t)told++, now);
        while ((got = source->pop(source, now, m, 2)))
            for (uint32_t i = 0; i < got; i++) {
                assert_int_equal(m[i].id, born);
                arrival[born++] = now + 10;
                size_t length = strlen(out);
                snprintf(out + length, size - length, "%u:%u>%u/%u ", (unsigned)m[i].time, m[i].source,
                         m[i].address, (unsigned)m[i].size);
            }
    }
    bough_source_report report;
    source->report(source, &report);
    assert_int_equal(report.left, 0);
    snprintf(out + strlen(out), size - strlen(out), "end %u", (unsigned)report.end);
    source->close(source);
    bough_net_destroy(net);
    flow_list_fini(&l);
}

static void messages_start_when_they_should(void **state) {
    (void)state;
    static const uint32_t same[] = {0, 1, 2, 3}, moved[] = {4, 4, 6, 7};
    static const char list[] =
        "Nodes 4\n0->1 start 5 size 8 recv_done_trigger 1\n1->2 start 0 size 8 send_done_trigger 1\n"
        "2->3 trigger 1 size 9\n3->0 trigger 2 size 7\ntrigger id 1 barrier count 2\n"
        "0->2 start 30 size 1 recv_done_trigger 2 send_done_trigger 2\ntrigger id 2 oneshot\n";
    char out[512];
    play(list, same, NULL, out, sizeof out);
    assert_string_equal(out, "0:1>2/8 5:0>1/8 15:2>3/9 30:0>2/1 40:3>0/7 end 50");
    /* ticks of 4 ps, units of 3 bytes: everything is rounded up */
    play(list, same, &(bough_clock){4, 3}, out, sizeof out);
    assert_string_equal(out, "0:1>2/3 2:0>1/3 8:0>2/1 12:2>3/3 18:3>0/3 end 112");
    /* 0 and 1 sit together: their message is there at once */
    play(list, moved, NULL, out, sizeof out);
    assert_string_equal(out, "0:4>6/8 10:6>7/9 30:4>6/1 40:7>4/7 end 50");
}

/* Within an endpoint messages take no time. Arrivals are told at the ticks' ends, so that a message that was
 * there earlier may be told of later: who waited for it goes first all the same. */
static void triggers_fire_in_order(void **state) {
    (void)state;
    static const uint32_t moved[] = {4, 4, 6, 7};
    static const char list[] = "Nodes 4\n0->2 start 0 size 1 recv_done_trigger 1\n"
                               "2->3 trigger 1 size 1\ntrigger id 1 oneshot\n"
                               "0->1 start 38 size 1 recv_done_trigger 2\n"
                               "3->2 trigger 2 size 1\ntrigger id 2 oneshot\n"
                               "1->0 start 900 size 1\n";
    char out[512];
    play(list, moved, &(bough_clock){4, 1}, out, sizeof out);
    assert_string_equal(out, "0:4>6/1 10:7>6/1 10:6>7/1 end 900");
}

static void real_lists(void **state) {
    (void)state;
    static const struct {
        const char *file;
        uint64_t unit, nodes, flows; /* some destinations of two of them are node 256 of 256 */
    } table[] = {{"perm-1024.cm", 1, 1024, 1024},
                 {"websearch-256.cm", 1000000, 257, 870},
                 {"alibaba-256.cm.gz", 1000000, 257, 14617},
                 {"mpi-app-64.mat", 0, 64, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char path[512];
        bough_input input;
        bough_error error = {0};
        flow_list l = {0};
        snprintf(path, sizeof path, "%s/matrices/%s", SHARED_DATA, table[i].file);
        if (access(path, R_OK) != 0) skip();
        if (bough_input_read(path, &input, &error)) fail_msg("%s", error.reason);
        if (table[i].unit ? flow_list_read_cm(&input, table[i].unit, (uint32_t)table[i].nodes, &l, &error)
                          : flow_list_read_matrix(&input, &l, &error))
            fail_msg("%s: %s", error.place, error.reason);
        assert_int_equal(l.nodes, table[i].nodes);
        if (table[i].flows) assert_int_equal(l.flows, table[i].flows);
        bough_input_fini(&input);
        flow_list_fini(&l);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(wrong_flows_are_refused),
        cmocka_unit_test(flows_are_read),
        cmocka_unit_test(messages_start_when_they_should),
        cmocka_unit_test(triggers_fire_in_order),
        cmocka_unit_test(real_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
