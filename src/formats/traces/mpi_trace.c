/* Traces of liballprof (of LogGOPSim; Hoefler, Schneider, Lumsdaine 2010): one file a rank, one call a line,
 *
 *     MPI_Send:START:buffer:count:type,extent,size:destination:tag:communicator,rank,ranks:END
 *
 * with times in microseconds and the arguments in the order of MPI. Lines that begin with # are comments. The
 * time between two calls is computation. Calls that do not communicate (MPI_Comm_rank) are computation too.
 *
 * A communicator is written as a handle, the number of this rank in it, and its size. Its members are the
 * ranks that write the same handle, if their numbers are 0 .. size - 1, each once. Handles may differ between
 * processes; then communicators of all ranks that keep their numbers are paired in the order in which the
 * ranks use them first. The members of others are unknown.
 *
 * In files of 64-bit machines the upper half of the size of a type is not set, so that only the lower one is
 * read. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/scanner.h"
#include "base/text/text.h"
#include "formats/traces/recorded_readers.h"
#include "formats/traces/recording.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- mpi calls ---- */

/* The calls of MPI in traces of liballprof: where their arguments are. Field 0 is the name, 1 the time at
 * which the call begins, the last the time at which it ends. */

typedef enum mpi_call_form {
    MPI_CALL_INIT,
    MPI_CALL_FINALIZE,
    MPI_CALL_MESSAGE, /* count in field 3; type, peer, tag and communicator follow */
    MPI_CALL_PERSISTENT,
    MPI_CALL_SENDRECV,
    MPI_CALL_COLLECTIVE,
    MPI_CALL_WAIT,
    MPI_CALL_WAITALL,
    MPI_CALL_START,
    MPI_CALL_FREE,
    MPI_CALL_REFUSED
} mpi_call_form;

typedef struct mpi_call {
    const char *name;
    uint8_t form; /* mpi_call_form */
    uint8_t fields;
    uint8_t what;                       /* recorded_kind of a message, recorded_what of a collective */
    uint8_t count, root, comm, request; /* fields; 0: none. The type follows the count */
    bool blocks;                        /* the count is of one block: the vector has one for each member */
    const char *reason;                 /* why it is refused */
} mpi_call;

#define SEND(name)                                                                                           \
    { name, MPI_CALL_MESSAGE, 9, RECORDED_SEND, 3, 0, 7, 0, false, NULL }
#define ISEND(name)                                                                                          \
    { name, MPI_CALL_MESSAGE, 10, RECORDED_SEND, 3, 0, 7, 8, false, NULL }
/* name, fields, what, count, root, comm, request, blocks */
#define COLLECTIVE(name, ...)                                                                                \
    { name, MPI_CALL_COLLECTIVE, __VA_ARGS__, NULL }
#define REFUSED(name, reason)                                                                                \
    { name, MPI_CALL_REFUSED, 0, 0, 0, 0, 0, 0, false, reason }

static const char sizes[] = "its sizes are arrays, which the trace does not contain";
static const char which[] = "the trace does not say which request was complete";
static const char prefix[] = "there is no algorithm for prefix sums";

