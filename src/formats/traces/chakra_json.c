/* JSON forms of Chakra:
 *   nodes          execution traces of PyTorch (schema "1.1.0-chakra.0.0.4"): operations of the host without
 *                  durations, of which only the collectives are read (record_param_comms), in order
 *   workload_graph the form that Chakra's feeder reads: the attributes of the protobuf form as keys
 * and its process groups. */
#include "formats/traces/chakra.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* Whether the object has a whole number of this name that is not negative. */
static bool get_number(const json_t *object, const char *key, uint64_t *value) {
    const json_t *v = json_object_get(object, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0) return false;
    *value = (uint64_t)json_integer_value(v);
    return true;
}

static const char *get_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Memory of values is some tens of bytes for a few bytes of text. */
static bough_status read_value(const chakra *r, const char *text, size_t length, json_t **value) {
    if (memchr(text, 0, length)) return FAIL_HERE("contains a NUL byte; expected JSON");
    bough_status status =
        bough_memory_check(bough_mul(length, 32), "the values of the JSON file", r->in.error);
    return status ? status : AT_LINE(bough_json_read(text, value, r->in.error));
}

/* ---- process groups ---- */

/* An array of ranks; all of them if it is empty. */
static bough_status read_members(chakra *r, const char *name, const json_t *list) {
    size_t n = json_array_size(list), all = n ? n : r->out->ranks;
    uint32_t *member;
    if (!json_is_array(list)) return FAIL_HERE("process group '%.60s': expected a list of ranks", name);
    if (n > r->out->ranks)
        return FAIL_HERE("process group '%.60s' has %zu rank%s of %" PRIu32, name, n, bough_s(n),
                         r->out->ranks);
    bough_status status = bough_alloc(&member, all, sizeof *member, r->in.error);
    for (size_t i = 0; i < all && !status; i++) {
        const json_t *rank = json_array_get(list, i);
        member[i] = (uint32_t)i;
        if (n == 0) continue;
        if (!json_is_integer(rank) || json_integer_value(rank) < 0 || json_integer_value(rank) > INT32_MAX)
            status = FAIL_HERE("process group '%.60s': a rank is not a whole number", name);
        else
            member[i] = (uint32_t)json_integer_value(rank);
    }
    TRY(chakra_group(r, name, strlen(name), member, (uint32_t)all));
    free(member);
    return status;
}

bough_status chakra_read_groups(chakra *r, const bough_input_piece *piece) {
    json_t *root = NULL;
    r->in.file = piece->name;
    r->in.line = 0;
    bough_status status = read_value(r, piece->data, piece->size, &root);
    if (!status && !json_is_object(root))
        status = FAIL_HERE("expected an object of process groups, as {\"1\": [0, 1]}");
    for (void *i = json_object_iter(root); i && !status; i = json_object_iter_next(root, i))
        status = read_members(r, json_object_iter_key(i), json_object_iter_value(i));
    json_decref(root);
    return status;
}

bough_status chakra_read_values(chakra *r, const chakra_node *n) {
    json_t *root = NULL;
    char *text = NULL;
    const char *first = n->values_length > 4 ? memchr(n->values + 1, '[', n->values_length - 1) : NULL;
    const char *end = n->values + n->values_length;
    if (!first) return BOUGH_OK; /* no list within a list: other metadata */
    while (end > first && end[-1] != ']') end--;
    if (end > first) end--; /* the outer list */
    while (end > first && end[-1] != ']') end--;
    if (end == first) return BOUGH_OK;
    bough_status status = bough_alloc(&text, (uint64_t)(end - first) + 1, 1, r->in.error);
    if (status) return status;
    memcpy(text, first, (size_t)(end - first));
    status = read_value(r, text, (size_t)(end - first), &root);
    for (size_t i = 0; i < json_array_size(root) && !status; i++) {
        const json_t *group = json_array_get(root, i);
        if (*get_text(group, "pg_name"))
            status = read_members(r, get_text(group, "pg_name"), json_object_get(group, "ranks"));
    }
    json_decref(root);
    free(text);
    return status;
}

/* ---- workload_graph ---- */

