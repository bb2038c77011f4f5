/* "args" names the program, "config" the ranks: of every process one device is listed, which has "nthreads"
 * times "ngpus" ranks. "results" has a line of the table each; "out_of_place" is null where only in-place
 * runs were measured. */
#include "models/nccl_tests_json.h"

#include "base/json/json_build.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "models/nccl_tests_output.h"

#include <inttypes.h>
#include <string.h>

typedef struct reader {
    const bough_input_piece *piece;
    const bough_point *point;
    bough_rows *rows;
    bool found;
    const char *file;
    uint64_t line; /* 0: the values of JSON have no lines */
    bough_error *error;
} reader;

bool nccl_tests_is_json(const bough_input_piece *piece) {
    return piece->data[strspn(piece->data, " \t\r\n")] == '{';
}

static bough_status check_program(const reader *r, const json_t *root) {
    const char *text = json_string_value(json_array_get(json_object_get(root, "args"), 0));
    const char *kind = r->point->traffic->kind->name, *program;
    const char *traffic = text ? nccl_tests_traffic(text, strlen(text), &program) : NULL;
    if (!traffic || strcmp(traffic, kind) == 0) return BOUGH_OK;
    return FAIL_HERE("the test is %s, but the traffic %s", program, kind);
}

/* 0: absent or out of range. */
static uint64_t count_of(const json_t *object, const char *key) {
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 && value < INT32_MAX ? (uint64_t)value : 0;
}

static bough_status check_ranks(const reader *r, const json_t *root) {
    const json_t *config = json_object_get(root, "config");
    uint64_t each = bough_mul(count_of(config, "nthreads"), count_of(config, "ngpus"));
    uint64_t ranks = bough_mul(json_array_size(json_object_get(config, "devices")), each);
    return nccl_tests_check_ranks(r->piece, r->point, ranks, r->error);
}

static bough_status read_number(const reader *r, const json_t *run, const char *key, double *value) {
    const json_t *number = json_object_get(run, key);
    *value = json_number_value(number);
    if (json_is_number(number) && *value >= 0 && *value < 1e15) return BOUGH_OK;
    return FAIL_HERE("%s of a result is not a number from 0 to 1e15", key);
}

static bough_status read_result(reader *r, const json_t *result) {
    const json_t *size = json_object_get(result, "size"), *run = json_object_get(result, "out_of_place");
    nccl_tests_line line;
    if (!json_is_integer(size) || json_integer_value(size) < 0)
        return FAIL_HERE("size of a result is not a whole number");
    if ((uint64_t)json_integer_value(size) != r->point->traffic->workload->payload || json_is_null(run))
        return BOUGH_OK;
    if (!json_is_object(run)) return FAIL_HERE("out_of_place of a result is missing");
    if (r->found)
        return FAIL_HERE("a second result of %" JSON_INTEGER_FORMAT " bytes", json_integer_value(size));
    r->found = true;
    const char *time = json_object_get(run, "cpu_time") ? "cpu_time" : "time";
    bough_status status = read_number(r, run, time, &line.time_us);
    TRY(read_number(r, run, "alg_bw", &line.algorithm));
    TRY(read_number(r, run, "bus_bw", &line.bus));
    TRY(nccl_tests_add(r->rows, &line, r->error));
    return status;
}

static bough_status read_root(reader *r, const json_t *root) {
    const json_t *results = json_object_get(root, "results");
    if (!json_is_array(results))
        return FAIL_HERE("no array results; expected what nccl-tests writes with -J");
    bough_status status = check_program(r, root);
    TRY(check_ranks(r, root));
    for (size_t i = 0; i < json_array_size(results) && !status; i++)
        status = read_result(r, json_array_get(results, i));
    return status;
}

/* Memory of values is some tens of bytes for a few bytes of text. */
bough_status nccl_tests_read_json(const bough_input_piece *piece, const bough_point *point, bough_rows *rows,
                                  bough_error *error) {
    reader state = {.piece = piece, .point = point, .rows = rows, .file = piece->name, .error = error};
    reader *r = &state;
    json_t *root = NULL;
    if (memchr(piece->data, 0, piece->size)) return FAIL_HERE("contains a NUL byte; expected JSON");
    bough_status status =
        bough_memory_check(bough_mul(piece->size, 32), "the values of the JSON file", error);
    TRY(bough_json_read(piece->data, &root, error));
    TRY(read_root(r, root));
    json_decref(root);
    return AT_LINE(status);
}
