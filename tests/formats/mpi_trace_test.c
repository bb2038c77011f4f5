/* MPI traces: what the reader refuses, calls by hand, and the real trace against the schedule that Schedgen
 * made of it. */
#include "formats/traces/recorded_readers.h"
#include "support/fabrics.h"
#include "traffic/recorded/recording_schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS_MAX = 8 };

/* Reads one text a rank, and makes the schedule. */
static bough_status schedule_of(const char *const *text, bough_schedule **s, bough_error *error) {
    static char name[RANKS_MAX][16];
    bough_input_piece piece[RANKS_MAX];
    bough_input input = {.name = "trace", .piece = piece};
    recording r = {0};
    for (; text[input.count]; input.count++) {
        snprintf(name[input.count], sizeof *name, "rank-%zu", input.count);
        piece[input.count] =
            (bough_input_piece){name[input.count], (char *)text[input.count], strlen(text[input.count])};
    }
    *error = (bough_error){0};
    *s = NULL;
    bough_status status = mpi_trace_read(&input, &r, error);
    recording_options options = {"trace", "doubling", 0};
    if (!status) status = recording_schedule(&r, &options, s, error);
    arena_fini(&r.memory);
    return status;
}

static bough_schedule *read_text(const char *const *text) {
    bough_schedule *s;
    bough_error error;
    if (schedule_of(text, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
    return s;
}

static void refused(const char *const *text, const char *place, const char *reason) {
    bough_schedule *s;
    bough_error error;
    bough_status status = schedule_of(text, &s, &error);
    if (status != BOUGH_INVALID || !strstr(error.place, place) || !strstr(error.reason, reason))
        fail_msg("status %d, '%s: %s', expected '%s: %s'", status, error.place, error.reason, place, reason);
    assert_null(s);
}

#define INIT                             "MPI_Init:-:1:1:1000.000000\n"
#define TEXTS(...)                       ((const char *const[]){__VA_ARGS__, NULL})
#define WORLD0                           "0,0,2"
#define WORLD1                           "0,1,2"
#define SEND(start, to, tag, world, end) "MPI_Send:" start ":7:10:2,4,4:" to ":" tag ":" world ":" end "\n"
#define RECV(start, from, tag, world, end)                                                                   \
    "MPI_Recv:" start ":7:10:2,4,4:" from ":" tag ":" world ":9:" end "\n"

static void wrong_traces_are_refused(void **state) {
    (void)state;
    refused(TEXTS(""), "rank-0", "no MPI_Init");
    refused(TEXTS(INIT "Send:1:2\n"), "rank-0:2", "expected a call of MPI");
    refused(TEXTS("MPI_Send:1:7:10:2,4,4:0:5:0,0,1:2\n"), "rank-0:1", "before MPI_Init");
    refused(TEXTS(INIT "MPI_Send:1001:7:10\n"), "rank-0:2", "4 fields; MPI_Send has 9");
    refused(TEXTS(INIT "MPI_Send:x:7:10:2,4,4:0:5:0,0,1:1002\n"), "rank-0:2", "not a number of microseconds");
    refused(TEXTS(INIT "MPI_Send:999:7:10:2,4,4:0:5:0,0,1:1002\n"), "rank-0:2",
            "before the last call has ended");
    refused(TEXTS(INIT "MPI_Send:1003:7:10:2,4,4:0:5:0,0,1:1002\n"), "rank-0:2", "ends before it begins");
    refused(TEXTS(INIT "MPI_Send:1001:7:-1:2,4,4:0:5:0,0,1:1002\n"), "rank-0:2", "not a whole number");
    refused(TEXTS(INIT "MPI_Send:1001:7:10:2,4:0:5:0,0,1:1002\n"), "rank-0:2",
            "the type has not three parts");
    refused(TEXTS(INIT "MPI_Send:1001:7:10:2,4,4:1:5:0,0,1:1002\n"), "rank-0:2",
            "rank 1 in a communicator of 1");
    refused(TEXTS(INIT "MPI_Send:1001:7:10:2,4,4:0:-1:0,0,1:1002\n"), "rank-0:2", "tag -1 of a send");
    refused(TEXTS(INIT "MPI_Barrier:1001:0,0,2:1002\n"), "rank-0:2", "there are files of 1 rank");
    refused(TEXTS(INIT "MPI_Bcast:1001:7:1:2,4,4:1:0,0,1:1002\n"), "rank-0:2", "root 1");
    refused(TEXTS(INIT "MPI_Start:1001:77:1002\n"), "rank-0:2", "not a persistent one");
    refused(TEXTS(INIT "MPI_Waitany:1001:1:77:3:1:1002\n"), "rank-0:2", "does not say which request");
    refused(TEXTS(INIT "MPI_Alltoallv:1001:1\n"), "rank-0:2", "sizes are arrays");
    refused(TEXTS(INIT "MPI_Scan:1001:1\n"), "rank-0:2", "prefix");
    refused(TEXTS(INIT "MPI_Barrier:1001:0,0,1:1002\nMPI_Barrier:1003:0,0,2:1004\n", INIT), "rank-0:3",
            "in line 2 it has 1");
}

static void programs_that_do_not_match_are_refused(void **state) {
    (void)state;
    refused(TEXTS(INIT "MPI_Barrier:1001:0,0,2:1002\n", INIT), "", "2 ranks: the traces do not say which");
    refused(TEXTS(INIT "MPI_Barrier:1001:0,0,2:1002\nMPI_Barrier:1001:0,0,2:1002\n",
                  INIT "MPI_Barrier:1001:0,1,2:1002\n"),
            "rank-0:3", "before the last call");
    refused(TEXTS(INIT "MPI_Barrier:1001:0,0,2:1002\nMPI_Barrier:1003:0,0,2:1004\n",
                  INIT "MPI_Barrier:1001:0,1,2:1002\n"),
            "trace", "barrier number 2 of a group of 2 ranks, but only 1");
    refused(TEXTS(INIT "MPI_Barrier:1001:0,0,2:1002\n", INIT "MPI_Bcast:1001:7:1:2,4,4:1:0,1,2:1002\n"),
            "trace", "broadcast of 4 bytes (root 1), but barrier");
    /* two halves under one handle: nobody knows who is in which */
    refused(TEXTS(INIT "MPI_Barrier:1001:5,0,2:1002\n", INIT "MPI_Barrier:1001:5,1,2:1002\n",
                  INIT "MPI_Barrier:1001:5,0,2:1002\n", INIT "MPI_Barrier:1001:5,1,2:1002\n"),
            "", "communicator 5 of 2 ranks");
    refused(TEXTS(INIT RECV("1001", "1", "-1", WORLD0, "1002") RECV("1003", "1", "-1", WORLD0, "1004"),
                  INIT SEND("1001", "0", "5", WORLD1, "1002") SEND("1003", "0", "6", WORLD1, "1004")),
            "trace", "any tag, and this rank is sent messages of several");
}

static const bough_op *op_of(const bough_schedule *s, uint32_t rank, uint32_t i) {
    assert_true(s->first[rank] + i < s->first[rank + 1]);
    return &s->op[s->first[rank] + i];
}

static bool follows(const bough_schedule *s, uint32_t rank, uint32_t after, uint32_t before, bool start) {
    uint32_t a = s->first[rank] + after, b = s->first[rank] + before;
    for (uint64_t f = s->then[b]; f < s->then[b + 1]; f++)
        if (s->follower[f] == (a << 1 | start)) return true;
    return false;
}

/* The gap of 1.5 us before the send, the one of 7 us before the end. The type has 12 bytes in its lower half;
 * calls that do not communicate count as computation. */
static void gaps_are_computation(void **state) {
    (void)state;
    bough_schedule *s = read_text(TEXTS(
        INIT "# a comment\n\nMPI_Comm_rank:1000.1:0,0,2:5:1000.2\n"
             "MPI_Send:1001.500000:7:10:11,16,4294967308:1:5:0,0,2:1003.000000\nMPI_Finalize:1010.0:-\n",
        INIT RECV("1001", "0", "5", WORLD1, "1002")));
    assert_int_equal(s->ops, 5);
    assert_int_equal(op_of(s, 0, 0)->kind, BOUGH_OP_CALC);
    assert_int_equal(op_of(s, 0, 0)->size, 1500);
    assert_int_equal(op_of(s, 0, 1)->kind, BOUGH_OP_SEND);
    assert_int_equal(op_of(s, 0, 1)->size, 120);
    assert_int_equal(op_of(s, 0, 1)->tag, 5);
    assert_int_equal(op_of(s, 0, 2)->size, 7000);
    assert_true(follows(s, 0, 1, 0, false) && follows(s, 0, 2, 1, false));
    assert_int_equal(op_of(s, 1, 1)->kind, BOUGH_OP_RECV);
    assert_int_equal(op_of(s, 1, 1)->line, 2);
    bough_schedule_destroy(s);
}

#define IRECV(start, request) "MPI_Irecv:" start ":7:10:2,4,4:1:5:0,0,2:" request ":" start "\n"

/* Requests of 4 bytes at 100, 104, 108: waitall for two of them takes the first two. */
static void requests_are_awaited(void **state) {
    (void)state;
    const char *sends = INIT SEND("1001", "0", "5", WORLD1, "1001") SEND("1001", "0", "5", WORLD1, "1001")
        SEND("1001", "0", "5", WORLD1, "1001");
    bough_schedule *s = read_text(TEXTS(
        INIT IRECV("1000", "100") IRECV("1000", "104") IRECV(
            "1000",
            "108") "MPI_Waitall:1000:2:100:3:1000\nMPI_Wait:1000:108:3:1000\nMPI_Wait:1000:108:3:1000\n",
        sends));
    assert_int_equal(s->first[1], 5); /* three receives, two waits; the last one waits for nothing */
    assert_true(follows(s, 0, 1, 0, true) && follows(s, 0, 2, 1, true) && follows(s, 0, 3, 2, true));
    assert_true(follows(s, 0, 3, 0, false) && follows(s, 0, 3, 1, false) && !follows(s, 0, 3, 2, false));
    assert_true(follows(s, 0, 4, 2, false) && follows(s, 0, 4, 3, false));
    bough_schedule_destroy(s);
    /* of 8 bytes */
    s = read_text(TEXTS(INIT IRECV("1000", "96") IRECV("1000", "104")
                            IRECV("1000", "112") "MPI_Waitall:1000:2:96:3:1000\n",
                        sends));
    assert_true(follows(s, 0, 3, 0, false) && follows(s, 0, 3, 1, false) && !follows(s, 0, 3, 2, false));
    bough_schedule_destroy(s);
}

static void persistent_requests_start_again(void **state) {
    (void)state;
    bough_schedule *s =
        read_text(TEXTS(INIT "MPI_Recv_init:1000:7:10:2,4,4:1:5:0,0,2:100:1000\nMPI_Start:1000:100:1000\n"
                             "MPI_Wait:1000:100:3:1000\nMPI_Start:1000:100:1000\nMPI_Wait:1000:100:3:1000\n"
                             "MPI_Request_free:1000:100:1000\n",
                        INIT SEND("1001", "0", "5", WORLD1, "1001") SEND("1001", "0", "5", WORLD1, "1001")));
    assert_int_equal(s->recvs, 2);
    assert_true(follows(s, 0, 1, 0, false) && follows(s, 0, 2, 1, false) && follows(s, 0, 3, 2, false));
    bough_schedule_destroy(s);
}

/* -2 is MPI_PROC_NULL here, because a send names it; -1 is any source. */
static void nobody_and_anybody(void **state) {
    (void)state;
    bough_schedule *s =
        read_text(TEXTS(INIT SEND("1000", "-2", "5", WORLD0, "1000") RECV("1000", "-2", "5", WORLD0, "1000")
                            RECV("1000", "-1", "-1", WORLD0, "1000"),
                        INIT SEND("1000", "0", "77", WORLD1, "1000")));
    assert_int_equal(s->sends, 1);
    assert_int_equal(s->recvs, 1);
    assert_int_equal(op_of(s, 0, 2)->peer, BOUGH_ANY_RANK);
    assert_int_equal(op_of(s, 0, 2)->tag, 77);
    bough_schedule_destroy(s);
}

/* Ranks 1 and 0 in reverse order in a communicator of their own, with the tag that the world uses too. */
static void communicators_are_apart(void **state) {
    (void)state;
    bough_schedule *s =
        read_text(TEXTS(INIT SEND("1000", "1", "5", WORLD0, "1000") SEND("1000", "0", "5", "9,1,2", "1000"),
                        INIT RECV("1000", "1", "5", "9,0,2", "1000") RECV("1000", "0", "5", WORLD1, "1000")));
    assert_int_equal(op_of(s, 0, 1)->peer, 1);
    assert_int_equal(op_of(s, 1, 0)->peer, 0);
    assert_int_equal(op_of(s, 0, 1)->tag, op_of(s, 1, 0)->tag);
    assert_int_not_equal(op_of(s, 0, 0)->tag, op_of(s, 0, 1)->tag);
    assert_int_equal(op_of(s, 0, 0)->tag, op_of(s, 1, 1)->tag);
    bough_schedule_destroy(s);
    /* handles that differ between processes: paired by their order */
    s = read_text(TEXTS(INIT "MPI_Barrier:1000:11,0,2:1000\nMPI_Barrier:1000:12,0,2:1000\n",
                        INIT "MPI_Barrier:1000:21,1,2:1000\nMPI_Barrier:1000:22,1,2:1000\n"));
    assert_int_equal(s->sends, 4);
    bough_schedule_destroy(s);
}

/* Bytes that each of 4 ranks sends in a collective. Gather and scatter: a block of 40 bytes each. */
static void collectives_send(const char *call, const uint64_t bytes[4]) {
    char text[4][256];
    for (int r = 0; r < 4; r++) snprintf(text[r], sizeof *text, INIT "MPI_%s,%d,4:1000\n", call, r);
    bough_schedule *s = read_text(TEXTS(text[0], text[1], text[2], text[3]));
    for (uint32_t r = 0; r < 4; r++) {
        uint64_t sum = 0;
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++)
            if (s->op[o].kind == BOUGH_OP_SEND) sum += s->op[o].size;
        if (sum != bytes[r]) fail_msg("%s: rank %u sends %lu", call, r, (unsigned long)sum);
    }
    bough_schedule_destroy(s);
}

static void collectives_by_hand(void **state) {
    (void)state;
    collectives_send("Barrier:1000:0", (const uint64_t[]){0, 0, 0, 0});
    collectives_send("Bcast:1000:7:10:2,4,4:1:0", (const uint64_t[]){0, 80, 0, 40});
    collectives_send("Reduce:1000:7:7:10:2,4,4:3:1:0", (const uint64_t[]){40, 0, 40, 40});
    collectives_send("Allreduce:1000:7:7:10:2,4,4:3:0", (const uint64_t[]){80, 80, 80, 80});
    collectives_send("Reduce_scatter_block:1000:7:7:10:2,4,4:3:0", (const uint64_t[]){120, 120, 120, 120});
    collectives_send("Allgather:1000:7:10:2,4,4:7:10:2,4,4:0", (const uint64_t[]){120, 120, 120, 120});
    collectives_send("Alltoall:1000:7:10:2,4,4:7:10:2,4,4:0", (const uint64_t[]){120, 120, 120, 120});
    collectives_send("Gather:1000:7:10:2,4,4:7:10:2,4,4:1:0", (const uint64_t[]){40, 0, 40, 40});
    collectives_send("Scatter:1000:7:10:2,4,4:7:10:2,4,4:2:0", (const uint64_t[]){0, 0, 120, 0});
}

/* A gather: nobody waits for the root, and the root continues when all blocks are there. */
static void what_follows_a_gather_waits_for_it(void **state) {
    (void)state;
    bough_schedule *s = read_text(TEXTS(INIT "MPI_Gather:1000:7:10:2,4,4:7:10:2,4,4:1:0,0,3:1000\n",
                                        INIT "MPI_Gather:1000:7:10:2,4,4:7:10:2,4,4:1:0,1,3:1000\n",
                                        INIT "MPI_Gather:1000:7:10:2,4,4:7:10:2,4,4:1:0,2,3:1000\n"));
    /* at the root: beginning, end, two receives, their join */
    assert_int_equal(s->first[2] - s->first[1], 5);
    assert_true(follows(s, 1, 2, 0, false) && follows(s, 1, 3, 0, false) && !follows(s, 1, 3, 2, false));
    assert_true(follows(s, 1, 4, 2, false) && follows(s, 1, 4, 3, false) && follows(s, 1, 1, 4, false));
    assert_true(follows(s, 0, 2, 0, false) && follows(s, 0, 1, 2, false));
    bough_schedule_destroy(s);
}

/* ---- the real trace ---- */

enum { COLLECTIVE_TAG = 1000000 }; /* of Schedgen, and of us, from there */

/* A hash of the messages (source, destination, tag, size) in any order, and their number. */
static uint64_t messages_of(const bough_schedule *s, bool collective, uint64_t *count, uint64_t *bytes) {
    uint64_t sum = 0;
    *count = *bytes = 0;
    for (uint32_t r = 0; r < s->ranks; r++)
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) {
            const bough_op *op = &s->op[o];
            if (op->kind != BOUGH_OP_SEND || (op->tag >= COLLECTIVE_TAG) != collective) continue;
            uint64_t h = (uint64_t)r << 60 ^ (uint64_t)op->peer << 52 ^ (uint64_t)op->tag << 24 ^ op->size;
            h = (h ^ h >> 31) * UINT64_C(0x9e3779b97f4a7c15);
            sum += h ^ h >> 29;
            ++*count;
            *bytes += op->size;
        }
    return sum;
}