static const mpi_call calls[] = {
    {"MPI_Init", MPI_CALL_INIT, 5, 0, 0, 0, 0, 0, false, NULL},
    {"MPI_Init_thread", MPI_CALL_INIT, 7, 0, 0, 0, 0, 0, false, NULL},
    {"MPI_Finalize", MPI_CALL_FINALIZE, 3, 0, 0, 0, 0, 0, false, NULL},
    SEND("MPI_Send"),
    SEND("MPI_Ssend"),
    SEND("MPI_Rsend"),
    SEND("MPI_Bsend"),
    ISEND("MPI_Isend"),
    ISEND("MPI_Issend"),
    ISEND("MPI_Irsend"),
    ISEND("MPI_Ibsend"),
    {"MPI_Recv", MPI_CALL_MESSAGE, 10, RECORDED_RECV, 3, 0, 7, 0, false, NULL},
    {"MPI_Irecv", MPI_CALL_MESSAGE, 10, RECORDED_RECV, 3, 0, 7, 8, false, NULL},
    {"MPI_Send_init", MPI_CALL_PERSISTENT, 10, RECORDED_SEND, 3, 0, 7, 8, false, NULL},
    {"MPI_Recv_init", MPI_CALL_PERSISTENT, 10, RECORDED_RECV, 3, 0, 7, 8, false, NULL},
    {"MPI_Start", MPI_CALL_START, 4, 0, 0, 0, 0, 0, false, NULL},
    {"MPI_Request_free", MPI_CALL_FREE, 4, 0, 0, 0, 0, 0, false, NULL},
    {"MPI_Sendrecv", MPI_CALL_SENDRECV, 15, 0, 0, 0, 0, 0, false, NULL},
    {"MPI_Wait", MPI_CALL_WAIT, 5, 0, 0, 0, 0, 0, false, NULL},
    {"MPI_Waitall", MPI_CALL_WAITALL, 6, 0, 0, 0, 0, 0, false, NULL},
    COLLECTIVE("MPI_Barrier", 4, RECORDED_BARRIER, 0, 0, 2, 0, false),
    COLLECTIVE("MPI_Ibarrier", 5, RECORDED_BARRIER, 0, 0, 2, 3, false),
    COLLECTIVE("MPI_Bcast", 8, RECORDED_BROADCAST, 3, 5, 6, 0, false),
    COLLECTIVE("MPI_Ibcast", 9, RECORDED_BROADCAST, 3, 5, 6, 7, false),
    COLLECTIVE("MPI_Reduce", 10, RECORDED_REDUCE, 4, 7, 8, 0, false),
    COLLECTIVE("MPI_Allreduce", 9, RECORDED_ALLREDUCE, 4, 0, 7, 0, false),
    COLLECTIVE("MPI_Iallreduce", 10, RECORDED_ALLREDUCE, 4, 0, 7, 8, false),
    COLLECTIVE("MPI_Reduce_scatter_block", 9, RECORDED_REDUCESCATTER, 4, 0, 7, 0, true),
    COLLECTIVE("MPI_Allgather", 10, RECORDED_ALLGATHER, 3, 0, 8, 0, true),
    COLLECTIVE("MPI_Iallgather", 11, RECORDED_ALLGATHER, 3, 0, 8, 9, true),
    COLLECTIVE("MPI_Alltoall", 10, RECORDED_ALLTOALL, 3, 0, 8, 0, true),
    COLLECTIVE("MPI_Ialltoall", 11, RECORDED_ALLTOALL, 3, 0, 8, 9, true),
    COLLECTIVE("MPI_Gather", 11, RECORDED_GATHER, 3, 8, 9, 0, true),
    COLLECTIVE("MPI_Scatter", 11, RECORDED_SCATTER, 6, 8, 9, 0, true),
    REFUSED("MPI_Alltoallv", sizes),
    REFUSED("MPI_Alltoallw", sizes),
    REFUSED("MPI_Allgatherv", sizes),
    REFUSED("MPI_Gatherv", sizes),
    REFUSED("MPI_Scatterv", sizes),
    REFUSED("MPI_Reduce_scatter", sizes),
    REFUSED("MPI_Scan", prefix),
    REFUSED("MPI_Exscan", prefix),
    REFUSED("MPI_Waitany", which),
    REFUSED("MPI_Waitsome", which),
    REFUSED("MPI_Startall", "its requests are an array, which the trace does not contain"),
    REFUSED("MPI_Sendrecv_replace", "its fields are not known"),
};

/* NULL: not a call that communicates. */
static const mpi_call *mpi_call_find(const char *name) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0) return &calls[i];
    return NULL;
}

/* ---- mpi trace ---- */

enum { FIELDS = 24, LINE_MAX = 2048, RANKS_MAX = 1 << 24 };

/* A communicator as one rank sees it. */
typedef struct local_comm {
    uint64_t handle;
    uint32_t rank, me, size;
    uint32_t nth;   /* of the communicators of this rank that have all ranks in order */
    uint32_t group; /* of the recording */
    uint32_t line;
} local_comm;

/* A request that is not yet complete, or a persistent one. */
typedef struct request {
    uint64_t address;
    uint32_t id;     /* of the operation; persistent: none */
    recorded_op op;  /* persistent: what a start adds */
    bool persistent; /* a template; started ones are further requests */
} request;

