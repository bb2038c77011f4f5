/* OTF2 traces, written here by the library's own writer: what a program of MPI becomes, and what is refused.
 */
#include "formats/traces/recorded_readers.h"
#include "support/own_directory.h"
#include "traffic/recorded/recording_schedule.h"

#include <otf2/otf2.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a writer ---- */

enum { RANKS = 4, WORLD = 0, SELF = 1, PAIRS = 2 }; /* communicators; PAIRS: ranks 3 and 1 */
enum { MAIN, SEND_REGION };                         /* regions */
enum { G_LOCATIONS, G_WORLD, G_SELF, G_PAIRS };     /* groups */
enum { RESOLUTION = 1000000, ORIGIN = 5000 };       /* ticks of a microsecond */

static OTF2_FlushType pre_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                bool last) {
    (void)user, (void)type, (void)location, (void)caller, (void)last;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp post_flush(void *user, OTF2_FileType type, OTF2_LocationRef location) {
    (void)user, (void)type, (void)location;
    return ORIGIN + 1000000;
}

/* Writes the events of a rank. */
typedef void write_rank(OTF2_EvtWriter *w, uint32_t rank);

static void write_definitions(OTF2_Archive *archive) {
    static const char *const strings[] = {"", "node", "rank", "main", "MPI_Send", "world"};
    const uint64_t locations[RANKS] = {100, 101, 102, 103}, world[RANKS] = {0, 1, 2, 3}, pairs[2] = {3, 1};
    OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(archive);
    assert_int_equal(
        OTF2_GlobalDefWriter_WriteClockProperties(w, RESOLUTION, ORIGIN, 1000, OTF2_UNDEFINED_TIMESTAMP), 0);
    for (uint32_t i = 0; i < sizeof strings / sizeof *strings; i++)
        assert_int_equal(OTF2_GlobalDefWriter_WriteString(w, i, strings[i]), 0);
    assert_int_equal(OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, 1, 1, OTF2_UNDEFINED_SYSTEM_TREE_NODE),
                     0);
    for (uint32_t r = 0; r < RANKS; r++) {
        assert_int_equal(OTF2_GlobalDefWriter_WriteLocationGroup(w, r, 2, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                                 OTF2_UNDEFINED_LOCATION_GROUP),
                         0);
        assert_int_equal(
            OTF2_GlobalDefWriter_WriteLocation(w, locations[r], 2, OTF2_LOCATION_TYPE_CPU_THREAD, 10, r), 0);
    }
    assert_int_equal(OTF2_GlobalDefWriter_WriteRegion(w, MAIN, 3, 3, 0, OTF2_REGION_ROLE_FUNCTION,
                                                      OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0),
                     0);
    assert_int_equal(OTF2_GlobalDefWriter_WriteRegion(w, SEND_REGION, 4, 4, 0, OTF2_REGION_ROLE_POINT2POINT,
                                                      OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 0, 0, 0),
                     0);
    OTF2_GlobalDefWriter_WriteGroup(w, G_LOCATIONS, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, RANKS, locations);
    OTF2_GlobalDefWriter_WriteGroup(w, G_WORLD, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, RANKS, world);
    OTF2_GlobalDefWriter_WriteGroup(w, G_SELF, 0, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 0, NULL);
    OTF2_GlobalDefWriter_WriteGroup(w, G_PAIRS, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 2, pairs);
    OTF2_GlobalDefWriter_WriteComm(w, WORLD, 5, G_WORLD, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(w, SELF, 5, G_SELF, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(w, PAIRS, 5, G_PAIRS, WORLD, OTF2_COMM_FLAG_NONE);
    OTF2_Archive_CloseGlobalDefWriter(archive, w);
}

static void write_trace(write_rank *events) {
    const OTF2_FlushCallbacks flush = {pre_flush, post_flush};
    OTF2_Archive *archive = OTF2_Archive_Open("trace", "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    assert_non_null(archive);
    assert_int_equal(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL), 0);
    assert_int_equal(OTF2_Archive_SetSerialCollectiveCallbacks(archive), 0);
    assert_int_equal(OTF2_Archive_OpenEvtFiles(archive), 0);
    for (uint32_t r = 0; r < RANKS; r++) {
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, 100 + r);
        events(w, r);
        assert_int_equal(OTF2_Archive_CloseEvtWriter(archive, w), 0);
    }
    assert_int_equal(OTF2_Archive_CloseEvtFiles(archive), 0);
    OTF2_Archive_OpenDefFiles(archive);
    for (uint32_t r = 0; r < RANKS; r++)
        OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, 100 + r));
    OTF2_Archive_CloseDefFiles(archive);
    write_definitions(archive);
    assert_int_equal(OTF2_Archive_Close(archive), 0);
}

/* ---- reading ---- */

