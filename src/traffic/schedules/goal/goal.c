/* goal:FILE - a schedule in GOAL text:
 *
 *     num_ranks 2
 *     rank 0 {
 *     l1: calc 1000
 *     l2: send 8b to 1 tag 5 cpu 0 nic 0
 *     l2 requires l1
 *     }
 *
 * A statement is one line. Labels, tag, cpu and nic are optional (default 0). `irequires` waits for a start.
 * A receive from -1 or with tag -1 matches any. Comments as in C. Beyond LogGOPSim's reader, ranks may be in
 * any order, labels may be used before they are defined, and tag, cpu and nic may be in any order.
 *
 * A file may also be the binary form of the same (goal_binary.h).
 *
 * Labels are stored in a hash table that is shared by all ranks; entries of other ranks count as free. */
#include "traffic/schedules/goal/goal.h"

#include "base/files/input.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/scanner.h"
#include "base/text/text.h"
#include "traffic/schedules/schedule.h"
#include "traffic/schedules/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- goal binary ---- */

/* GOAL as LogGOPSim's txt2bin writes it for LogGOPSim and ATLAHS. All numbers are little-endian and not
 * aligned:
 *
 *     u64 4223; u32 ranks; u8 largest cpu; u8 largest nic
 *     ranks x { u64 begin; u64 end }                           of the rank, counted from byte 8 of the file
 *     for each rank:
 *         u32 operations; u32 roots; roots x u32               roots: operations that wait for nothing
 *         operations x { u32 waits; u8 kind (1 send, 2 recv, 3 calc); u32 peer; u64 size; u32 tag; u8 cpu;
 *                        u8 nic; u32 count, first; u32 count, first }    followers of its end, of its start
 *         u32 each: followers                                  numbers of operations of the rank
 *
 * A peer or tag of 2^32 - 1 is "any". Roots and waits follow from the followers. */

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

typedef struct binary_reader {
    scanner in;
    const unsigned char *data; /* behind the cookie */
    uint64_t size;
    uint32_t ranks;
    bough_schedule_builder *builder;
    uint64_t ops, waits;
} binary_reader;