static bough_status read_graph_node(chakra *r, const json_t *json) {
    chakra_node n = {.host = json_is_true(json_object_get(json, "is_cpu_op"))};
    const json_t *before = json_object_get(json, "data_deps");
    uint32_t op = 0;
    if (!get_number(json, "Id", &n.id) || !get_number(json, "NodeType", &n.type))
        return FAIL_HERE("a node without Id or NodeType");
    get_number(json, "runtime", &n.us);
    n.given |= get_number(json, "comm_size", &n.size) ? CHAKRA_SIZE : 0;
    n.given |= get_number(json, "comm_type", &n.kind) ? CHAKRA_KIND : 0;
    n.given |= get_number(json, "comm_src", &n.source) ? CHAKRA_SOURCE : 0;
    n.given |= get_number(json, "comm_dst", &n.destination) ? CHAKRA_DESTINATION : 0;
    get_number(json, "comm_tag", &n.tag);
    n.group = get_text(json, "pg_name");
    n.group_length = strlen(n.group);
    bough_status status = chakra_add(r, &n, &op);
    for (size_t i = 0; i < json_array_size(before) && !status; i++) {
        const json_t *id = json_array_get(before, i);
        if (!json_is_integer(id)) return FAIL_HERE("node %" PRIu64 ": a dependency is not a number", n.id);
        status = chakra_depends(r, op, (uint64_t)json_integer_value(id));
    }
    return status;
}

/* ---- PyTorch ---- */

static const struct {
    const char *name;
    uint64_t kind;
    bool out; /* the size of the output is that of the node: a block for others */
} collectives[] = {
    {"allreduce", 0, false},
    {"reduce", 1, false},
    {"allgather", 2, false},
    {"_allgather_base", 2, false},
    {"allgather_into_tensor_coalesced", 2, false},
    {"gather", 3, false},
    {"scatter", 4, true},
    {"broadcast", 5, false},
    {"all_to_all", 6, false},
    {"all_to_allv", 6, false},
    {"reduce_scatter", 7, false},
    {"_reduce_scatter_base", 7, false},
    {"reduce_scatter_tensor_coalesced", 7, false},
    {"barrier", 9, false},
};

static uint64_t bytes_of(const char *type) {
    static const struct {
        const char *name;
        uint64_t bytes;
    } types[] = {{"Byte", 1},          {"Char", 1},       {"Bool", 1},         {"Half", 2},
                 {"BFloat16", 2},      {"Short", 2},      {"Int", 4},          {"Float", 4},
                 {"Long", 8},          {"Double", 8},     {"ComplexFloat", 8}, {"ComplexDouble", 16},
                 {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i].name) == 0) return types[i].bytes;
    return 0;
}

static const json_t *attribute(const json_t *node, const char *name) {
    const json_t *list = json_object_get(node, "attrs");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(get_text(json_array_get(list, i), "name"), name) == 0) return json_array_get(list, i);
    return NULL;
}

static bool attribute_number(const json_t *node, const char *name, uint64_t *value) {
    return get_number(attribute(node, name), "value", value);
}

/* The group of this rank. In a file for all ranks it is that of the recorded one, moved: ranks that differ in
 * r / stride mod size only. */
static bough_status stride_group(chakra *r, const json_t *node, char name[64]) {
    uint64_t start = 0, stride = 1, size = r->out->ranks;
    uint32_t *member;
    *name = 0;
    attribute_number(node, "pg_size", &size);
    attribute_number(node, "global_rank_start", &start);
    attribute_number(node, "global_rank_stride", &stride);
    if (size == 0 || stride == 0 || size > r->out->ranks || stride > r->out->ranks)
        return FAIL_HERE("a process group of %" PRIu64 " ranks, %" PRIu64 " apart, but the job has %" PRIu32
                         " rank%s (ranks=)",
                         size, stride, r->out->ranks, bough_s(r->out->ranks));
    uint64_t first = r->alike ? r->rank - r->rank / stride % size * stride : start;
    if (size == r->out->ranks) return BOUGH_OK;
    if (first > UINT32_MAX || first + (size - 1) * stride >= r->out->ranks)
        return FAIL_HERE("a process group of %" PRIu64 " ranks from %" PRIu64 ", %" PRIu64
                         " apart, but the job has %" PRIu32 " rank%s",
                         size, first, stride, r->out->ranks, bough_s(r->out->ranks));
    bough_status status = bough_alloc(&member, size, sizeof *member, r->in.error);
    if (status) return status;
    for (uint64_t i = 0; i < size; i++) member[i] = (uint32_t)(first + i * stride);
    snprintf(name, 64, "%" PRIu64 "+%" PRIu64 "x%" PRIu64, first, stride, size);
    status = chakra_group(r, name, strlen(name), member, (uint32_t)size);
    free(member);
    return status;
}