static bough_status read_trace(bough_schedule **s, bough_error *error) {
    recording r = {0};
    recording_options options = {"trace", "doubling", 0};
    *error = (bough_error){0};
    *s = NULL;
    bough_status status = otf2_read("trace/traces.otf2", &r, error);
    if (!status) status = recording_schedule(&r, &options, s, error);
    arena_fini(&r.memory);
    return status;
}

static bough_schedule *schedule_of(write_rank *events) {
    bough_schedule *s;
    bough_error error;
    write_trace(events);
    if (read_trace(&s, &error)) fail_msg("%s: %s", error.place, error.reason);
    return s;
}

static void refused(write_rank *events, const char *reason) {
    bough_schedule *s;
    bough_error error;
    write_trace(events);
    bough_status status = read_trace(&s, &error);
    if (status != BOUGH_INVALID || !strstr(error.reason, reason) || !*error.place)
        fail_msg("status %d, '%s: %s', expected '%s'", status, error.place, error.reason, reason);
    assert_null(s);
}

static bool follows(const bough_schedule *s, uint32_t rank, uint32_t after, uint32_t before, bool start) {
    uint32_t a = s->first[rank] + after, b = s->first[rank] + before;
    for (uint64_t f = s->then[b]; f < s->then[b + 1]; f++)
        if (s->follower[f] == (a << 1 | start)) return true;
    return false;
}

static const bough_op *op_of(const bough_schedule *s, uint32_t rank, uint32_t i) {
    assert_true(s->first[rank] + i < s->first[rank + 1]);
    return &s->op[s->first[rank] + i];
}

#define T(us) (ORIGIN + (us))

/* main computes 10 us, then sends in a region of MPI for 30 us, then computes 5 us. */
static void one_message(OTF2_EvtWriter *w, uint32_t rank) {
    if (rank > 1) return;
    OTF2_EvtWriter_Enter(w, NULL, T(0), MAIN);
    OTF2_EvtWriter_Enter(w, NULL, T(10), SEND_REGION);
    if (rank == 0)
        OTF2_EvtWriter_MpiSend(w, NULL, T(12), 1, WORLD, 7, 99);
    else
        OTF2_EvtWriter_MpiRecv(w, NULL, T(39), 0, WORLD, 7, 99);
    OTF2_EvtWriter_Leave(w, NULL, T(40), SEND_REGION);
    OTF2_EvtWriter_Leave(w, NULL, T(45), MAIN);
}

static void time_outside_of_mpi_is_computation(void **state) {
    (void)state;
    bough_schedule *s = schedule_of(one_message);
    assert_int_equal(s->ranks, RANKS);
    for (uint32_t r = 0; r < 2; r++) {
        assert_int_equal(s->first[r + 1] - s->first[r], 3);
        assert_int_equal(op_of(s, r, 0)->size, 10000);
        assert_int_equal(op_of(s, r, 1)->kind, r ? BOUGH_OP_RECV : BOUGH_OP_SEND);
        assert_int_equal(op_of(s, r, 1)->size, 99);
        assert_int_equal(op_of(s, r, 1)->tag, 7);
        assert_int_equal(op_of(s, r, 1)->peer, 1 - r);
        assert_int_equal(op_of(s, r, 2)->size, 5000);
        assert_true(follows(s, r, 1, 0, false) && follows(s, r, 2, 1, false));
    }
    bough_schedule_destroy(s);
}

/* Non-blocking, without regions, in the communicator of ranks 3 and 1: the receive is known when it ends. One
 * request is cancelled. */
static void requests(OTF2_EvtWriter *w, uint32_t rank) {
    if (rank == 3) {
        OTF2_EvtWriter_MpiIrecvRequest(w, NULL, T(0), 55);
        OTF2_EvtWriter_MpiIrecvRequest(w, NULL, T(0), 56);
        OTF2_EvtWriter_MpiRequestCancelled(w, NULL, T(4), 56);
        OTF2_EvtWriter_MpiIrecv(w, NULL, T(9), 1, PAIRS, 7, 99, 55);
    } else if (rank == 1) {
        OTF2_EvtWriter_MpiIsend(w, NULL, T(2), 0, PAIRS, 7, 99, 1);
        OTF2_EvtWriter_MpiIsendComplete(w, NULL, T(8), 1);
    }
}

static void requests_are_awaited(void **state) {
    (void)state;
    bough_schedule *s = schedule_of(requests);
    /* rank 3: receive, the cancelled one, 9 us of computation, the wait */
    assert_int_equal(s->first[4] - s->first[3], 4);
    assert_int_equal(op_of(s, 3, 0)->kind, BOUGH_OP_RECV);
    assert_int_equal(op_of(s, 3, 0)->peer, 1);
    assert_int_equal(op_of(s, 3, 1)->kind, BOUGH_OP_CALC);
    assert_int_equal(op_of(s, 3, 1)->size, 0);
    assert_int_equal(op_of(s, 3, 2)->size, 9000);
    assert_true(follows(s, 3, 1, 0, true) && follows(s, 3, 3, 0, false) && follows(s, 3, 3, 2, false));
    /* rank 1: send, 6 us, the wait */
    assert_int_equal(s->first[2] - s->first[1], 3);
    assert_int_equal(op_of(s, 1, 0)->peer, 3);
    assert_int_equal(op_of(s, 1, 0)->tag, op_of(s, 3, 0)->tag);
    assert_true(follows(s, 1, 1, 0, true) && follows(s, 1, 2, 0, false));
    bough_schedule_destroy(s);
}

