/* GOAL in binary: what is refused and where, a file of txt2bin byte by byte, and the same schedule as from
 * text for all recorded files. The writer below is independent of the reader. */
#include "traffic/schedules/goal/goal.h"

#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_error error;

static bough_status read_from(const void *data, size_t size, bough_schedule **schedule) {
    bough_input input;
    assert_int_equal(bough_input_from("x.goal", data, size, &input, NULL), BOUGH_OK);
    bough_status status = goal_read(&input, "x.goal", schedule, &error);
    bough_input_fini(&input);
    return status;
}

/* ---- a writer ---- */

typedef struct bytes {
    unsigned char *data;
    size_t size, capacity;
} bytes;

static void put(bytes *b, uint64_t value, unsigned width) {
    if (b->size + width > b->capacity) {
        b->capacity = 2 * b->capacity + 64;
        b->data = realloc(b->data, b->capacity);
        assert_non_null(b->data);
    }
    for (; width > 0; width--, value >>= 8) b->data[b->size++] = (unsigned char)value;
}

static void set(bytes *b, size_t at, uint64_t value, unsigned width) {
    for (; width > 0; width--, value >>= 8) b->data[at++] = (unsigned char)value;
}

/* The followers of operation o that wait for its start, or its end: their number; listed in `list`. */
static uint32_t followers(const bough_schedule *s, uint32_t r, uint32_t o, bool start, bytes *list) {
    uint32_t count = 0;
    for (uint64_t f = s->then[o]; f < s->then[o + 1]; f++)
        if ((s->follower[f] & 1) == start) put(list, (s->follower[f] >> 1) - s->first[r], 4), count++;
    return count;
}

static void write_rank(const bough_schedule *s, uint32_t r, bytes *b) {
    bytes list = {0};
    uint32_t roots = 0;
    for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) roots += s->waits[o] == 0;
    put(b, s->first[r + 1] - s->first[r], 4);
    put(b, roots, 4);
    for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++)
        if (s->waits[o] == 0) put(b, o - s->first[r], 4);
    for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) {
        const bough_op *op = &s->op[o];
        put(b, s->waits[o], 4);
        put(b, op->kind + 1u, 1);
        put(b, op->peer, 4);
        put(b, op->size, 8);
        put(b, op->tag, 4);
        put(b, op->cpu, 1);
        put(b, op->nic, 1);
        for (int start = 0; start < 2; start++) {
            size_t first = list.size / 4;
            put(b, followers(s, r, o, start, &list), 4);
            put(b, first, 4);
        }
    }
    for (size_t i = 0; i < list.size; i++) put(b, list.data[i], 1);
    free(list.data);
}

static bytes write_binary(const bough_schedule *s) {
    bytes b = {0};
    put(&b, 4223, 8);
    put(&b, s->ranks, 4);
    put(&b, s->cpus - 1, 1);
    put(&b, s->nics - 1, 1);
    size_t jump = b.size;
    for (uint32_t r = 0; r < 2 * s->ranks; r++) put(&b, 0, 8);
    for (uint32_t r = 0; r < s->ranks; r++) {
        set(&b, jump + 16 * (size_t)r, b.size - 8, 8);
        write_rank(s, r, &b);
        set(&b, jump + 16 * (size_t)r + 8, b.size - 8, 8);
    }
    return b;
}

/* ---- the tests ---- */

static const char text[] = "num_ranks 2\n"
                           "rank 0 {\n"
                           "a: calc 1000 cpu 1\n"
                           "b: send 70000b to 1 tag 5 cpu 1 nic 2\n"
                           "c: recv 8b from 1 tag 6\n"
                           "b requires a\n"
                           "c irequires b\n"
                           "c requires a\n"
                           "}\n"
                           "rank 1 {\n"
                           "x: recv 70000b from -1 tag -1\n"
                           "y: send 8b to 0 tag 6\n"
                           "y requires x\n"
                           "}\n";

/* What LogGOPSim's txt2bin (76451de) makes of it. */
static const unsigned char of_tool[] = {
    0x7f, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x02, 0x26, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0xb3, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xb3, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x11, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x01,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0xe8,
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x02, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01,
    0x01, 0x00, 0x00, 0x00, 0x70, 0x11, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x01,
    0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
    0x02, 0x00, 0x00, 0x00, 0x02, 0x01, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x03, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
    0x02, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
    0xff, 0xff, 0xff, 0xff, 0x70, 0x11, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x00,
    0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
};

