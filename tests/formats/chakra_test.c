/* Chakra traces: files made here by an encoder of their own, what the reader refuses, and the equality of the
 * protobuf and JSON forms. */
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

enum { RANKS_MAX = 8, BYTES = 4096 };

/* ---- an encoder ---- */

typedef struct bytes {
    unsigned char data[BYTES];
    size_t size;
} bytes;

static void varint(bytes *b, uint64_t value) {
    for (; value > 127; value >>= 7) b->data[b->size++] = (unsigned char)(value | 128);
    b->data[b->size++] = (unsigned char)value;
}

static void number(bytes *b, unsigned field, uint64_t value) {
    varint(b, field << 3);
    varint(b, value);
}

static void block(bytes *b, unsigned field, const void *data, size_t size) {
    varint(b, field << 3 | 2);
    varint(b, size);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void record(bytes *file, const bytes *b) {
    varint(file, b->size);
    memcpy(file->data + file->size, b->data, b->size);
    file->size += b->size;
}

static void attribute(bytes *node, const char *name, unsigned field, uint64_t value) {
    bytes a = {.size = 0};
    block(&a, 1, name, strlen(name));
    number(&a, field, value);
    block(node, 10, a.data, a.size);
}

static void attribute_text(bytes *node, const char *name, const char *text) {
    bytes a = {.size = 0};
    block(&a, 1, name, strlen(name));
    block(&a, 29, text, strlen(text));
    block(node, 10, a.data, a.size);
}

static void begin(bytes *file) {
    bytes metadata = {.size = 0};
    *file = (bytes){.size = 0};
    block(&metadata, 1, "0.0.4", 5);
    record(file, &metadata);
}

static bytes node(uint64_t id, uint64_t type, uint64_t us) {
    bytes b = {.size = 0};
    number(&b, 1, id);
    block(&b, 2, "name", 4);
    number(&b, 3, type);
    number(&b, 7, us);
    return b;
}

enum { INT32 = 7, INT64 = 9, UINT64 = 13, SINT32 = 15, BOOLEAN = 27 };
enum { COMPUTE = 4, SEND = 5, RECV = 6, COLLECTIVE = 7 };

/* A file with one computation and, after it, a collective. */
static void step_file(bytes *file, uint64_t kind, uint64_t size) {
    begin(file);
    bytes compute = node(10, COMPUTE, 5), coll = node(11, COLLECTIVE, 0);
    record(file, &compute);
    number(&coll, 5, 10);
    attribute(&coll, "comm_type", INT64, kind);
    attribute(&coll, "comm_size", INT64, size);
    record(file, &coll);
}

/* ---- reading ---- */

static bough_status schedule_of(const bough_input *input, uint32_t ranks, const char *groups,
                                bough_schedule **s, bough_error *error) {
    bough_input given;
    recording r = {0};
    recording_options options = {"trace", "ring", 0};
    *error = (bough_error){0};
    *s = NULL;
    if (groups) assert_int_equal(bough_input_from("groups", groups, strlen(groups), &given, error), BOUGH_OK);
    bough_status status = chakra_count(input, ranks, &ranks, error);
    if (!status) status = chakra_read(input, ranks, groups ? &given : NULL, &r, error);
    if (!status) status = recording_schedule(&r, &options, s, error);
    arena_fini(&r.memory);
    if (groups) bough_input_fini(&given);
    return status;
}

static bough_status read_ranks(const bytes *file, size_t count, const char *groups, bough_schedule **s,
                               bough_error *error) {
    static char name[RANKS_MAX][16];
    bough_input_piece piece[RANKS_MAX];
    bough_input input = {.name = "trace", .piece = piece, .count = count};
    for (size_t i = 0; i < count; i++) {
        snprintf(name[i], sizeof *name, "job.%zu.et", i);
        piece[i] = (bough_input_piece){name[i], (char *)file[i].data, file[i].size};
    }
    return schedule_of(&input, 0, groups, s, error);
}

static bough_status read_one(const void *data, size_t size, uint32_t ranks, bough_schedule **s,
                             bough_error *error) {
    bough_input_piece piece = {(char *)"one", (char *)data, size};
    bough_input input = {.name = "trace", .piece = &piece, .count = 1};
    return schedule_of(&input, ranks, NULL, s, error);
}

static void check_refused(bough_status status, const bough_error *error, const char *place,
                          const char *reason) {
    if (status != BOUGH_INVALID || !strstr(error->place, place) || !strstr(error->reason, reason))
        fail_msg("status %d, '%s: %s', expected '%s: %s'", status, error->place, error->reason, place,
                 reason);
}

static void refused(const bytes *last, const char *place, const char *reason) {
    bytes file;
    bough_schedule *s;
    bough_error error;
    begin(&file);
    record(&file, last);
    check_refused(read_one(file.data, file.size, 2, &s, &error), &error, place, reason);
    assert_null(s);
}

static void wrong_nodes_are_refused(void **state) {
    (void)state;
    bytes b = node(1, 9, 0);
    refused(&b, "one:1", "unknown type 9");
    b = node(1, COLLECTIVE, 0);
    refused(&b, "one:1", "a collective without comm_type");
    attribute(&b, "comm_type", INT64, 10);
    refused(&b, "one:1", "comm_type 10; the types are 0 to 9");
    b = node(1, COLLECTIVE, 0);
    attribute(&b, "comm_type", INT64, 0);
    attribute(&b, "comm_size", INT64, (uint64_t)-5);
    refused(&b, "one:1", "comm_size is not a whole number");
    b = node(1, COLLECTIVE, 0);
    attribute(&b, "comm_type", INT64, 0);
    attribute_text(&b, "pg_name", "7");
    refused(&b, "one:1", "process group '7' are not given");
    b = node(1, SEND, 0);
    refused(&b, "one:1", "a send without comm_dst");
    attribute(&b, "comm_dst", INT32, 2);
    refused(&b, "one:1", "comm_dst 2, but the job has 2 ranks");
    b = node(1, RECV, 0);
    refused(&b, "one:1", "a receive without comm_src");
    b = node(1, COMPUTE, 0);
    number(&b, 5, 1);
    refused(&b, "one:1", "depends on itself");
    number(&b, 4, 2);
    refused(&b, "one:1", "depends on");
    b = node(1, COMPUTE, UINT64_C(1) << 60);
    refused(&b, "one:1", "more than 2^50 us");
    b = node(1, COMPUTE, 0);
    b.data[b.size++] = 3; /* wire type 3 */
    refused(&b, "one:1", "damaged");
    bytes dims = {.size = 0}, list = {.size = 0};
    block(&list, 1, "\1\0", 2);
    block(&dims, 1, "involved_dim", 12);
    block(&dims, 28, list.data, list.size);
    b = node(1, COLLECTIVE, 0);
    attribute(&b, "comm_type", INT64, 0);
    block(&b, 10, dims.data, dims.size);
    refused(&b, "one:1", "some dimensions");
}

static void wrong_files_are_refused(void **state) {
    (void)state;
    bough_schedule *s;
    bough_error error;
    bytes file;
    step_file(&file, 0, 100);
    check_refused(read_one("hello", 5, 2, &s, &error), &error, "one", "not a Chakra trace");
    check_refused(read_one("", 0, 2, &s, &error), &error, "one", "not a Chakra trace");
    check_refused(read_one("{}", 2, 2, &s, &error), &error, "one", "JSON, but not of Chakra");
    check_refused(read_one("{\"nodes\": 3", 11, 2, &s, &error), &error, "one", "");
    check_refused(read_one(file.data, file.size, 0, &s, &error), &error, "one", "ranks=N says how many");
    check_refused(read_one(file.data, file.size - 1, 2, &s, &error), &error, "one:2", "ends within a record");
    bytes twice = file, again = node(10, COMPUTE, 0);
    record(&twice, &again);
    check_refused(read_one(twice.data, twice.size, 2, &s, &error), &error, "one:3", "given twice");
    bytes two[2] = {file, file};
    step_file(&two[1], 0, 200);
    check_refused(read_ranks(two, 2, NULL, &s, &error), &error, "trace", "allreduce of 200 bytes");
    begin(&two[1]);
    check_refused(read_ranks(two, 2, NULL, &s, &error), &error, "trace", "number 1 of a group of 2 ranks");
    two[1] = file;
    check_refused(read_ranks(two, 2, "[1]", &s, &error), &error, "groups", "an object of process groups");
    check_refused(read_ranks(two, 2, "{\"1\": [0, 0]}", &s, &error), &error, "groups", "rank 0 twice");
    check_refused(read_ranks(two, 2, "{\"1\": [0, 2]}", &s, &error), &error, "groups", "has rank 2");
    check_refused(read_ranks(two, 2, "{\"1\": [0, -2]}", &s, &error), &error, "groups", "not a whole number");
}

/* ---- what a schedule has ---- */

static uint64_t sent_by(const bough_schedule *s, uint32_t rank) {
    uint64_t sum = 0;
    for (uint32_t o = s->first[rank]; o < s->first[rank + 1]; o++)
        if (s->op[o].kind == BOUGH_OP_SEND) sum += s->op[o].size;
    return sum;
}

/* The sizes are those of ASTRA-sim: an allgather names the block of a rank, the others the vector. */
static void collectives_by_hand(void **state) {
    (void)state;
    static const struct {
        uint64_t kind, sent[4];
    } table[] = {
        {0, {600, 600, 600, 600}}, {1, {0, 400, 400, 400}},   {2, {1200, 1200, 1200, 1200}},
        {3, {0, 400, 400, 400}},   {4, {1200, 0, 0, 0}},      {5, {800, 0, 400, 0}},
        {6, {300, 300, 300, 300}}, {7, {300, 300, 300, 300}}, {8, {300, 300, 300, 300}},
        {9, {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bytes file;
        bough_schedule *s;
        bough_error error;
        step_file(&file, table[i].kind, 400);
        if (read_one(file.data, file.size, 4, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
        for (uint32_t r = 0; r < 4; r++)
            if (sent_by(s, r) != table[i].sent[r])
                fail_msg("type %zu: rank %u sends %lu", i, r, (unsigned long)sent_by(s, r));
        bough_schedule_destroy(s);
    }
}

static bool follows(const bough_schedule *s, uint32_t rank, uint32_t after, uint32_t before) {
    uint32_t a = s->first[rank] + after, b = s->first[rank] + before;
    for (uint64_t f = s->then[b]; f < s->then[b + 1]; f++)
        if (s->follower[f] == a << 1) return true;
    return false;
}

/* A message of 99 bytes, forward references, the three CPUs, and a type that has no time. */
static void messages_and_dependencies(void **state) {
    (void)state;
    bytes file[2], b;
    bough_schedule *s;
    bough_error error;
    begin(&file[0]);
    b = node(7, SEND, 0);
    attribute(&b, "comm_dst", INT32, 1);
    attribute(&b, "comm_size", INT64, 99);
    attribute(&b, "comm_tag", SINT32, 10); /* zigzag: 5 */
    block(&b, 5, "\11\12", 2);             /* packed: 9, 10 */
    record(&file[0], &b);
    b = node(9, COMPUTE, 3);
    record(&file[0], &b);
    b = node(10, COMPUTE, 4);
    attribute(&b, "is_cpu_op", BOOLEAN, 1);
    record(&file[0], &b);
    begin(&file[1]);
    b = node(0, RECV, 0);
    attribute(&b, "comm_src", INT32, 0);
    attribute(&b, "comm_size", UINT64, 99);
    attribute(&b, "comm_tag", INT32, 5);
    record(&file[1], &b);
    if (read_ranks(file, 2, NULL, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_int_equal(s->ops, 4);
    assert_int_equal(s->op[0].kind, BOUGH_OP_SEND);
    assert_int_equal(s->op[0].size, 99);
    assert_int_equal(s->op[0].tag, 5);
    assert_int_equal(s->op[3].tag, 5);
    assert_int_equal(s->op[1].size, 3000);
    assert_true(follows(s, 0, 0, 1) && follows(s, 0, 0, 2) && !follows(s, 0, 2, 1));
    assert_int_equal(s->op[0].cpu, 1);
    assert_int_equal(s->op[1].cpu, 0);
    assert_int_equal(s->op[2].cpu, 2);
    bough_schedule_destroy(s);
}

/* Nodes of the host are computations of their time, also those of collectives and messages; a type that does
 * not exist is refused there too. */
static void hosts_start_collectives(void **state) {
    (void)state;
    static const char json[] =
        "{\"workload_graph\": [{\"Id\": 1, \"NodeType\": 7, \"runtime\": 85, \"is_cpu_op\": true},"
        "{\"Id\": 2, \"NodeType\": 7, \"runtime\": 9, \"comm_type\": 0, \"comm_size\": 400, \"is_cpu_op\": "
        "true},"
        "{\"Id\": 3, \"NodeType\": 6, \"runtime\": 7, \"is_cpu_op\": true}]}";
    static const uint64_t size[] = {85000, 9000, 7000};
    bough_schedule *s;
    bough_error error;
    if (read_one(json, sizeof json - 1, 2, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_int_equal(s->ops, 6);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(s->op[i].kind, BOUGH_OP_CALC);
        assert_int_equal(s->op[i].size, size[i]);
        assert_int_equal(s->op[i].cpu, 2);
    }
    bough_schedule_destroy(s);
    bytes b = node(1, 9, 0);
    attribute(&b, "is_cpu_op", BOOLEAN, 1);
    refused(&b, "one:1", "unknown type 9");
}

/* Ranks 1 and 3 alone; the second collective in the group "0" of all. */
static void groups_have_their_own_collectives(void **state) {
    (void)state;
    bytes file[4], b;
    bough_schedule *s;
    bough_error error;
    for (uint32_t r = 0; r < 4; r++) {
        begin(&file[r]);
        b = node(1, COLLECTIVE, 0);
        attribute(&b, "comm_type", INT64, 0);
        attribute(&b, "comm_size", INT64, 1000);
        attribute_text(&b, "pg_name", "odd");
        if (r % 2) record(&file[r], &b);
        b = node(2, COLLECTIVE, 0);
        attribute(&b, "comm_type", INT64, 0);
        attribute(&b, "comm_size", INT64, 400);
        attribute_text(&b, "pg_name", "0");
        record(&file[r], &b);
    }
    if (read_ranks(file, 4, "{\"odd\": [1, 3]}", &s, &error)) fail_msg("%s: %s", error.place, error.reason);
    for (uint32_t r = 0; r < 4; r++) assert_int_equal(sent_by(s, r), r % 2 ? 1600 : 600);
    bough_schedule_destroy(s);
    check_refused(read_ranks(file, 4, "{\"odd\": [1, 2]}", &s, &error), &error, "job.3.et:1",
                  "rank 3 is not in process group 'odd'");
}

/* Process groups in a metadata node, as PyTorch writes them. */
static void metadata_define_groups(void **state) {
    (void)state;
    static const char values[] =
        "['[{\"pg_name\": \"4\", \"ranks\": [0, 2]}, {\"pg_name\": \"5\", \"ranks\": []}]']";
    bytes file[3], b, values_of = {.size = 0};
    bough_schedule *s;
    bough_error error;
    block(&values_of, 1, values, sizeof values - 1);
    for (uint32_t r = 0; r < 3; r++) {
        begin(&file[r]);
        b = node(0, 1, 0);
        block(&b, 8, values_of.data, values_of.size);
        record(&file[r], &b);
        b = node(1, COLLECTIVE, 0);
        attribute(&b, "comm_type", INT64, 0);
        attribute(&b, "comm_size", INT64, 1000);
        attribute_text(&b, "pg_name", r == 1 ? "" : "4");
        if (r != 1) record(&file[r], &b);
    }
    if (read_ranks(file, 3, NULL, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_int_equal(sent_by(s, 0), 1000);
    assert_int_equal(sent_by(s, 1), 0);
    assert_int_equal(sent_by(s, 2), 1000);
    bough_schedule_destroy(s);
}

/* ---- JSON ---- */

static void same_schedules(const bough_schedule *a, const bough_schedule *b) {
    assert_int_equal(a->ops, b->ops);
    for (uint32_t o = 0; o < a->ops; o++) {
        assert_int_equal(a->op[o].kind, b->op[o].kind);
        assert_int_equal(a->op[o].size, b->op[o].size);
        assert_int_equal(a->op[o].peer, b->op[o].peer);
        assert_int_equal(a->op[o].tag, b->op[o].tag);
        assert_int_equal(a->waits[o], b->waits[o]);
    }
}

static void json_is_the_same(void **state) {
    (void)state;
    static const char json[] =
        "{\"workload_graph\": [{\"Id\": 10, \"Name\": \"a\", \"NodeType\": 4, \"runtime\": 5, \"data_deps\": "
        "[]},"
        "{\"Id\": 11, \"NodeType\": 7, \"comm_type\": 2, \"comm_size\": 400, \"data_deps\": [10]}]}";
    bytes file;
    bough_schedule *a, *b;
    bough_error error;
    step_file(&file, 2, 400);
    if (read_one(file.data, file.size, 4, &a, &error)) fail_msg("%s: %s", error.place, error.reason);
    if (read_one(json, sizeof json - 1, 4, &b, &error)) fail_msg("%s: %s", error.place, error.reason);
    same_schedules(a, b);
    bough_schedule_destroy(a);
    bough_schedule_destroy(b);
}

#define COMMS(name, dtype, elements, size, start, stride)                                                    \
    "{\"id\": 1, \"name\": \"record_param_comms\", \"attrs\": [{\"name\": \"collective_name\", \"value\": "  \
    "\"" name "\"}, {\"name\": \"dtype\", \"value\": \"" dtype                                               \
    "\"}, {\"name\": \"in_msg_nelems\", \"value\": " elements                                                \
    "}, {\"name\": \"out_msg_nelems\", \"value\": " elements "}, {\"name\": \"pg_size\", \"value\": " size   \
    "}, {\"name\": \"global_rank_start\", \"value\": " start                                                 \
    "}, {\"name\": \"global_rank_stride\", \"value\": " stride "}]}"
#define PYTORCH(...) "{\"schema\": \"1.1.0-chakra.0.0.4\", \"nodes\": [" __VA_ARGS__ "]}"

/* One rank of 4: groups of 2 that are 2 apart, of which only {0, 2} is in the file. */
static void pytorch_traces_are_collectives(void **state) {
    (void)state;
    static const char json[] = PYTORCH("{\"id\": 7, \"name\": \"aten::view\", \"attrs\": []}," COMMS(
        "allreduce", "Float", "100", "2", "0",
        "2") "," COMMS("wait", "Byte", "0", "1", "0", "1") "," COMMS("broadcast", "Long", "100", "4", "0",
                                                                     "1"));
    static const char sends[] = PYTORCH(COMMS("send", "Float", "100", "2", "0", "1"));
    bough_schedule *s;
    bough_error error;
    if (read_one(json, sizeof json - 1, 0, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_int_equal(s->ranks, 4);
    assert_int_equal(sent_by(s, 0), 400 + 1600);
    assert_int_equal(sent_by(s, 1), 400);
    assert_int_equal(sent_by(s, 2), 400 + 800);
    for (uint32_t o = s->first[1]; o < s->first[2]; o++)
        if (s->op[o].kind == BOUGH_OP_SEND && s->op[o].size == 200) assert_int_equal(s->op[o].peer, 3);
    bough_schedule_destroy(s);
    check_refused(read_one(json, sizeof json - 1, 3, &s, &error), &error, "one", "recorded on 4 ranks");
    check_refused(read_one(sends, sizeof sends - 1, 0, &s, &error), &error, "one:1",
                  "'send' is not supported");
}

/* The 2-GPU run of ResNet-50: three steps, each of two broadcasts and five allreduces. */
static void the_real_trace_is_read(void **state) {
    (void)state;
    char *path = data_path("ai/resnet-2gpu.chakra-et.json.gz");
    if (path) {
        bough_input input;
        bough_schedule *s;
        bough_error error;
        assert_int_equal(bough_input_read(path, &input, &error), BOUGH_OK);
        if (schedule_of(&input, 0, NULL, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
        assert_int_equal(s->ranks, 2);
        /* the gradients of 25,557,032 parameters; the buffers of rank 0 */
        assert_int_equal(sent_by(s, 1), UINT64_C(3) * 25557032 * 4);
        assert_int_equal(sent_by(s, 0), UINT64_C(3) * (25557032 * 4 + 53120 * 4 + 53 * 8));
        bough_schedule_destroy(s);
        bough_input_fini(&input);
    }
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_nodes_are_refused),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(collectives_by_hand),
        cmocka_unit_test(hosts_start_collectives),
        cmocka_unit_test(messages_and_dependencies),
        cmocka_unit_test(groups_have_their_own_collectives),
        cmocka_unit_test(metadata_define_groups),
        cmocka_unit_test(json_is_the_same),
        cmocka_unit_test(pytorch_traces_are_collectives),
        cmocka_unit_test(the_real_trace_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