/* Receives likewise, and the computation of each rank. */
static void schedgen_agrees(void **state) {
    (void)state;
    char *traces = data_path("traces/sweep3d-2x2/rank-0.txt.gz"), *goal = data_path("goal/sweep3d-4.goal.gz");
    if (traces && goal) {
        *strrchr(traces, '/') = 0;
        bough_input input;
        bough_error error;
        recording r = {0};
        bough_schedule *ours, *theirs;
        recording_options options = {"trace", "doubling", 0};
        assert_int_equal(bough_input_read(traces, &input, &error), BOUGH_OK);
        if (mpi_trace_read(&input, &r, &error) || recording_schedule(&r, &options, &ours, &error))
            fail_msg("%s: %s", error.place, error.reason);
        assert_int_equal(bough_schedule_read_goal(goal, NULL, &theirs, &error), BOUGH_OK);
        uint64_t count[2], bytes[2], our_calc = 0, their_calc = 0;
        assert_int_equal(messages_of(ours, false, &count[0], &bytes[0]),
                         messages_of(theirs, false, &count[1], &bytes[1]));
        assert_int_equal(count[0], 5760);
        assert_int_equal(bytes[0], bytes[1]);
        messages_of(ours, true, &count[0], &bytes[0]);
        messages_of(theirs, true, &count[1], &bytes[1]);
        assert_int_equal(count[0], 292);
        assert_int_equal(count[1], 292);
        for (uint32_t rank = 0; rank < 4; rank++) {
            our_calc = their_calc = 0;
            for (uint32_t o = ours->first[rank]; o < ours->first[rank + 1]; o++)
                if (ours->op[o].kind == BOUGH_OP_CALC) our_calc += ours->op[o].size;
            for (uint32_t o = theirs->first[rank]; o < theirs->first[rank + 1]; o++)
                if (theirs->op[o].kind == BOUGH_OP_CALC) their_calc += theirs->op[o].size;
            assert_int_equal(our_calc, their_calc);
        }
        bough_schedule_destroy(ours);
        bough_schedule_destroy(theirs);
        arena_fini(&r.memory);
        bough_input_fini(&input);
    }
    free(traces);
    free(goal);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_traces_are_refused),
        cmocka_unit_test(programs_that_do_not_match_are_refused),
        cmocka_unit_test(gaps_are_computation),
        cmocka_unit_test(requests_are_awaited),
        cmocka_unit_test(persistent_requests_start_again),
        cmocka_unit_test(nobody_and_anybody),
        cmocka_unit_test(communicators_are_apart),
        cmocka_unit_test(collectives_by_hand),
        cmocka_unit_test(what_follows_a_gather_waits_for_it),
        cmocka_unit_test(schedgen_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
