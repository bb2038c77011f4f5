#include "formats/traces/chakra.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A GPU computes and communicates at the same time, and so does the host: three CPUs of a rank. */
enum { CPU_COMPUTE, CPU_MESSAGES, CPU_HOST };

/* ---- groups ---- */

static bool same_group(const recorded_group *g, uint32_t ranks, const uint32_t *member, uint32_t n) {
    for (uint32_t i = 0; i < n && n == g->n; i++)
        if (member[i] != (g->member ? g->member[i] : i)) return false;
    return n == g->n && (g->member || n == ranks);
}

static bough_status check_members(const chakra *r, const char *name, size_t length, const uint32_t *member,
                                  uint32_t n) {
    uint8_t *seen;
    bough_status status = bough_alloc(&seen, r->out->ranks, 1, r->in.error);
    for (uint32_t i = 0; i < n && !status; i++) {
        if (member[i] >= r->out->ranks)
            status = FAIL_HERE(
                "process group '%.*s' has rank %" PRIu32 ", but the job has %" PRIu32 " rank%s",
                (int)(length < 60 ? length : 60), name, member[i], r->out->ranks, bough_s(r->out->ranks));
        else if (seen[member[i]]++)
            status = FAIL_HERE("process group '%.*s' has rank %" PRIu32 " twice",
                               (int)(length < 60 ? length : 60), name, member[i]);
    }
    if (!status && n == 0)
        status = FAIL_HERE("process group '%.*s' has no ranks", (int)(length < 60 ? length : 60), name);
    free(seen);
    return status;
}

bough_status chakra_group(chakra *r, const char *name, size_t length, const uint32_t *member, uint32_t n) {
    uint32_t known = bough_name_map_get(&r->groups, name, length);
    if (known != UINT32_MAX) {
        if (same_group(&r->out->group[known], r->out->ranks, member, n)) return BOUGH_OK;
        return FAIL_HERE("process group '%.*s' has other ranks than before", (int)(length < 60 ? length : 60),
                         name);
    }
    char *copy = NULL;
    bough_status status = check_members(r, name, length, member, n);
    TRY(arena_copy_bytes(&r->memory, &copy, name, length, r->in.error));
    TRY(bough_name_map_add(&r->groups, copy, length, (uint32_t)r->out->groups, r->in.error));
    TRY(recording_group(r->out, member, n, r->in.error));
    return status;
}

/* Group 0 has all ranks; it is PyTorch's default group "0", unless that is defined otherwise. */
static bough_status find_group(const chakra *r, const chakra_node *n, uint32_t *group) {
    *group = 0;
    if (n->group_length == 0) return BOUGH_OK;
    uint32_t known = bough_name_map_get(&r->groups, n->group, n->group_length);
    if (known == UINT32_MAX && n->group_length == 1 && *n->group == '0') return BOUGH_OK;
    if (known == UINT32_MAX)
        return FAIL_HERE("the ranks of process group '%.*s' are not given; groups=FILE gives them, as "
                         "{\"1\": [0, 1]}",
                         (int)(n->group_length < 60 ? n->group_length : 60), n->group);
    *group = known;
    return BOUGH_OK;
}

/* ---- nodes ---- */

/* In the order of the schema. all: the size is of one block of the vector. */
static const struct {
    recorded_what what;
    bool block;
} kinds[] = {
    {RECORDED_ALLREDUCE, false}, {RECORDED_REDUCE, false},        {RECORDED_ALLGATHER, true},
    {RECORDED_GATHER, true},     {RECORDED_SCATTER, true},        {RECORDED_BROADCAST, false},
    {RECORDED_ALLTOALL, false},  {RECORDED_REDUCESCATTER, false}, {RECORDED_REDUCESCATTER, false},
    {RECORDED_BARRIER, false},
};