typedef struct reader {
    scanner in;
    char *field[FIELDS];
    unsigned fields;
    char text[LINE_MAX];
    recording *out;
    local_comm *comm; /* of all ranks; of the present one: from own_comms */
    size_t comms, own_comms, comm_capacity;
    request *request;
    size_t requests, request_capacity;
    uint64_t nobody; /* bit k: -k is MPI_PROC_NULL */
    recorded_tail tail;
    uint64_t clock, end; /* ns: of the end of the last call; of this one */
    bool begun;
} reader;

/* ---- fields ---- */

static bough_status read_whole(const reader *r, const char *text, const char *what, uint64_t *value) {
    char *stop;
    if (*text < '0' || *text > '9' || strlen(text) > 20 || (*value = strtoull(text, &stop, 10), *stop))
        return FAIL_HERE("%s '%.40s' is not a whole number", what, text);
    return BOUGH_OK;
}

static bough_status read_count(const reader *r, const char *text, const char *what, uint64_t most,
                               uint64_t *value) {
    bough_status status = read_whole(r, text, what, value);
    if (!status && *value > most)
        status = FAIL_HERE("%s %s is too large; at most %" PRIu64, what, text, most);
    return status;
}

/* Microseconds, with an optional fraction, as nanoseconds. */
static bough_status read_time(const reader *r, const char *text, uint64_t *ns) {
    uint64_t us = 0, scale = 1000, fraction = 0;
    const char *p = text;
    bool fits = *p >= '0' && *p <= '9';
    for (; *p >= '0' && *p <= '9'; p++)
        fits &=
            !__builtin_mul_overflow(us, 10, &us) && !__builtin_add_overflow(us, (uint64_t)(*p - '0'), &us);
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++) fraction += (uint64_t)(*p - '0') * (scale /= 10);
    fits &= !__builtin_mul_overflow(us, 1000, ns) && !__builtin_add_overflow(*ns, fraction, ns);
    return *p || !fits ? FAIL_HERE("time '%.40s' is not a number of microseconds", text) : BOUGH_OK;
}

/* Splits "a,b,c". */
static bough_status read_three(reader *r, const char *text, const char *what, uint64_t value[3]) {
    char *at = (char *)text;
    bough_status status = BOUGH_OK;
    for (int i = 0; i < 3 && !status; i++) {
        char *comma = strchr(at, ',');
        if ((comma != NULL) != (i < 2)) return FAIL_HERE("%s has not three parts, as in 11,8,8", what);
        if (comma) *comma = 0;
        status = read_whole(r, at, what, &value[i]);
        if (comma) *comma = ',', at = comma + 1;
    }
    return status;
}

/* count * size of the type. */
static bough_status read_bytes(reader *r, unsigned field, uint64_t *bytes) {
    uint64_t count = 0, type[3] = {0};
    bough_status status = read_count(r, r->field[field], "count", INT32_MAX, &count);
    TRY(read_three(r, r->field[field + 1], "the type", type));
    if (!status) *bytes = count * (type[2] & UINT32_MAX);
    return status;
}

static bough_status find_comm(reader *r, const uint64_t value[3], uint32_t *index) {
    uint32_t nth = 0;
    bool whole = value[2] == r->out->ranks && value[1] == r->tail.rank;
    for (size_t c = r->own_comms; c < r->comms; c++) {
        const local_comm *l = &r->comm[c];
        *index = (uint32_t)c;
        if (l->handle == value[0] && l->size == value[2] && l->me == value[1]) return BOUGH_OK;
        if (l->handle == value[0])
            return FAIL_HERE("communicator %" PRIu64 " has %" PRIu64 " rank%s here, this one is %" PRIu64
                             "; in line %" PRIu32 " it has %" PRIu32 ", this one is %" PRIu32,
                             value[0], value[2], bough_s(value[2]), value[1], l->line, l->size, l->me);
        nth += l->size == r->out->ranks && l->me == r->tail.rank;
    }
    if (value[2] > r->out->ranks || value[1] >= value[2])
        return FAIL_HERE("rank %" PRIu64 " of %" PRIu64 " in communicator %" PRIu64
                         ", but there are files of %" PRIu32 " rank%s",
                         value[1], value[2], value[0], r->out->ranks, bough_s(r->out->ranks));
    bough_status status = bough_grow(&r->comm, &r->comm_capacity, r->comms + 1, sizeof *r->comm, r->in.error);
    if (status) return status;
    *index = (uint32_t)r->comms;
    r->comm[r->comms++] = (local_comm){
        value[0],   r->tail.rank, (uint32_t)value[1], (uint32_t)value[2], whole ? nth : UINT32_MAX,
        UINT32_MAX, r->in.line};
    return BOUGH_OK;
}