static bough_status read_comms(chakra *r, const json_t *node, uint32_t *last) {
    const char *name = get_text(attribute(node, "collective_name"), "value");
    const char *type = get_text(attribute(node, "dtype"), "value");
    char group[64];
    uint64_t in = 0, out = 0, each = bytes_of(type);
    chakra_node n = {.type = CHAKRA_COLLECTIVE, .given = CHAKRA_KIND | CHAKRA_SIZE, .id = r->in.line};
    size_t k = 0;
    if (!*name)
        return FAIL_HERE("record_param_comms without collective_name; schema 1.1.0-chakra.0.0.4 has it");
    if (strcmp(name, "wait") == 0 || strcmp(name, "init") == 0) return BOUGH_OK;
    while (k < sizeof collectives / sizeof *collectives && strcmp(name, collectives[k].name) != 0) k++;
    if (k == sizeof collectives / sizeof *collectives)
        return FAIL_HERE(
            "collective '%.40s' is not supported: the trace does not name its partners, or it has no "
            "algorithm here",
            name);
    if (!attribute_number(node, "in_msg_nelems", &in) || !attribute_number(node, "out_msg_nelems", &out) ||
        !each)
        return FAIL_HERE("collective '%.40s' without a size that is known: dtype '%.40s'", name, type);
    n.kind = collectives[k].kind;
    n.size = bough_mul(collectives[k].out ? out : in, each);
    bough_status status = stride_group(r, node, group);
    uint32_t op = 0;
    n.group = group;
    n.group_length = strlen(group);
    TRY(chakra_add(r, &n, &op));
    if (*last != UINT32_MAX) TRY(recording_wait(r->out, op, *last, false, r->in.error));
    *last = op;
    return status;
}

/* ---- files ---- */

/* One after the other, as on one stream of a GPU. The number of a node in the list is its record. */
static bough_status read_nodes(chakra *r, const json_t *list) {
    uint32_t last = UINT32_MAX;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        const json_t *node = json_array_get(list, i);
        r->in.line = (uint32_t)i + 1;
        if (strcmp(get_text(node, "name"), "record_param_comms") == 0) status = read_comms(r, node, &last);
    }
    return status;
}

static bough_status read_graph(chakra *r, const json_t *list) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        r->in.line = (uint32_t)i + 1;
        status = read_graph_node(r, json_array_get(list, i));
    }
    return status;
}

bough_status chakra_parse_json(const chakra *r, const bough_input_piece *piece, json_t **root) {
    return read_value(r, piece->data, piece->size, root);
}

uint64_t chakra_json_ranks(const json_t *root, bool *whole) {
    const json_t *list = json_object_get(root, "nodes");
    uint64_t ranks = 0;
    *whole = false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = json_array_get(list, i);
        uint64_t start, stride, size, end;
        if (strcmp(get_text(node, "name"), "record_param_comms") != 0) continue;
        if (!attribute_number(node, "pg_size", &size) ||
            !attribute_number(node, "global_rank_start", &start) ||
            !attribute_number(node, "global_rank_stride", &stride) || size == 0)
            continue;
        end = bough_add(bough_add(start, bough_mul(size - 1, stride)), 1);
        if (end > ranks) ranks = end;
        *whole |= strcmp(get_text(attribute(node, "pg_desc"), "value"), "default_pg") == 0;
    }
    return ranks;
}

bough_status chakra_read_json(chakra *r, const json_t *root) {
    bough_status status;
    const json_t *graph = json_object_get(root, "workload_graph"), *nodes = json_object_get(root, "nodes");
    if (json_is_array(graph))
        status = read_graph(r, graph);
    else if (json_is_array(nodes) && strstr(get_text(root, "schema"), "chakra"))
        status = read_nodes(r, nodes);
    else
        status =
            FAIL_HERE("JSON, but not of Chakra; expected workload_graph, or nodes and a schema of chakra");
    return status;
}