/* If status is a failure, adds operation i of the rank to its place. */
static bough_status at_op(const binary_reader *r, const rank_block *b, uint32_t i, bough_status status) {
    if (!status || !r->in.error) return status;
    AT_LINE(status);
    size_t length = strlen(r->in.error->place);
    snprintf(r->in.error->place + length, sizeof r->in.error->place - length,
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

/* True if the data begins as such a file does, also as one that LogGOPSim has used up (--save-mem). */
static bool goal_is_binary(const char *data, size_t size) {
    if (size < COOKIE_BYTES) return false;
    uint64_t cookie = number((const unsigned char *)data, COOKIE_BYTES);
    return cookie == COOKIE || cookie == COOKIE_USED;
}

static bough_status read_head(binary_reader *r, const char *name) {
    if (number(r->data - COOKIE_BYTES, COOKIE_BYTES) == COOKIE_USED)
        return FAIL_HERE("binary GOAL that LogGOPSim has used up (--save-mem); expected a file of txt2bin");
    if (r->size < HEAD_BYTES)
        return FAIL_HERE("binary GOAL of %" PRIu64 " bytes is truncated", r->size + COOKIE_BYTES);
    r->ranks = u32(r->data);
    if (r->ranks > (r->size - HEAD_BYTES) / (JUMP_BYTES + RANK_BYTES))
        return FAIL_HERE("binary GOAL of %" PRIu32 " ranks is truncated after %" PRIu64 " bytes", r->ranks,
                         r->size + COOKIE_BYTES);
    return bough_schedule_begin(name, r->ranks, &r->builder, r->in.error);
}

/* The block of a rank, whose arrays are within the file. */
static bough_status find_rank(const binary_reader *r, uint32_t rank, rank_block *b) {
    const unsigned char *jump = r->data + HEAD_BYTES + (uint64_t)rank * JUMP_BYTES;
    uint64_t begin = number(jump, 8), end = number(jump + 8, 8);
    uint64_t least = HEAD_BYTES + (uint64_t)r->ranks * JUMP_BYTES;
    if (begin < least || end > r->size || end < begin || end - begin < RANK_BYTES)
        return FAIL_HERE("rank %" PRIu32 " has bytes %" PRIu64 " to %" PRIu64 "; the file has %" PRIu64
                         " to %" PRIu64 " for ranks",
                         rank, begin, end, least, r->size);
    *b = (rank_block){.rank = rank, .ops = u32(r->data + begin), .roots = u32(r->data + begin + 4)};
    uint64_t room = end - begin - RANK_BYTES, fixed = (uint64_t)b->roots * ID_BYTES;
    if (fixed > room || (room - fixed) / OP_BYTES < b->ops)
        return FAIL_HERE("rank %" PRIu32 " has %" PRIu32 " operation%s and %" PRIu32
                         " root%s, more than its %" PRIu64 " bytes can contain",
                         rank, b->ops, bough_s(b->ops), b->roots, bough_s(b->roots), end - begin);
    b->op = begin + RANK_BYTES + fixed;
    b->follower = b->op + (uint64_t)b->ops * OP_BYTES;
    b->followers = (end - b->follower) / ID_BYTES;
    return BOUGH_OK;
}

/* Counts operations and followers of all ranks, before anything of their size is allocated. */
static bough_status count_all(binary_reader *r) {
    bough_status status = BOUGH_OK;
    for (uint32_t rank = 0; rank < r->ranks && !status; rank++) {
        rank_block b;
        status = find_rank(r, rank, &b);
        if (status) continue;
        r->ops += b.ops;
        r->waits += b.followers;
        /* Ranges that overlap could ask for more than the file has. */
        if (r->ops * OP_BYTES + r->waits * ID_BYTES > r->size)
            status = FAIL_HERE("the bytes of rank %" PRIu32 " are also those of another rank", rank);
    }
    return status;
}

static bough_status add_op(const binary_reader *r, const rank_block *b, uint32_t i) {
    const unsigned char *at = r->data + b->op + (uint64_t)i * OP_BYTES;
    bough_op op = {.kind = (uint8_t)(at[4] - 1), .size = number(at + 9, 8), .cpu = at[21], .nic = at[22]};
    if (op.kind > BOUGH_OP_CALC)
        return FAIL_HERE("kind %u of operation; expected 1 (send), 2 (recv) or 3 (calc)", at[4]);
    if (op.size > UINT64_C(1) << 62)
        return FAIL_HERE("size %" PRIu64 " is too large; at most %" PRIu64, op.size, UINT64_C(1) << 62);
    if (op.kind != BOUGH_OP_CALC) {
        op.peer = u32(at + 5);
        op.tag = u32(at + 17);
    }
    return bough_schedule_add(r->builder, b->rank, op, NULL, r->in.error);
}

/* Followers of operation i: field 0 of its end, 1 of its start. */
static bough_status add_followers(const binary_reader *r, const rank_block *b, uint32_t i, unsigned field) {
    const unsigned char *at = r->data + b->op + (uint64_t)i * OP_BYTES + 23 + 8 * field;
    uint64_t count = u32(at), first = u32(at + 4);
    bough_status status = BOUGH_OK;
    if (count == 0) return BOUGH_OK; /* then first is arbitrary */
    if (first > b->followers || count > b->followers - first)
        return FAIL_HERE("followers %" PRIu64 " to %" PRIu64 "; the rank has %" PRIu64, first,
                         first + count - 1, b->followers);
    for (uint64_t f = first; f < first + count && !status; f++) {
        uint32_t after = u32(r->data + b->follower + f * ID_BYTES);
        if (after >= b->ops)
            return FAIL_HERE("follower %" PRIu32 " does not exist; the rank has %" PRIu32
                             " operation%s, counted from 0",
                             after, b->ops, bough_s(b->ops));
        status = bough_schedule_wait(r->builder, b->first + after, b->first + i, field == 1, r->in.error);
    }
    return status;
}

/* All followers belong to one operation each. Operations of another length (LogGOPSim 2) fail here. */
static bough_status check_followers(const binary_reader *r, const rank_block *b) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < b->ops; i++) {
        const unsigned char *at = r->data + b->op + (uint64_t)i * OP_BYTES;
        sum += (uint64_t)u32(at + 23) + u32(at + 31);
    }
    if (sum == b->followers) return BOUGH_OK;
    return FAIL_HERE("rank %" PRIu32 ": its operations have %" PRIu64 " follower%s, its bytes %" PRIu64
                     "; expected a file of LogGOPSim's txt2bin (those of LogGOPSim 2 are not read)",
                     b->rank, sum, bough_s(sum), b->followers);
}