static bough_status read_comm(reader *r, unsigned field, recorded_op *op) {
    uint64_t value[3];
    bough_status status = read_three(r, r->field[field], "the communicator", value);
    return status ? status : find_comm(r, value, &op->group);
}

/* A rank of the communicator. Negative: MPI_PROC_NULL, or in a receive any; which one depends on the
 * implementation. A number that a send names is MPI_PROC_NULL (bind_comms). */
static bough_status read_peer(reader *r, const char *text, recorded_op *op) {
    uint64_t peer = 0;
    bool negative = *text == '-';
    bough_status status = read_count(r, text + negative, "rank", negative ? 63 : INT32_MAX, &peer);
    if (status) return status;
    op->peer = (uint32_t)peer;
    if (negative) {
        op->peer = UINT32_MAX - (uint32_t)peer;
        if (op->kind == RECORDED_SEND) r->nobody |= UINT64_C(1) << peer;
    } else if (peer >= r->comm[op->group].size) {
        return FAIL_HERE("rank %" PRIu64 " in a communicator of %" PRIu32 "; ranks count from 0", peer,
                         r->comm[op->group].size);
    }
    return BOUGH_OK;
}

static bough_status read_tag(reader *r, const char *text, recorded_op *op) {
    op->tag = RECORDED_ANY_TAG;
    if (*text != '-') return read_count(r, text, "tag", INT32_MAX, &op->tag);
    uint64_t ignored = 0;
    if (op->kind == RECORDED_RECV) return read_count(r, text + 1, "tag", INT32_MAX, &ignored);
    return FAIL_HERE("tag %.40s of a send", text);
}

/* The message that begins with the count in a field; its communicator is in another. */
static bough_status read_message(reader *r, recorded_kind kind, unsigned field, unsigned comm,
                                 recorded_op *op) {
    *op = (recorded_op){.kind = (uint8_t)kind, .line = r->in.line};
    bough_status status = read_bytes(r, field, &op->size);
    TRY(read_comm(r, comm, op));
    TRY(read_peer(r, r->field[field + 2], op));
    TRY(read_tag(r, r->field[field + 3], op));
    return status;
}

/* ---- requests ---- */

static bough_status add_request(reader *r, unsigned field, request q) {
    bough_status status = read_whole(r, r->field[field], "request", &q.address);
    TRY(bough_grow(&r->request, &r->request_capacity, r->requests + 1, sizeof *r->request, r->in.error));
    if (!status) r->request[r->requests++] = q;
    return status;
}

/* Adds an operation that waits for the requests in [first, end) whose distance from first is a multiple of
 * `each`. Other requests are null: MPI allows to wait for them. */
static bough_status wait_for(reader *r, uint64_t first, uint64_t end, uint64_t each) {
    recorded_op op = {.kind = RECORDED_CALC, .line = r->in.line};
    size_t left = 0;
    uint32_t id = UINT32_MAX;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < r->requests; i++) {
        const request q = r->request[i];
        bool mine = !q.persistent && q.address >= first && q.address < end && (q.address - first) % each == 0;
        if (mine && id == UINT32_MAX && !status) status = recorded_next(&r->tail, op, true, &id);
        if (mine) TRY(recording_wait(r->out, id, q.id, false, r->in.error));
        if (!mine) r->request[left++] = q;
    }
    r->requests = left;
    return status;
}

static bough_status read_wait(reader *r) {
    uint64_t address = 0;
    bough_status status = read_whole(r, r->field[2], "request", &address);
    return status ? status : wait_for(r, address, bough_add(address, 1), 1);
}

/* Requests are numbers of 4 bytes or pointers of 8, as the implementation of MPI has it: the array tells by
 * the addresses that are in use in it. */
static bough_status read_waitall(reader *r) {
    uint64_t count = 0, address = 0, each = 8;
    bough_status status = read_count(r, r->field[2], "count", INT32_MAX, &count);
    TRY(read_whole(r, r->field[3], "requests", &address));
    if (status) return status;
    uint64_t end = bough_add(address, 8 * count);
    for (size_t i = 0; i < r->requests; i++) {
        const request *q = &r->request[i];
        if (!q->persistent && q->address >= address && q->address < end && (q->address - address) % 8 == 4)
            each = 4;
    }
    return wait_for(r, address, bough_add(address, each * count), each);
}