enum { /* places in of_tool */
       RANKS = 8,
       BEGIN_0 = 14,
       END_0 = 22,
       OPS_0 = 46,
       ROOTS_0 = 50,
       OP_0 = 58,
       OP_1 = OP_0 + 39,
       KIND = 4,
       PEER = 5,
       SIZE = 9,
       TAG = 17,
       COUNT = 23,
       FIRST = 27,
       COUNT_STARTS = 31,
       LIST_0 = OP_0 + 3 * 39
};

static void wrong(void **state) {
    (void)state;
    static const struct {
        size_t at, width;
        uint64_t value;
        const char *place, *reason;
    } bad[] = {
        {0, 2, 2342, "x.goal", "that LogGOPSim has used up (--save-mem)"},
        {RANKS, 4, 0, "x.goal", "0 ranks"},
        {RANKS, 4, 12, "x.goal", "binary GOAL of 12 ranks is truncated after 281 bytes"},
        {BEGIN_0, 8, 37, "x.goal", "rank 0 has bytes 37 to 179; the file has 38 to 273 for ranks"},
        {BEGIN_0, 8, 172, "x.goal", "rank 0 has bytes 172 to 179"},
        {END_0, 8, 274, "x.goal", "rank 0 has bytes 38 to 274"},
        {END_0, 8, 273, "x.goal", "the bytes of rank 1 are also those of another rank"},
        {OPS_0, 4, 4, "x.goal", "rank 0 has 4 operations and 1 root, more than its 141 bytes can contain"},
        {OPS_0, 4, 2, "x.goal", "rank 0: its operations have 3 followers, its bytes 12"},
        {ROOTS_0, 4, 99, "x.goal", "rank 0 has 3 operations and 99 roots, more than"},
        {OP_1 + KIND, 1, 4, "x.goal, rank 0, operation 1", "kind 4 of operation; expected 1 (send)"},
        {OP_1 + KIND, 1, 0, "x.goal, rank 0, operation 1", "kind 0 of operation"},
        {OP_1 + PEER, 4, 2, "x.goal, rank 0, operation 1", "send to rank 2 does not exist"},
        {OP_1 + SIZE, 8, UINT64_C(1) << 63, "x.goal, rank 0, operation 1", "is too large"},
        {OP_1 + TAG, 4, UINT32_MAX, "x.goal, rank 0, operation 1", "the tag of a send"},
        {OP_0 + COUNT, 4, 1, "x.goal", "rank 0: its operations have 2 followers, its bytes 3"},
        {OP_0 + FIRST, 4, 2, "x.goal, rank 0, operation 0", "followers 2 to 3; the rank has 3"},
        {OP_1 + COUNT_STARTS + 4, 4, UINT32_MAX, "x.goal, rank 0, operation 1", "followers 4294967295 to"},
        {LIST_0, 4, 3, "x.goal, rank 0, operation 0", "follower 3 does not exist; the rank has 3"},
        {LIST_0, 4, 0, "x.goal, rank 0, operation 0", "cannot depend on itself"},
        {LIST_0 + 8, 4, 0, "x.goal", "a cycle of 2 operations that wait for each other: "},
        {OP_1, 4, 0, "x.goal, rank 0, operation 1", "waits for 0 operations, but follows 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bytes b = {0};
        bough_schedule *s;
        for (size_t k = 0; k < sizeof of_tool; k++) put(&b, of_tool[k], 1);
        set(&b, bad[i].at, bad[i].value, (unsigned)bad[i].width);
        bough_status status = read_from(b.data, b.size, &s);
        if (status != BOUGH_INVALID || strcmp(error.place, bad[i].place) ||
            !strstr(error.reason, bad[i].reason))
            fail_msg("%zu: %d %s: %s", i, status, error.place, error.reason);
        assert_null(s);
        free(b.data);
    }
}

/* Every prefix is refused. With any one bit changed the file is refused or read. */
static void damaged(void **state) {
    (void)state;
    unsigned char changed[sizeof of_tool];
    for (size_t i = 0; i < sizeof of_tool; i++) {
        bough_schedule *s;
        assert_int_equal(read_from(of_tool, i, &s), BOUGH_INVALID);
        for (unsigned bit = 0; bit < 8; bit++) {
            memcpy(changed, of_tool, sizeof of_tool);
            changed[i] ^= (unsigned char)(1u << bit);
            if (!read_from(changed, sizeof changed, &s)) bough_schedule_destroy(s);
        }
    }
}

/* One file only: not a directory of text and binary. */
static void among_others(void **state) {
    (void)state;
    char data[sizeof of_tool], a[] = "d/a", b[] = "d/b";
    memcpy(data, of_tool, sizeof data);
    bough_input_piece piece[] = {{.name = a, .data = data, .size = 0},
                                 {.name = b, .data = data, .size = sizeof data}};
    bough_input input = {.name = "d", .piece = piece, .count = 2};
    bough_schedule *s;
    assert_int_equal(goal_read(&input, "d", &s, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "d/b");
    assert_non_null(strstr(error.reason, "expected one file"));
}

/* Equal but for lines and the order of followers. */
static void assert_same(const bough_schedule *a, const bough_schedule *b) {
    assert_true(a->ranks == b->ranks && a->ops == b->ops && a->sends == b->sends && a->recvs == b->recvs &&
                a->bytes == b->bytes && a->cpus == b->cpus && a->nics == b->nics);
    assert_memory_equal(a->first, b->first, (a->ranks + 1) * sizeof *a->first);
    assert_memory_equal(a->waits, b->waits, a->ops * sizeof *a->waits);
    assert_memory_equal(a->then, b->then, (a->ops + 1) * sizeof *a->then);
    for (uint32_t o = 0; o < a->ops; o++) {
        bough_op x = a->op[o], y = b->op[o];
        x.line = y.line = 0;
        if (x.kind == BOUGH_OP_CALC) x.nic = y.nic;
        assert_memory_equal(&x, &y, sizeof x);
        for (uint64_t f = a->then[o]; f < a->then[o + 1]; f++) {
            unsigned in_a = 0, in_b = 0;
            for (uint64_t g = a->then[o]; g < a->then[o + 1]; g++) {
                in_a += a->follower[g] == a->follower[f];
                in_b += b->follower[g] == a->follower[f];
            }
            assert_int_equal(in_a, in_b);
        }
    }
}

static void like_txt2bin(void **state) {
    (void)state;
    bough_schedule *of_text, *of_bytes;
    assert_int_equal(read_from(text, sizeof text - 1, &of_text), BOUGH_OK);
    assert_int_equal(read_from(of_tool, sizeof of_tool, &of_bytes), BOUGH_OK);
    assert_same(of_text, of_bytes);
    assert_true(of_bytes->op[3].peer == BOUGH_ANY_RANK && of_bytes->op[3].tag == BOUGH_ANY_TAG);
    bytes b = write_binary(of_text);
    assert_int_equal(b.size, sizeof of_tool);
    assert_memory_equal(b.data, of_tool, b.size);
    free(b.data);
    bough_schedule_destroy(of_text);
    bough_schedule_destroy(of_bytes);
}

static void recorded_files(void **state) {
    (void)state;
    static const char *const name[] = {
        "binary-tree-32.goal", "binomial-bcast-128.goal", "dissemination-32.goal", "doublering-4.goal",
        "financial-1.goal",    "financial-10.goal",       "financial-2.goal",      "incast-128.goal",
        "nonblocking-2.goal",  "pairs-128.goal",          "sweep3d-4.goal.gz"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char relative[100];
        snprintf(relative, sizeof relative, "goal/%s", name[i]);
        char *path = data_path(relative);
        if (!path) continue;
        bough_schedule *of_text, *of_bytes;
        assert_int_equal(bough_schedule_read_goal(path, NULL, &of_text, &error), BOUGH_OK);
        bytes b = write_binary(of_text);
        assert_int_equal(read_from(b.data, b.size, &of_bytes), BOUGH_OK);
        assert_same(of_text, of_bytes);
        bytes again = write_binary(of_bytes);
        assert_int_equal(again.size, b.size);
        assert_memory_equal(again.data, b.data, b.size);
        free(b.data);
        free(again.data);
        bough_schedule_destroy(of_text);
        bough_schedule_destroy(of_bytes);
        free(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong),        cmocka_unit_test(damaged),        cmocka_unit_test(among_others),
        cmocka_unit_test(like_txt2bin), cmocka_unit_test(recorded_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