static OTF2_CollectiveOp collective;
static uint64_t sent_bytes, received_bytes;

static void one_collective(OTF2_EvtWriter *w, uint32_t rank) {
    (void)rank;
    OTF2_EvtWriter_MpiCollectiveBegin(w, NULL, T(0));
    OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, T(1), OTF2_COLLECTIVE_OP_BARRIER, SELF, OTF2_UNDEFINED_UINT32, 0,
                                    0);
    OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, T(1), collective, WORLD, 1, sent_bytes, received_bytes);
}

/* Bytes that the ranks send together in a collective of these sizes for each rank. */
static void collectives_by_hand(void **state) {
    (void)state;
    static const struct {
        OTF2_CollectiveOp kind;
        uint64_t sent, received, all;
    } table[] = {
        {OTF2_COLLECTIVE_OP_BARRIER, 0, 0, 0},
        {OTF2_COLLECTIVE_OP_BCAST, 0, 40, 3 * 40},
        {OTF2_COLLECTIVE_OP_GATHERV, 40, 0, 3 * 40},
        {OTF2_COLLECTIVE_OP_SCATTER, 0, 40, 3 * 40},
        {OTF2_COLLECTIVE_OP_ALLGATHER, 40, 160, 4 * 120},
        {OTF2_COLLECTIVE_OP_ALLTOALL, 160, 160, 4 * 120},
        {OTF2_COLLECTIVE_OP_ALLREDUCE, 40, 40, 4 * 80},
        {OTF2_COLLECTIVE_OP_REDUCE, 40, 0, 3 * 40},
        {OTF2_COLLECTIVE_OP_REDUCE_SCATTER, 160, 40, 4 * 120},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint64_t all = 0;
        own_directory_leave(state); /* an archive cannot be written twice */
        own_directory_enter(state);
        collective = table[i].kind;
        sent_bytes = table[i].sent;
        received_bytes = table[i].received;
        bough_schedule *s = schedule_of(one_collective);
        for (uint32_t o = 0; o < s->ops; o++)
            if (s->op[o].kind == BOUGH_OP_SEND) all += s->op[o].size;
        if (all != table[i].all) fail_msg("kind %u: %lu bytes", table[i].kind, (unsigned long)all);
        bough_schedule_destroy(s);
    }
}

static void unknown_peer(OTF2_EvtWriter *w, uint32_t rank) {
    if (rank == 0) OTF2_EvtWriter_MpiSend(w, NULL, T(0), 2, PAIRS, 7, 99);
}

static void unknown_communicator(OTF2_EvtWriter *w, uint32_t rank) {
    if (rank == 0) OTF2_EvtWriter_MpiSend(w, NULL, T(0), 2, 77, 7, 99);
}

static void unknown_request(OTF2_EvtWriter *w, uint32_t rank) {
    if (rank == 0) OTF2_EvtWriter_MpiIsendComplete(w, NULL, T(0), 3);
}

static void scan(OTF2_EvtWriter *w, uint32_t rank) {
    (void)rank;
    OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, T(1), OTF2_COLLECTIVE_OP_SCAN, WORLD, OTF2_UNDEFINED_UINT32, 8,
                                    8);
}

static void wrong_traces_are_refused(void **state) {
    static const struct {
        write_rank *events;
        const char *reason;
    } table[] = {{unknown_peer, "rank 2 in a communicator of 2"},
                 {unknown_communicator, "communicator 77 is not one of MPI ranks"},
                 {unknown_request, "the end of request 3, which has not begun"},
                 {scan, "no algorithm for collective 14"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        own_directory_leave(state);
        own_directory_enter(state);
        refused(table[i].events, table[i].reason);
    }
}

/* Files that are missing or damaged: one line, and nothing on standard error. */
static void damaged_files_are_refused(void **state) {
    (void)state;
    bough_schedule *s;
    bough_error error;
    assert_int_equal(read_trace(&s, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "cannot be read as OTF2"));
    write_trace(one_message);
    file_write("trace/traces.def", "hello", 5);
    assert_int_equal(read_trace(&s, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "definitions cannot be read as OTF2"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, own_directory_enter, own_directory_leave)

/* OTF2 3.0 does not free its archive when it refuses an anchor file. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libopen-trace-format2";
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(time_outside_of_mpi_is_computation), TEST(requests_are_awaited),      TEST(collectives_by_hand),
        TEST(wrong_traces_are_refused),           TEST(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