static request *find_persistent(const reader *r, uint64_t address) {
    for (size_t i = 0; i < r->requests; i++)
        if (r->request[i].persistent && r->request[i].address == address) return &r->request[i];
    return NULL;
}

static bough_status read_persistent(reader *r, bool frees) {
    uint64_t address = 0;
    bough_status status = read_whole(r, r->field[2], "request", &address);
    if (status) return status;
    request *q = find_persistent(r, address);
    if (frees) {
        if (q) *q = r->request[--r->requests];
        return BOUGH_OK;
    }
    if (!q) return FAIL_HERE("start of request %" PRIu64 ", which is not a persistent one", address);
    request started = {.address = address};
    recorded_op op = q->op;
    op.line = r->in.line;
    status = recorded_next(&r->tail, op, false, &started.id);
    TRY(bough_grow(&r->request, &r->request_capacity, r->requests + 1, sizeof *r->request, r->in.error));
    if (!status) r->request[r->requests++] = started;
    return status;
}

/* ---- calls ---- */

static bough_status read_sendrecv(reader *r) {
    recorded_op send, recv, join = {.kind = RECORDED_CALC, .line = r->in.line};
    uint32_t id[2] = {0}, end = 0;
    bough_status status = read_message(r, RECORDED_SEND, 3, 12, &send);
    TRY(read_message(r, RECORDED_RECV, 8, 12, &recv));
    TRY(recorded_next(&r->tail, send, false, &id[0]));
    TRY(recorded_next(&r->tail, recv, false, &id[1]));
    TRY(recorded_next(&r->tail, join, true, &end));
    TRY(recording_wait(r->out, end, id[0], false, r->in.error));
    TRY(recording_wait(r->out, end, id[1], false, r->in.error));
    return status;
}

static bough_status read_point(reader *r, const mpi_call *call) {
    recorded_op op;
    request q = {.persistent = call->form == MPI_CALL_PERSISTENT};
    bough_status status = read_message(r, call->what, 3, 7, &op);
    q.op = op;
    if (!q.persistent) TRY(recorded_next(&r->tail, op, !call->request, &q.id));
    if (call->request) TRY(add_request(r, call->request, q));
    return status;
}

static bough_status read_collective(reader *r, const mpi_call *call) {
    recorded_op op = {.kind = RECORDED_COLLECTIVE, .what = call->what, .line = r->in.line};
    request q = {0};
    uint64_t root = 0;
    bough_status status = call->count ? read_bytes(r, call->count, &op.size) : BOUGH_OK;
    TRY(read_comm(r, call->comm, &op));
    if (call->root) TRY(read_count(r, r->field[call->root], "root", INT32_MAX, &root));
    if (!status && root >= r->comm[op.group].size)
        status = FAIL_HERE("root %" PRIu64 " in a communicator of %" PRIu32 "; ranks count from 0", root,
                           r->comm[op.group].size);
    if (status) return status;
    op.peer = (uint32_t)root;
    if (call->blocks) op.size = bough_mul(op.size, r->comm[op.group].size);
    if (op.size > UINT64_C(1) << 50) return FAIL_HERE("a collective of more than 2^50 bytes");
    status = recorded_next(&r->tail, op, !call->request, &q.id);
    if (call->request) TRY(add_request(r, call->request, q));
    return status;
}

static bough_status read_call(reader *r, const mpi_call *call) {
    switch (call->form) {
    case MPI_CALL_MESSAGE:
    case MPI_CALL_PERSISTENT:
        return read_point(r, call);
    case MPI_CALL_SENDRECV:
        return read_sendrecv(r);
    case MPI_CALL_COLLECTIVE:
        return read_collective(r, call);
    case MPI_CALL_WAIT:
        return read_wait(r);
    case MPI_CALL_WAITALL:
        return read_waitall(r);
    case MPI_CALL_START:
    case MPI_CALL_FREE:
        return read_persistent(r, call->form == MPI_CALL_FREE);
    default:
        return BOUGH_OK;
    }
}