static bough_status make_collective(const chakra *r, const chakra_node *n, recorded_op *op) {
    bough_status status = find_group(r, n, &op->group);
    if (status) return status;
    if (n->some)
        return FAIL_HERE("node %" PRIu64
                         ": a collective of some dimensions of a network (involved_dim); process "
                         "groups are supported (pg_name, groups=FILE)",
                         n->id);
    if (!(n->given & CHAKRA_KIND))
        return FAIL_HERE("node %" PRIu64 ": a collective without comm_type", n->id);
    if (n->kind >= sizeof kinds / sizeof *kinds)
        return FAIL_HERE("node %" PRIu64 ": a collective with comm_type %" PRIu64 "; the types are 0 to %zu",
                         n->id, n->kind, sizeof kinds / sizeof *kinds - 1);
    const recorded_group *g = &r->out->group[op->group];
    bool member = !g->member;
    for (uint32_t i = 0; i < g->n && !member; i++) member = g->member[i] == r->rank;
    if (!member)
        return FAIL_HERE("node %" PRIu64 ": rank %" PRIu32 " is not in process group '%.*s'", n->id, r->rank,
                         (int)(n->group_length < 60 ? n->group_length : 60), n->group);
    op->kind = RECORDED_COLLECTIVE;
    op->what = (uint8_t)kinds[n->kind].what;
    op->size = kinds[n->kind].block ? bough_mul(n->size, g->n) : n->size;
    return BOUGH_OK;
}

static bough_status make_message(const chakra *r, const chakra_node *n, recorded_op *op) {
    bool send = n->type == CHAKRA_SEND;
    uint64_t peer = send ? n->destination : n->source;
    if (!(n->given & (send ? CHAKRA_DESTINATION : CHAKRA_SOURCE)))
        return FAIL_HERE("node %" PRIu64 ": a %s without %s", n->id, send ? "send" : "receive",
                         send ? "comm_dst" : "comm_src");
    if (peer >= r->out->ranks)
        return FAIL_HERE("node %" PRIu64 ": %s %" PRIu64 ", but the job has %" PRIu32
                         " rank%s, counted from 0",
                         n->id, send ? "comm_dst" : "comm_src", peer, r->out->ranks, bough_s(r->out->ranks));
    op->kind = send ? RECORDED_SEND : RECORDED_RECV;
    op->size = n->size;
    op->peer = (uint32_t)peer;
    op->tag = n->tag & UINT32_MAX;
    return BOUGH_OK;
}

bough_status chakra_add(chakra *r, const chakra_node *n, uint32_t *id) {
    recorded_op op = {.rank = r->rank, .line = r->in.line, .cpu = n->host ? CPU_HOST : CPU_COMPUTE};
    /* What the host did to start a collective; its kernel has a node of its own. */
    const uint64_t type = n->host && n->type >= CHAKRA_SEND ? CHAKRA_COMPUTE : n->type;
    const bool message = type >= CHAKRA_SEND;
    bough_status status = BOUGH_OK;
    if (n->type >= CHAKRA_TYPES) return FAIL_HERE("node %" PRIu64 ": unknown type %" PRIu64, n->id, n->type);
    if (bough_index_map_get(&r->ids, n->id) != UINT32_MAX)
        return FAIL_HERE("node %" PRIu64 " is given twice", n->id);
    if (message && n->size > UINT64_C(1) << 50)
        return FAIL_HERE("node %" PRIu64 ": comm_size of more than 2^50 bytes", n->id);
    if (n->us > UINT64_C(1) << 50) return FAIL_HERE("node %" PRIu64 ": more than 2^50 us", n->id);
    if (n->type == CHAKRA_METADATA && n->values) status = chakra_read_values(r, n);
    if (message) op.cpu = CPU_MESSAGES;
    if (type == CHAKRA_COLLECTIVE) TRY(make_collective(r, n, &op));
    if (type == CHAKRA_SEND || type == CHAKRA_RECV) TRY(make_message(r, n, &op));
    if (!message) op.size = 1000 * n->us;
    TRY(recording_add(r->out, op, id, r->in.error));
    TRY(bough_index_map_put(&r->ids, n->id, *id, r->in.error));
    return status;
}

bough_status chakra_depends(chakra *r, uint32_t op, uint64_t before) {
    bough_status status =
        arena_grow(&r->memory, &r->dependency, r->dependencies + 1, sizeof *r->dependency, r->in.error);
    if (!status) r->dependency[r->dependencies++] = (chakra_dependency){before, op, r->in.line};
    return status;
}

/* ---- files ---- */

static bough_status bind_dependencies(chakra *r) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < r->dependencies && !status; i++) {
        const chakra_dependency *d = &r->dependency[i];
        uint32_t before = bough_index_map_get(&r->ids, d->before);
        r->in.line = d->record;
        if (before == UINT32_MAX)
            return FAIL_HERE("depends on node %" PRIu64 ", which does not exist", d->before);
        if (before == d->op) return FAIL_HERE("node %" PRIu64 " depends on itself", d->before);
        status = recording_wait(r->out, d->op, before, false, r->in.error);
    }
    return status;
}

