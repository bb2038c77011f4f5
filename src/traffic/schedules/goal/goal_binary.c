#include "traffic/schedules/goal/goal_binary.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    COOKIE = 4223,
    COOKIE_USED = 2342, /* LogGOPSim --save-mem counts down `waits` in the file */
    COOKIE_BYTES = 8,
    HEAD_BYTES = 6, /* behind the cookie */
    JUMP_BYTES = 16,
    RANK_BYTES = 8,
    OP_BYTES = 39,
    ID_BYTES = 4
};

/* The operations of a rank, as offsets into `data`. */
typedef struct rank_block {
    uint64_t op, follower; /* where these arrays begin */
    uint32_t rank, ops, roots;
    uint64_t followers;
    uint32_t first; /* id of its first operation */
} rank_block;

typedef struct reader {
    const char *file;
    const unsigned char *data; /* behind the cookie */
    uint64_t size;
    uint32_t ranks;
    bough_schedule_builder *builder;
    uint64_t ops, waits;
    bough_error *error;
} reader;

#define FAIL(...) bough_at_line(bough_fail(r->error, BOUGH_INVALID, NULL, __VA_ARGS__), r->file, 0, r->error)

/* If status is a failure, adds operation i of the rank to its place. */
static bough_status at_op(const reader *r, const rank_block *b, uint32_t i, bough_status status) {
    if (!status || !r->error) return status;
    bough_at_line(status, r->file, 0, r->error);
    size_t length = strlen(r->error->place);
    snprintf(r->error->place + length, sizeof r->error->place - length,
             ", rank %" PRIu32 ", operation %" PRIu32, b->rank, i);
    return status;
}

static uint64_t number(const unsigned char *at, unsigned bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | at[bytes];
    return value;
}

static uint32_t u32(const unsigned char *at) {
    return (uint32_t)number(at, 4);
}

bool goal_is_binary(const char *data, size_t size) {
    if (size < COOKIE_BYTES) return false;
    uint64_t cookie = number((const unsigned char *)data, COOKIE_BYTES);
    return cookie == COOKIE || cookie == COOKIE_USED;
}

static bough_status read_head(reader *r, const char *name) {
    if (number(r->data - COOKIE_BYTES, COOKIE_BYTES) == COOKIE_USED)
        return FAIL("binary GOAL that LogGOPSim has used up (--save-mem); expected a file of txt2bin");
    if (r->size < HEAD_BYTES)
        return FAIL("binary GOAL of %" PRIu64 " bytes is truncated", r->size + COOKIE_BYTES);
    r->ranks = u32(r->data);
    if (r->ranks > (r->size - HEAD_BYTES) / (JUMP_BYTES + RANK_BYTES))
        return FAIL("binary GOAL of %" PRIu32 " ranks is truncated after %" PRIu64 " bytes", r->ranks,
                    r->size + COOKIE_BYTES);
    return bough_schedule_begin(name, r->ranks, &r->builder, r->error);
}

/* The block of a rank, whose arrays are within the file. */
static bough_status find_rank(const reader *r, uint32_t rank, rank_block *b) {
    const unsigned char *jump = r->data + HEAD_BYTES + (uint64_t)rank * JUMP_BYTES;
    uint64_t begin = number(jump, 8), end = number(jump + 8, 8);
    uint64_t least = HEAD_BYTES + (uint64_t)r->ranks * JUMP_BYTES;
    if (begin < least || end > r->size || end < begin || end - begin < RANK_BYTES)
        return FAIL("rank %" PRIu32 " has bytes %" PRIu64 " to %" PRIu64 "; the file has %" PRIu64
                    " to %" PRIu64 " for ranks",
                    rank, begin, end, least, r->size);
    *b = (rank_block){.rank = rank, .ops = u32(r->data + begin), .roots = u32(r->data + begin + 4)};
    uint64_t room = end - begin - RANK_BYTES, fixed = (uint64_t)b->roots * ID_BYTES;
    if (fixed > room || (room - fixed) / OP_BYTES < b->ops)
        return FAIL("rank %" PRIu32 " has %" PRIu32 " operations and %" PRIu32
                    " roots, more than its %" PRIu64 " bytes can contain",
                    rank, b->ops, b->roots, end - begin);
    b->op = begin + RANK_BYTES + fixed;
    b->follower = b->op + (uint64_t)b->ops * OP_BYTES;
    b->followers = (end - b->follower) / ID_BYTES;
    return BOUGH_OK;
}

/* Counts operations and followers of all ranks, before anything of their size is allocated. */
static bough_status count_all(reader *r) {
    bough_status status = BOUGH_OK;
    for (uint32_t rank = 0; rank < r->ranks && !status; rank++) {
        rank_block b;
        status = find_rank(r, rank, &b);
        if (status) continue;
        r->ops += b.ops;
        r->waits += b.followers;
        /* Ranges that overlap could ask for more than the file has. */
        if (r->ops * OP_BYTES + r->waits * ID_BYTES > r->size)
            status = FAIL("the bytes of rank %" PRIu32 " are also those of another rank", rank);
    }
    return status;
}