/* The time since the last call. */
static bough_status add_gap(reader *r) {
    uint64_t start;
    bough_status status = read_time(r, r->field[1], &start);
    if (status) return status;
    if (!r->begun) return FAIL_HERE("%s before MPI_Init", r->field[0]);
    if (start < r->clock) return FAIL_HERE("%s begins before the last call has ended", r->field[0]);
    recorded_op gap = {.kind = RECORDED_CALC, .size = start - r->clock, .line = r->in.line};
    r->clock = start;
    return gap.size ? recorded_next(&r->tail, gap, true, NULL) : BOUGH_OK;
}

static bough_status read_line(reader *r) {
    const mpi_call *call = mpi_call_find(r->field[0]);
    bough_status status;
    if (strncmp(r->field[0], "MPI_", 4) != 0)
        return FAIL_HERE("'%.40s': expected a call of MPI, as MPI_Send:START:..:END", r->field[0]);
    if (!call) return BOUGH_OK; /* computation */
    if (call->form == MPI_CALL_REFUSED) return FAIL_HERE("%s is not supported: %s", call->name, call->reason);
    if (r->fields != call->fields)
        return FAIL_HERE("%u field%s; %s has %u", r->fields, bough_s(r->fields), call->name, call->fields);
    if (call->form == MPI_CALL_INIT) {
        r->begun = true;
        return read_time(r, r->field[r->fields - 1], &r->clock);
    }
    status = add_gap(r);
    if (call->form == MPI_CALL_FINALIZE) return status;
    TRY(read_time(r, r->field[r->fields - 1], &r->end));
    if (!status && r->end < r->clock) status = FAIL_HERE("%s ends before it begins", r->field[0]);
    TRY(read_call(r, call));
    r->clock = r->end;
    return status;
}

/* Splits a line at colons; false if it is too long, not text, or has too many fields. */
static bool split(reader *r) {
    const size_t length = (size_t)(r->in.stop - r->in.at);
    if (length >= LINE_MAX || memchr(r->in.at, 0, length)) return false;
    memcpy(r->text, r->in.at, length);
    r->text[length] = 0;
    r->fields = 0;
    for (char *at = r->text; at; r->fields++) {
        if (r->fields == FIELDS) return false;
        r->field[r->fields] = at;
        at = strchr(at, ':');
        if (at) *at++ = 0;
    }
    return true;
}

static bough_status read_rank(reader *r, const bough_input_piece *piece, uint32_t rank) {
    scanner *s = &r->in;
    bough_status status = BOUGH_OK;
    *s = scan_piece(piece, s->error);
    r->tail = (recorded_tail){r->out, r->in.error, rank, UINT32_MAX, false};
    r->begun = false;
    r->requests = 0;
    r->own_comms = r->comms;
    while (!status && scan_line(s)) {
        while (s->stop > s->at && (s->stop[-1] == '\r' || s->stop[-1] == ' ')) s->stop--;
        if (s->at == s->stop || *s->at == '#') continue;
        if (!split(r)) return FAIL_HERE("not a call of MPI: too long, or not text");
        status = read_line(r);
    }
    if (!status && !r->begun) status = FAIL_HERE("contains no MPI_Init; expected a trace of liballprof");
    return status;
}

/* ---- communicators ---- */

static int by_handle(const void *a, const void *b) {
    const local_comm *p = *(const local_comm *const *)a, *q = *(const local_comm *const *)b;
    if (p->handle != q->handle) return p->handle < q->handle ? -1 : 1;
    if (p->size != q->size) return p->size < q->size ? -1 : 1;
    return p->me < q->me ? -1 : p->me > q->me;
}

static int by_use(const void *a, const void *b) {
    const local_comm *p = *(const local_comm *const *)a, *q = *(const local_comm *const *)b;
    if (p->nth != q->nth) return p->nth < q->nth ? -1 : 1;
    return p->rank < q->rank ? -1 : p->rank > q->rank;
}

static bough_status unknown_members(const reader *r, const local_comm *l) {
    return bough_fail(
        r->in.error, BOUGH_INVALID, NULL,
        "rank %" PRIu32 ", line %" PRIu32 ": communicator %" PRIu64 " of %" PRIu32
        " ranks: the traces do not say which; supported are communicators of all ranks, and those "
        "whose handle is the same on their ranks and on no others",
        l->rank, l->line, l->handle, l->size);
}