static bool json_is(const char *data, size_t size) {
    size_t i = 0;
    while (i < size && strchr(" \t\r\n", data[i]) && data[i]) i++;
    return i < size && data[i] == '{';
}

bool chakra_is(const char *data, size_t size) {
    return json_is(data, size) || chakra_wire_is(data, size);
}

/* root: the value of a JSON file; NULL: protobuf. */
static bough_status read_rank(chakra *r, const bough_input_piece *piece, const json_t *root, uint32_t rank) {
    r->in.line = 0;
    r->rank = rank;
    r->dependencies = 0;
    bough_index_map_clear(&r->ids);
    bough_status status = root ? chakra_read_json(r, root) : chakra_read_wire(r, piece);
    TRY(bind_dependencies(r));
    return status;
}

/* Begins a file: *root is its JSON, NULL if it has the protobuf form. */
static bough_status open_file(chakra *r, const bough_input_piece *piece, json_t **root) {
    r->in.file = piece->name;
    r->in.line = 0;
    if (json_is(piece->data, piece->size)) return chakra_parse_json(r, piece, root);
    return chakra_wire_is(piece->data, piece->size)
               ? BOUGH_OK
               : FAIL_HERE("not a Chakra trace; expected its protobuf or JSON form");
}

/* Reads a file for `count` ranks from `first` on. */
static bough_status read_file(chakra *r, const bough_input_piece *piece, uint32_t first, uint32_t count) {
    json_t *root = NULL;
    bough_status status = open_file(r, piece, &root);
    for (uint32_t i = 0; i < count && !status; i++) status = read_rank(r, piece, root, first + i);
    json_decref(root);
    return status;
}

/* The number of ranks that run a single file. */
static bough_status count_ranks(chakra *r, const bough_input_piece *piece, uint32_t given) {
    json_t *root = NULL;
    uint64_t named = 0;
    bool whole = false;
    bough_status status = open_file(r, piece, &root);
    if (!status) named = chakra_json_ranks(root, &whole);
    json_decref(root);
    if (status) return status;
    if (named > INT32_MAX) return FAIL_HERE("process groups of %" PRIu64 " ranks", named);
    if (!named && !given) return FAIL_HERE("one file for all ranks; ranks=N says how many run it");
    if (given && (given < named || (whole && given != named)))
        return FAIL_HERE("is recorded on %" PRIu64 " rank%s; it does not tell what %" PRIu32
                         " rank%s would send and compute",
                         named, bough_s(named), given, bough_s(given));
    r->out->ranks = given ? given : (uint32_t)named;
    return BOUGH_OK;
}

bough_status chakra_count(const bough_input *input, uint32_t given, uint32_t *ranks, bough_error *error) {
    recording out = {.ranks = (uint32_t)input->count};
    chakra c = {.out = &out, .in.error = error};
    const bough_input_piece **of_rank = NULL;
    bough_status status = recorded_files(input, &of_rank, error);
    if (input->count == 1) TRY(count_ranks(&c, of_rank[0], given));
    free(of_rank);
    *ranks = out.ranks;
    return status;
}

bough_status chakra_read(const bough_input *input, uint32_t ranks, const bough_input *groups, recording *out,
                         bough_error *error) {
    chakra c = {.out = out, .in.error = error, .alike = input->count == 1}, *r = &c;
    c.ids.memory = c.groups.memory = &c.memory;
    const bough_input_piece **of_rank = NULL;
    bough_status status = recorded_files(input, &of_rank, error);
    out->ranks = ranks;
    TRY(recording_group(out, NULL, out->ranks, error));
    if (groups) TRY(bough_input_single(groups, "file of process groups", error));
    if (groups) TRY(chakra_read_groups(r, &groups->piece[0]));
    if (c.alike) TRY(read_file(r, of_rank[0], 0, out->ranks));
    for (uint32_t rank = 0; rank < out->ranks && !c.alike && !status; rank++)
        status = read_file(r, of_rank[rank], rank, 1);
    arena_fini(&c.memory);
    free(of_rank);
    return status;
}