static bough_status add_op(const reader *r, const rank_block *b, uint32_t i) {
    const unsigned char *at = r->data + b->op + (uint64_t)i * OP_BYTES;
    bough_op op = {.kind = (uint8_t)(at[4] - 1), .size = number(at + 9, 8), .cpu = at[21], .nic = at[22]};
    if (op.kind > BOUGH_OP_CALC)
        return FAIL("kind %u of operation; expected 1 (send), 2 (recv) or 3 (calc)", at[4]);
    if (op.size > UINT64_C(1) << 62)
        return FAIL("size %" PRIu64 " is too large; at most %" PRIu64, op.size, UINT64_C(1) << 62);
    if (op.kind != BOUGH_OP_CALC) {
        op.peer = u32(at + 5);
        op.tag = u32(at + 17);
    }
    return bough_schedule_add(r->builder, b->rank, op, NULL, r->error);
}

/* Followers of operation i: field 0 of its end, 1 of its start. */
static bough_status add_followers(const reader *r, const rank_block *b, uint32_t i, unsigned field) {
    const unsigned char *at = r->data + b->op + (uint64_t)i * OP_BYTES + 23 + 8 * field;
    uint64_t count = u32(at), first = u32(at + 4);
    bough_status status = BOUGH_OK;
    if (count == 0) return BOUGH_OK; /* then first is arbitrary */
    if (first > b->followers || count > b->followers - first)
        return FAIL("followers %" PRIu64 " to %" PRIu64 "; the rank has %" PRIu64, first, first + count - 1,
                    b->followers);
    for (uint64_t f = first; f < first + count && !status; f++) {
        uint32_t after = u32(r->data + b->follower + f * ID_BYTES);
        if (after >= b->ops)
            return FAIL("follower %" PRIu32 " does not exist; the rank has %" PRIu32
                        " operations, counted from 0",
                        after, b->ops);
        status = bough_schedule_wait(r->builder, b->first + after, b->first + i, field == 1, r->error);
    }
    return status;
}

/* All followers belong to one operation each. Operations of another length (LogGOPSim 2) fail here. */
static bough_status check_followers(const reader *r, const rank_block *b) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < b->ops; i++) {
        const unsigned char *at = r->data + b->op + (uint64_t)i * OP_BYTES;
        sum += (uint64_t)u32(at + 23) + u32(at + 31);
    }
    if (sum == b->followers) return BOUGH_OK;
    return FAIL("rank %" PRIu32 ": its operations have %" PRIu64 " followers, its bytes %" PRIu64
                "; expected a file of LogGOPSim's txt2bin (those of LogGOPSim 2 are not read)",
                b->rank, sum, b->followers);
}

static bough_status read_ranks(const reader *r) {
    bough_status status = BOUGH_OK;
    uint32_t first = 0;
    for (uint32_t rank = 0; rank < r->ranks && !status; rank++) {
        rank_block b;
        status = find_rank(r, rank, &b);
        b.first = first;
        TRY(check_followers(r, &b));
        for (uint32_t i = 0; i < b.ops && !status; i++) status = at_op(r, &b, i, add_op(r, &b, i));
        for (uint32_t i = 0; i < b.ops && !status; i++) {
            status = add_followers(r, &b, i, 0);
            TRY(add_followers(r, &b, i, 1));
            at_op(r, &b, i, status);
        }
        first += b.ops;
    }
    return status;
}

/* LogGOPSim starts an operation when its count of waits has come to 0: another count would be another
 * schedule. */
static bough_status check_waits(const reader *r, const bough_schedule *s) {
    bough_status status = BOUGH_OK;
    for (uint32_t rank = 0; rank < r->ranks && !status; rank++) {
        rank_block b;
        status = find_rank(r, rank, &b);
        for (uint32_t i = 0; i < b.ops && !status; i++) {
            uint32_t waits = u32(r->data + b.op + (uint64_t)i * OP_BYTES), is = s->waits[s->first[rank] + i];
            if (waits != is)
                status = at_op(r, &b, i,
                               FAIL("waits for %" PRIu32 " operations, but follows %" PRIu32, waits, is));
        }
    }
    return status;
}

bough_status goal_read_binary(const bough_input_piece *piece, const char *name, bough_schedule **out,
                              bough_error *error) {
    reader r = {.file = piece->name,
                .data = (const unsigned char *)piece->data + COOKIE_BYTES,
                .size = piece->size - COOKIE_BYTES,
                .error = error};
    *out = NULL;
    bough_status status = read_head(&r, name);
    TRY(count_all(&r));
    TRY(bough_schedule_reserve(r.builder, r.ops, r.waits, error));
    TRY(read_ranks(&r));
    if (status) {
        bough_schedule_abandon(r.builder);
        return status;
    }
    status = bough_schedule_finish(r.builder, out, error);
    TRY(check_waits(&r, *out));
    if (status) {
        bough_schedule_destroy(*out);
        *out = NULL;
    }
    return status;
}