/* Makes a group of these views of one communicator, in the order of their numbers in it. */
static bough_status make_group(reader *r, local_comm *const *view, uint32_t n, uint32_t *member) {
    bool all = n == r->out->ranks;
    for (uint32_t i = 0; i < n; i++) {
        member[i] = view[i]->rank;
        all &= member[i] == i;
        view[i]->group = (uint32_t)r->out->groups;
    }
    return recording_group(r->out, all ? NULL : member, n, r->in.error);
}

/* Groups the communicators that have equal handles on all of their ranks; then those of all ranks, by their
 * order of use. */
static bough_status pair_comms(reader *r, local_comm **view, uint32_t *member) {
    bough_status status = BOUGH_OK;
    size_t left = 0;
    for (size_t i = 0; i < r->comms; i++) view[i] = &r->comm[i];
    qsort(view, r->comms, sizeof *view, by_handle);
    for (size_t i = 0, end; i < r->comms && !status; i = end) {
        bool whole = true;
        for (end = i;
             end < r->comms && view[end]->handle == view[i]->handle && view[end]->size == view[i]->size;
             end++)
            whole &= view[end]->me == end - i;
        if (whole && end - i == view[i]->size) status = make_group(r, view + i, view[i]->size, member);
    }
    for (size_t i = 0; i < r->comms && !status; i++) {
        if (r->comm[i].group != UINT32_MAX) continue;
        if (r->comm[i].nth == UINT32_MAX && r->comm[i].size > 1) return unknown_members(r, &r->comm[i]);
        view[left++] = &r->comm[i];
    }
    qsort(view, left, sizeof *view, by_use);
    for (size_t i = 0, end; i < left && !status; i = end) {
        bool alone = view[i]->size == 1;
        for (end = i + 1; !alone && end < left && view[end]->nth == view[i]->nth; end++) continue;
        if (end - i != view[i]->size) return unknown_members(r, view[i]);
        status = make_group(r, view + i, view[i]->size, member);
    }
    return status;
}

/* Replaces numbers in a communicator by ranks. */
static void bind_peer(const reader *r, const recorded_group *g, recorded_op *op) {
    bool negative = op->peer > INT32_MAX;
    if (negative && (r->nobody >> (UINT32_MAX - op->peer) & 1))
        *op = (recorded_op){.rank = op->rank, .line = op->line, .kind = RECORDED_CALC};
    else if (negative)
        op->peer = RECORDED_ANY_RANK;
    else if (g->member)
        op->peer = g->member[op->peer];
}

static bough_status bind_comms(reader *r) {
    local_comm **view = NULL;
    uint32_t *member = NULL;
    bough_status status = bough_alloc(&view, r->comms, sizeof *view, r->in.error);
    TRY(bough_alloc(&member, r->out->ranks, sizeof *member, r->in.error));
    TRY(pair_comms(r, view, member));
    for (size_t i = 0; i < r->out->ops && !status; i++) {
        recorded_op *op = &r->out->op[i];
        if (op->kind == RECORDED_CALC) continue;
        op->group = r->comm[op->group].group;
        if (op->kind != RECORDED_COLLECTIVE) bind_peer(r, &r->out->group[op->group], op);
    }
    FREE_ALL(view, member);
    return status;
}

/* ---- files ---- */

bool mpi_trace_is(const char *data, size_t size) {
    scanner s = {.cursor = data, .end = data + size};
    while (scan_line(&s))
        if (s.at < s.stop && *s.at != '#' && *s.at != '\r')
            return s.stop - s.at > 4 && scan_starts(&s, "MPI_");
    return false;
}

bough_status mpi_trace_read(const bough_input *input, recording *out, bough_error *error) {
    reader *r;
    const bough_input_piece **of_rank = NULL;
    bough_status status = bough_alloc(&r, 1, sizeof *r, error);
    if (status) return status;
    r->out = out;
    r->in.error = error;
    status = recorded_files(input, &of_rank, error);
    out->ranks = (uint32_t)input->count;
    for (uint32_t rank = 0; rank < out->ranks && !status; rank++) status = read_rank(r, of_rank[rank], rank);
    TRY(bind_comms(r));
    FREE_ALL(of_rank, r->comm, r->request, r);
    return status;
}