static bough_status read_ranks(const binary_reader *r) {
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
static bough_status check_waits(const binary_reader *r, const bough_schedule *s) {
    bough_status status = BOUGH_OK;
    for (uint32_t rank = 0; rank < r->ranks && !status; rank++) {
        rank_block b;
        status = find_rank(r, rank, &b);
        for (uint32_t i = 0; i < b.ops && !status; i++) {
            uint32_t waits = u32(r->data + b.op + (uint64_t)i * OP_BYTES), is = s->waits[s->first[rank] + i];
            if (waits != is)
                status = at_op(r, &b, i,
                               FAIL_HERE("waits for %" PRIu32 " operation%s, but follows %" PRIu32, waits,
                                         bough_s(waits), is));
        }
    }
    return status;
}

/* Reads one file. Operations have no lines. Errors: INVALID with the rank and the operation, TOO_LARGE,
 * NO_MEMORY. */
static bough_status goal_read_binary(const bough_input_piece *piece, const char *name, bough_schedule **out,
                                     bough_error *error) {
    binary_reader r = {.in = scan_piece(piece, error),
                       .data = (const unsigned char *)piece->data + COOKIE_BYTES,
                       .size = piece->size - COOKIE_BYTES};
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

/* ---- goal ---- */

enum { P_FILE };

typedef enum token { END, NEWLINE, WORD, NUMBER, SIGN } token; /* SIGN: any other character */

typedef struct label {
    const char *text;
    uint32_t length, hash, op, line, rank; /* rank: of its block; any other rank: free */
} label;

/* after requires before, with a label that is not yet defined. */
typedef struct pending {
    const char *after, *before;
    uint32_t after_length, before_length, line;
    bool start;
} pending;

typedef struct reader {
    scanner in;  /* over all lines */
    token token; /* current token: */
    const char *text;
    size_t length;
    uint64_t number;
    bool fits; /* the number is in range */
    bough_schedule_builder *builder;
    uint64_t bytes; /* of the input */
    uint32_t ranks, rank, got;
    uint8_t *seen;
    label *table;
    size_t places; /* a power of two */
    uint32_t labels;
    pending *pending;
    size_t pendings, pending_capacity;
} reader;

/* ---- tokens ---- */

static bough_status at_line(const reader *r, uint32_t line, bough_status status) {
    return bough_at_line(status, r->in.file, line, r->in.error);
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Skips blanks and comments. */
static bough_status skip(reader *r) {
    while (r->in.at < r->in.end) {
        if (*r->in.at == ' ' || *r->in.at == '\t' || *r->in.at == '\r') {
            r->in.at++;
        } else if (r->in.end - r->in.at > 1 && r->in.at[0] == '/' && r->in.at[1] == '/') {
            while (r->in.at < r->in.end && *r->in.at != '\n') r->in.at++;
        } else if (r->in.end - r->in.at > 1 && r->in.at[0] == '/' && r->in.at[1] == '*') {
            uint32_t line = r->in.line;
            const char *p = r->in.at + 2;
            while (p + 1 < r->in.end && (p[0] != '*' || p[1] != '/')) r->in.line += *p++ == '\n';
            if (p + 1 >= r->in.end) {
                r->in.line = line;
                return FAIL_HERE("unterminated comment; expected */");
            }
            r->in.at = p + 2;
        } else {
            break;
        }
    }
    return BOUGH_OK;
}

static bough_status next(reader *r) {
    if (r->token == NEWLINE) r->in.line++;
    bough_status status = skip(r);
    if (status) return status;
    r->text = r->in.at;
    r->length = 1;
    if (r->in.at == r->in.end) {
        r->token = END;
        r->length = 0;
        return BOUGH_OK;
    }
    char c = *r->in.at++;
    if (c == '\n') {
        r->token = NEWLINE;
    } else if (is_letter(c)) {
        r->token = WORD;
        while (r->in.at < r->in.end && (is_letter(*r->in.at) || is_digit(*r->in.at))) r->in.at++;
    } else if (is_digit(c)) {
        r->token = NUMBER;
        r->number = (uint64_t)(c - '0');
        r->fits = true;
        for (; r->in.at < r->in.end && is_digit(*r->in.at); r->in.at++)
            r->fits &= !__builtin_mul_overflow(r->number, 10, &r->number) &&
                       !__builtin_add_overflow(r->number, (uint64_t)(*r->in.at - '0'), &r->number);
    } else {
        r->token = SIGN;
        if (c == 0) return FAIL_HERE("contains a NUL byte; expected GOAL as text");
    }
    r->length = (size_t)(r->in.at - r->text);
    return BOUGH_OK;
}

static bool is(const reader *r, const char *text) {
    return (r->token == WORD || r->token == SIGN) && r->length == strlen(text) &&
           memcmp(r->text, text, r->length) == 0;
}

static bough_status expected(reader *r, const char *what) {
    if (r->token == END) return FAIL_HERE("expected %s, but the file ends", what);
    if (r->token == NEWLINE) return FAIL_HERE("expected %s, but the line ends", what);
    char text[41];
    size_t length = r->length < sizeof text - 1 ? r->length : sizeof text - 1;
    for (size_t i = 0; i < length; i++)
        text[i] = (char)(r->text[i] >= ' ' && r->text[i] <= '~' ? r->text[i] : '?');
    text[length] = 0;
    return FAIL_HERE("expected %s, found '%s'", what, text);
}

static bough_status take(reader *r, const char *text, const char *what) {
    return is(r, text) ? next(r) : expected(r, what);
}

static bough_status take_number(reader *r, const char *what, uint64_t most, uint64_t *value) {
    if (r->token != NUMBER) return expected(r, what);
    if (!r->fits || r->number > most)
        return FAIL_HERE("%s %.*s is too large; at most %" PRIu64, what,
                         (int)(r->length < 40 ? r->length : 40), r->text, most);
    *value = r->number;
    return next(r);
}

/* Parses a number; -1 means any for a receive. */
static bough_status take_any(reader *r, bool any, const char *what, uint64_t most, uint64_t *value) {
    if (!any || !is(r, "-")) return take_number(r, what, most, value);
    bough_status status = next(r);
    TRY(take_number(r, what, UINT64_MAX, value));
    if (!status && *value != 1)
        status = FAIL_HERE("%s -%" PRIu64 "; the only negative value is -1 (any)", what, *value);
    *value = UINT32_MAX;
    return status;
}

static bough_status take_end(reader *r) {
    if (r->token == NEWLINE) return next(r);
    return r->token == END || is(r, "}") ? BOUGH_OK : expected(r, "the end of the line");
}

/* ---- labels ---- */

static uint32_t hash_of(const char *text, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* The slot of a label, occupied or free. */
static label *find(const reader *r, const char *text, size_t length, uint32_t hash) {
    for (size_t i = hash & (r->places - 1);; i = (i + 1) & (r->places - 1)) {
        label *l = &r->table[i];
        if (l->rank != r->rank || (l->hash == hash && l->length == length && !memcmp(l->text, text, length)))
            return l;
    }
}

static bough_status make_room(reader *r) {
    label *old = r->table;
    size_t places = r->places;
    if (2 * ((size_t)r->labels + 1) <= places) return BOUGH_OK;
    bough_status status = bough_alloc(&r->table, places ? 2 * places : 1024, sizeof *old, r->in.error);
    if (status) {
        r->table = old;
        return status;
    }
    r->places = places ? 2 * places : 1024;
    for (size_t i = 0; i < r->places; i++) r->table[i].rank = UINT32_MAX;
    for (size_t i = 0; i < places; i++)
        if (old[i].rank == r->rank) *find(r, old[i].text, old[i].length, old[i].hash) = old[i];
    free(old);
    return BOUGH_OK;
}

static bough_status define(reader *r, const char *text, size_t length, uint32_t op, uint32_t line) {
    bough_status status = make_room(r);
    if (status) return status;
    uint32_t hash = hash_of(text, length);
    label *l = find(r, text, length, hash);
    if (l->rank == r->rank)
        return scan_fail_line(&r->in, line,
                              "label '%.*s' is used for two operations of rank %" PRIu32
                              "; the first is in line %" PRIu32,
                              (int)(length < 60 ? length : 60), text, r->rank, l->line);
    *l = (label){text, (uint32_t)length, hash, op, line, r->rank};
    r->labels++;
    return BOUGH_OK;
}

static const label *find_label(const reader *r, const char *text, size_t length) {
    if (!r->places) return NULL;
    const label *l = find(r, text, length, hash_of(text, length));
    return l->rank == r->rank ? l : NULL;
}

static bough_status no_label(reader *r, const pending *p) {
    bool after = find_label(r, p->after, p->after_length) == NULL;
    uint32_t length = after ? p->after_length : p->before_length;
    return scan_fail_line(&r->in, p->line, "rank %" PRIu32 " has no operation '%.*s'", r->rank,
                          (int)(length < 60 ? length : 60), after ? p->after : p->before);
}

/* ---- statements ---- */

static bough_status read_requires(reader *r, const char *after, size_t length) {
    pending p = {
        .after = after, .after_length = (uint32_t)length, .line = r->in.line, .start = is(r, "irequires")};
    bough_status status = next(r);
    if (!status && r->token != WORD) return expected(r, "a label");
    p.before = r->text;
    p.before_length = (uint32_t)r->length;
    TRY(next(r));
    if (status) return status;
    const label *a = find_label(r, p.after, p.after_length), *b = find_label(r, p.before, p.before_length);
    if (a && b)
        return at_line(r, p.line, bough_schedule_wait(r->builder, a->op, b->op, p.start, r->in.error));
    status = bough_grow(&r->pending, &r->pending_capacity, r->pendings + 1, sizeof *r->pending, r->in.error);
    if (!status) r->pending[r->pendings++] = p;
    return status;
}

static bough_status close_rank(reader *r) {
    bough_status status = next(r);
    for (size_t i = 0; i < r->pendings && !status; i++) {
        const pending *p = &r->pending[i];
        const label *a = find_label(r, p->after, p->after_length),
                    *b = find_label(r, p->before, p->before_length);
        if (!a || !b) return no_label(r, p);
        status = at_line(r, p->line, bough_schedule_wait(r->builder, a->op, b->op, p->start, r->in.error));
    }
    r->pendings = 0;
    r->labels = 0;
    r->rank = UINT32_MAX;
    return status;
}

static bough_status read_options(reader *r, bough_op *op) {
    bool message = op->kind != BOUGH_OP_CALC, recv = op->kind == BOUGH_OP_RECV;
    bough_status status = BOUGH_OK;
    while (!status && r->token == WORD) {
        uint64_t value = 0;
        bool tag = message && is(r, "tag"), cpu = is(r, "cpu"), nic = message && is(r, "nic");
        if (!tag && !cpu && !nic)
            return expected(r,
                            message ? "tag, cpu, nic or the end of the line" : "cpu or the end of the line");
        status = next(r);
        if (!status && tag) status = take_any(r, recv, "tag", UINT32_MAX - 1, &value);
        if (!status && !tag) status = take_number(r, cpu ? "cpu" : "nic", UINT8_MAX, &value);
        if (tag) op->tag = (uint32_t)value;
        if (cpu) op->cpu = (uint8_t)value;
        if (nic) op->nic = (uint8_t)value;
    }
    return status;
}

static bough_status read_op(reader *r, const char *name, size_t length) {
    bough_op op = {.line = r->in.line};
    uint64_t peer = 0;
    uint32_t id, line = r->in.line;
    bool send = is(r, "send"), recv = is(r, "recv");
    op.kind = send ? BOUGH_OP_SEND : recv ? BOUGH_OP_RECV : BOUGH_OP_CALC;
    if (!send && !recv && !is(r, "calc")) return expected(r, "send, recv or calc");
    bough_status status = next(r);
    TRY(take_number(r, send || recv ? "a size" : "a time", UINT64_C(1) << 62, &op.size));
    if (!status && (send || recv)) {
        status = take(r, "b", "b (bytes) after the size");
        TRY(take(r, send ? "to" : "from", send ? "'to' and a rank" : "'from' and a rank"));
        TRY(take_any(r, recv, "rank", UINT32_MAX - 1, &peer));
        op.peer = (uint32_t)peer;
    }
    TRY(read_options(r, &op));
    if (status) return status;
    status = at_line(r, line, bough_schedule_add(r->builder, r->rank, op, &id, r->in.error));
    return status || !name ? status : define(r, name, length, id, line);
}

static bough_status read_statement(reader *r) {
    const char *text = r->text;
    size_t length = r->length;
    if (r->token != WORD) return expected(r, "an operation, a label or }");
    bool op = is(r, "send") || is(r, "recv") || is(r, "calc");
    const char *look = r->in.at;
    while (look < r->in.end && (*look == ' ' || *look == '\t')) look++;
    bough_status status;
    if (op && !(look < r->in.end && *look == ':')) { /* without label */
        status = read_op(r, NULL, 0);
        return status ? status : take_end(r);
    }
    status = next(r);
    if (status) return status;
    if (is(r, "requires") || is(r, "irequires")) {
        status = read_requires(r, text, length);
    } else {
        status = take(r, ":", "':', requires or irequires after the label");
        TRY(read_op(r, text, length));
    }
    return status ? status : take_end(r);
}

static bough_status open_rank(reader *r) {
    uint64_t rank = 0;
    bough_status status = next(r);
    if (!r->builder) return FAIL_HERE("num_ranks N must precede the first rank");
    TRY(take_number(r, "a rank", UINT32_MAX - 1, &rank));
    if (status) return status;
    if (rank >= r->ranks)
        return FAIL_HERE("rank %" PRIu64 " is out of range; num_ranks is %" PRIu32 ", counted from 0", rank,
                         r->ranks);
    if (r->seen[rank]) return FAIL_HERE("rank %" PRIu64 " is given twice", rank);
    r->seen[rank] = 1;
    r->got++;
    r->rank = (uint32_t)rank;
    while (!status && r->token == NEWLINE) status = next(r);
    return status ? status : take(r, "{", "{ after the rank");
}

static bough_status read_count(reader *r, const char *name) {
    uint64_t ranks = 0;
    bough_status status = next(r);
    if (r->builder) return FAIL_HERE("num_ranks is given twice");
    TRY(take_number(r, "the number of ranks", UINT32_MAX - 1, &ranks));
    if (status) return status;
    if (ranks > r->bytes / 8) /* "rank 0{}" */
        return FAIL_HERE("num_ranks is %" PRIu64 ", more than a file of %" PRIu64 " bytes can contain", ranks,
                         r->bytes);
    r->ranks = (uint32_t)ranks;
    status = at_line(r, r->in.line, bough_schedule_begin(name, r->ranks, &r->builder, r->in.error));
    return status ? status : bough_alloc(&r->seen, ranks, 1, r->in.error);
}

static bough_status read_piece(reader *r, const bough_input_piece *piece, const char *name) {
    r->in = scan_piece(piece, r->in.error);
    r->in.at = r->in.cursor;
    r->in.line = 1;
    r->token = END;
    r->rank = UINT32_MAX;
    bough_status status = next(r);
    while (!status && r->token != END) {
        if (r->token == NEWLINE)
            status = next(r);
        else if (r->rank == UINT32_MAX && is(r, "num_ranks"))
            status = read_count(r, name);
        else if (r->rank == UINT32_MAX && is(r, "rank"))
            status = open_rank(r);
        else if (r->rank == UINT32_MAX)
            status = expected(r, r->builder ? "rank R {" : "num_ranks N");
        else if (is(r, "}"))
            status = close_rank(r);
        else
            status = read_statement(r);
    }
    if (!status && r->rank != UINT32_MAX)
        status = FAIL_HERE("rank %" PRIu32 " is not closed; expected }", r->rank);
    return status;
}

static bough_status all_there(const reader *r, const char *name) {
    if (!r->builder)
        return bough_fail(r->in.error, BOUGH_INVALID, name,
                          "contains no schedule; expected num_ranks N and ranks");
    for (uint32_t rank = 0; rank < r->ranks && r->got < r->ranks; rank++)
        if (!r->seen[rank])
            return bough_fail(r->in.error, BOUGH_INVALID, name,
                              "lacks rank %" PRIu32 "; num_ranks is %" PRIu32, rank, r->ranks);
    return BOUGH_OK;
}

bough_status goal_read(const bough_input *input, const char *name, bough_schedule **out, bough_error *error) {
    reader r = {.in.error = error};
    bough_status status = BOUGH_OK;
    *out = NULL;
    for (size_t i = 0; i < input->count; i++) {
        const bough_input_piece *piece = &input->piece[i];
        r.bytes += piece->size;
        if (!goal_is_binary(piece->data, piece->size)) continue;
        if (input->count == 1) return goal_read_binary(piece, name, out, error);
        status =
            bough_fail(error, BOUGH_INVALID, NULL, "is binary GOAL among other files; expected one file");
        return bough_at_line(status, piece->name, 0, error);
    }
    for (size_t i = 0; i < input->count && !status; i++) status = read_piece(&r, &input->piece[i], name);
    TRY(all_there(&r, name));
    FREE_ALL(r.seen, r.table, r.pending);
    if (status) {
        bough_schedule_abandon(r.builder);
        return status;
    }
    return bough_schedule_finish(r.builder, out, error);
}

bough_status bough_schedule_read_goal(const char *path, uint64_t *hash, bough_schedule **out,
                                      bough_error *error) {
    bough_input input;
    *out = NULL;
    bough_status status = bough_input_read(path, &input, error);
    if (status) return status;
    status = goal_read(&input, path, out, error);
    if (hash) *hash = input.hash;
    bough_input_fini(&input);
    return status;
}

/* ---- traffic ---- */

static const bough_param params[] = {
    [P_FILE] = {"file", "a schedule in GOAL, text or binary", BOUGH_TEXT, NULL, 0, 0, .echo = true},
    WORKLOAD_PARAM_LIST,
    BOUGH_PARAMS_END,
};

static bough_status goal_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    bough_schedule *schedule;
    (void)net;
    bough_status status =
        bough_schedule_read_goal(args->value[P_FILE].text, &t->input_hash, &schedule, error);
    return status ? status : workload_make(schedule, 0, 0, t, error);
}

const bough_traffic_kind bough_traffic_goal = {
    .name = "goal",
    .summary = "a schedule: sends, receives and computations of ranks, with their dependencies",
    .source = "Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language, 2009",
    .params = params,
    .shape = BOUGH_SCHEDULE,
    .bind = goal_bind,
    .open = workload_open,
    .fini = workload_fini,
};
