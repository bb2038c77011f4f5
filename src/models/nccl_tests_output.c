/* A line of the table has 12 numbers and words: size, count, type, redop, root, and twice time (us), algbw,
 * busbw (GB/s), wrong. Old versions have no redop or no root. Lines with # are comments; those of devices
 * count the ranks. The table of per-iteration times (8 columns more) is not read. Lines may have the label of
 * a rank, host or pod, as srun -l, mpirun --tag-output, mpiexec -prepend-rank, pdsh and kubectl logs --prefix
 * write it.
 *
 * A log may have several runs, each with its comments before its table. Runs of other collectives, or of
 * other numbers of ranks, are left out if one run fits. Of several that fit, the result is the mean time, and
 * the bandwidth over all of them: its mean weighted by time. */
#include "models/nccl_tests_output.h"

#include "base/files/input.h"
#include "base/json/json_build.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/scanner.h"
#include "base/text/text.h"
#include "method/method.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct nccl_tests_line {
    double time_us, algorithm, bus; /* GB/s */
} nccl_tests_line;

enum { WORDS = 16, WORD = 48 };

/* A run as far as it was read. */
typedef struct measured_run {
    const char *program, *traffic; /* NULL: not stated */
    uint32_t line;                 /* that states them */
    uint64_t ranks;                /* 0: not stated */
    bool began;                    /* its parameters were read */
    uint32_t found;                /* the line of the size; 0: none yet */
    nccl_tests_line row;           /* that line */
} measured_run;

typedef struct reader {
    const bough_point *point;
    const bough_input_piece *piece;
    scanner in;
    bough_slice host;        /* see host_label */
    measured_run run, other; /* other: the first run that does not fit */
    bool fits, differs;      /* a run fits; `other` is one */
    nccl_tests_line sum;     /* of runs that fit and have the size: times, and bandwidths times time */
    uint64_t count;          /* of these */
} reader;

static bool line_has(const char *line, size_t length, const char *what) {
    size_t size = strlen(what);
    for (size_t i = 0; i + size <= length; i++)
        if (memcmp(line + i, what, size) == 0) return true;
    return false;
}

static size_t digits_at(const char *line, size_t length, size_t at) {
    while (at < length && line[at] >= '0' && line[at] <= '9') at++;
    return at;
}

/* Length of the label of a rank: "0:" (srun pads the number with blanks), "[0]", "[pod/NAME/CONTAINER]", and
 * those of `mpirun --tag-output`; 0: none. */
static size_t rank_label(const char *line, size_t length) {
    size_t blanks = 0;
    while (blanks < length && line[blanks] == ' ') blanks++;
    size_t at = digits_at(line, length, blanks);
    if (at > blanks) return at < length && line[at] == ':' ? at + 1 : 0;
    if (!length || *line != '[') return 0;
    const char *close = memchr(line, ']', length);
    if (!close) return 0;
    at = (size_t)(close - line) + 1;
    if (at < length && line[at] == '<') {
        close = memchr(line + at, '>', length - at);
        if (!close) return 0;
        at = (size_t)(close - line) + 1;
    }
    return at + (at < length && line[at] == ':');
}

/* Length of "worker-0: ", the label of a host or a pod before a comment, or before another line if `host`,
 * the label of the last header of a table, is the same; 0: none. A line of a log may begin with a word and a
 * colon for any reason. */
static size_t host_label(const scanner *line, bough_slice *host) {
    scanner s = *line;
    bough_slice word;
    if (!scan_word(&s, &word) || word.length < 2 || word.text[word.length - 1] != ':') return 0;
    scan_blanks(&s);
    const size_t length = (size_t)(s.at - line->at);
    if (!scan_starts(&s, "#"))
        return host->length == word.length && memcmp(host->text, word.text, word.length) == 0 ? length : 0;
    if (line_has(s.at, (size_t)(s.stop - s.at), "algbw")) *host = word;
    return length;
}

static size_t label_of(const scanner *line, bough_slice *host) {
    const size_t label = rank_label(line->at, (size_t)(line->stop - line->at));
    return label ? label : host_label(line, host);
}

/* The next line without its labels: that of a rank may stand behind that of a pod. */
static bool next_line(scanner *s, bough_slice *host) {
    size_t label;
    if (!scan_line(s)) return false;
    while ((label = label_of(s, host))) {
        s->at += label;
        scan_blanks(s);
    }
    return true;
}

/* ---- comments ---- */

static const struct {
    const char *program, *traffic;
} programs[] = {
    {"all_reduce_perf", "allreduce"},
    {"all_gather_perf", "allgather"},
    {"reduce_scatter_perf", "reducescatter"},
    {"broadcast_perf", "broadcast"},
    {"alltoall_perf", "alltoall"},
    {"all_to_all_perf", "alltoall"},
    {"reduce_perf", "reduce"},
    {"scatter_perf", "scatter"},
    {"gather_perf", "gather"},
    {"alltoallv_perf", "alltoallv"}, /* no traffic has these names: their runs fit none */
    {"sendrecv_perf", "sendrecv"},
    {"hypercube_perf", "hypercube"},
};

/* The traffic that a program measures which a text names, and the program; NULL: none is named. */
static const char *nccl_tests_traffic(const char *text, size_t length, const char **program) {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) { /* names that end others come later */
        if (!line_has(text, length, programs[i].program)) continue;
        *program = programs[i].program;
        return programs[i].traffic;
    }
    return NULL;
}

static uint32_t point_ranks(const bough_point *point) {
    return bough_schedule_hosts(point->traffic->workload->schedule);
}

static bool run_fits(const reader *r, const measured_run *run) {
    return (!run->traffic || strcmp(run->traffic, r->point->traffic->kind->name) == 0) &&
           (!run->ranks || run->ranks == point_ranks(r->point));
}

/* Ends the run that is read, unless nothing of it was. */
static void finish_run(reader *r) {
    const measured_run *run = &r->run;
    if (!run->traffic && !run->ranks && !run->began && !run->found) return;
    if (run_fits(r, run)) {
        r->fits = true;
        r->count += run->found > 0;
        r->sum.time_us += run->row.time_us;
        r->sum.algorithm += run->row.algorithm * run->row.time_us;
        r->sum.bus += run->row.bus * run->row.time_us;
    } else if (!r->differs) {
        r->differs = true;
        r->other = *run;
    }
    r->run = (measured_run){0};
}

static void read_comment(reader *r) {
    const char *line = r->in.at;
    const size_t length = (size_t)(r->in.stop - line);
    if (line_has(line, length, "Collective test starting")) {
        finish_run(r);
        r->run.traffic = nccl_tests_traffic(line, length, &r->run.program);
        r->run.line = r->in.line;
    } else if (line_has(line, length, " nThread ")) {
        if (r->run.began || r->run.ranks || r->run.found) finish_run(r);
        r->run.began = true;
    } else if (line_has(line, length, " Rank ") && line_has(line, length, " device ")) {
        r->run.ranks++;
    }
}

/* ---- lines of the table ---- */

static bough_status read_positive(reader *r, const char *text, const char *what, double *value) {
    bough_status status = bough_parse_real(text, what, value, r->in.error);
    if (!status && !(*value >= 0 && *value < 1e15))
        status = bough_fail(r->in.error, BOUGH_INVALID, NULL, "%s: %s is out of range", what, text);
    return status ? AT_LINE(status) : BOUGH_OK;
}

/* Appends the rows of a line. */
static bough_status nccl_tests_add(bough_rows *rows, const nccl_tests_line *line, bough_error *error) {
    bough_status status =
        bough_rows_add(rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX, line->time_us / 1e6, error);
    TRY(bough_rows_add(rows, BOUGH_METRIC_ALGO_BANDWIDTH, BOUGH_NO_ROW_INDEX, line->algorithm, error));
    TRY(bough_rows_add(rows, BOUGH_METRIC_BUS_BANDWIDTH, BOUGH_NO_ROW_INDEX, line->bus, error));
    return status;
}

/* Size, then whatever names the type, then time, algbw, busbw, wrong, once or twice. */
static bough_status read_row(reader *r, char word[WORDS][WORD], unsigned words) {
    const bough_workload *w = r->point->traffic->workload;
    uint64_t size;
    double time, algorithm, bus;
    bough_status status =
        bough_parse_between(word[0], "size", (bough_bounds){0, INT64_MAX}, &size, r->in.error);
    if (status) return AT_LINE(status);
    if (words < 11 || words > 13)
        return FAIL_HERE(
            "%u column%s; expected size, count, type, redop, root, and twice time, algbw, busbw, "
            "#wrong",
            words, bough_s(words));
    status = read_positive(r, word[words - 8], "time", &time);
    TRY(read_positive(r, word[words - 7], "algbw", &algorithm));
    TRY(read_positive(r, word[words - 6], "busbw", &bus));
    if (status || size != w->payload) return status;
    if (r->run.found)
        return FAIL_HERE("a second line of %" PRIu64 " bytes; the first is line %" PRIu32, size,
                         r->run.found);
    r->run.found = r->in.line;
    r->run.row = (nccl_tests_line){time, algorithm, bus};
    return BOUGH_OK;
}

static bough_status read_line(reader *r) {
    char word[WORDS][WORD];
    unsigned words = 0;
    if (scan_starts(&r->in, "#")) return read_comment(r), BOUGH_OK;
    while (words < WORDS && scan_next(&r->in, " \t\r", word[words], WORD)) words++;
    bool number = words && word[0][strspn(word[0], "0123456789")] == 0;
    return number ? read_row(r, word, words) : BOUGH_OK;
}

/* Refuses another number of ranks than the point's. ranks: 0: not stated. */
static bough_status nccl_tests_check_ranks(const bough_input_piece *piece, const bough_point *point,
                                           uint64_t ranks, bough_error *error) {
    uint32_t wanted = point_ranks(point);
    if (!ranks || ranks == wanted) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, piece->name,
                      "measured with %" PRIu64 " rank%s, but the traffic has %" PRIu32, ranks, bough_s(ranks),
                      wanted);
}

/* Why no run fits. */
static bough_status refuse_runs(const reader *r) {
    const measured_run *run = &r->other;
    const char *kind = r->point->traffic->kind->name;
    if (run->traffic && strcmp(run->traffic, kind) != 0)
        return scan_fail_line(&r->in, run->line, "the test is %s, but the traffic %s", run->program, kind);
    return nccl_tests_check_ranks(r->piece, r->point, run->ranks, r->in.error);
}

/* Appends what the runs that fit have measured. */
static bough_status add_runs(const reader *r, bough_rows *rows) {
    if (r->differs && !r->fits) return refuse_runs(r);
    if (!r->count) return BOUGH_OK;
    const double time = r->sum.time_us > 0 ? r->sum.time_us : 1;
    const nccl_tests_line mean = {r->sum.time_us / (double)r->count, r->sum.algorithm / time,
                                  r->sum.bus / time};
    return nccl_tests_add(rows, &mean, r->in.error);
}

/* ---- JSON ---- */

/* What nccl-tests writes with -J FILE.json. */

/* "args" names the program, "config" the ranks: of every process one device is listed, which has "nthreads"
 * times "ngpus" ranks. "results" has a line of the table each; "out_of_place" is null where only in-place
 * runs were measured. */

typedef struct json_reader {
    const bough_input_piece *piece;
    const bough_point *point;
    bough_rows *rows;
    bool found;
    scanner in; /* the values of JSON have no lines */
} json_reader;

/* True if a text begins with an opening brace: no table does. */
static bool nccl_tests_is_json(const bough_input_piece *piece) {
    return piece->data[strspn(piece->data, " \t\r\n")] == '{';
}

static bough_status check_program(const json_reader *r, const json_t *root) {
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

static bough_status check_ranks(const json_reader *r, const json_t *root) {
    const json_t *config = json_object_get(root, "config");
    uint64_t each = bough_mul(count_of(config, "nthreads"), count_of(config, "ngpus"));
    uint64_t ranks = bough_mul(json_array_size(json_object_get(config, "devices")), each);
    return nccl_tests_check_ranks(r->piece, r->point, ranks, r->in.error);
}

static bough_status read_number(const json_reader *r, const json_t *run, const char *key, double *value) {
    const json_t *number = json_object_get(run, key);
    *value = json_number_value(number);
    if (json_is_number(number) && *value >= 0 && *value < 1e15) return BOUGH_OK;
    return FAIL_HERE("%s of a result is not a number from 0 to 1e15", key);
}

static bough_status read_result(json_reader *r, const json_t *result) {
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
    TRY(nccl_tests_add(r->rows, &line, r->in.error));
    return status;
}

static bough_status read_root(json_reader *r, const json_t *root) {
    const json_t *results = json_object_get(root, "results");
    if (!json_is_array(results))
        return FAIL_HERE("no array results; expected what nccl-tests writes with -J");
    bough_status status = check_program(r, root);
    TRY(check_ranks(r, root));
    for (size_t i = 0; i < json_array_size(results) && !status; i++)
        status = read_result(r, json_array_get(results, i));
    return status;
}

/* Appends the rows of the result whose size is that of the point's collective: of the out-of-place run.
 * Errors: INVALID with the file for a text that is not such JSON, for another collective or number of ranks
 * than the point's, and for two results of this size; TOO_LARGE, NO_MEMORY. */
/* Memory of values is some tens of bytes for a few bytes of text. */
static bough_status nccl_tests_read_json(const bough_input_piece *piece, const bough_point *point,
                                         bough_rows *rows, bough_error *error) {
    json_reader state = {.piece = piece, .point = point, .rows = rows, .in = scan_piece(piece, error)};
    json_reader *r = &state;
    json_t *root = NULL;
    if (memchr(piece->data, 0, piece->size)) return FAIL_HERE("contains a NUL byte; expected JSON");
    bough_status status =
        bough_memory_check(bough_mul(piece->size, 32), "the values of the JSON file", error);
    TRY(bough_json_read(piece->data, &root, error));
    TRY(read_root(r, root));
    json_decref(root);
    return AT_LINE(status);
}

/* ---- both ---- */

bool nccl_tests_recognise(const bough_input_piece *piece) {
    scanner s = scan_piece(piece, NULL);
    bough_slice host = {0};
    if (nccl_tests_is_json(piece)) return true;
    while (next_line(&s, &host))
        if (scan_starts(&s, "#") && line_has(s.at, (size_t)(s.stop - s.at), "algbw")) return true;
    return false;
}

bough_status nccl_tests_read(const bough_input_piece *piece, const bough_point *point, bough_rows *rows,
                             bough_error *error) {
    if (!point->traffic || !point->traffic->workload || !point->traffic->workload->payload)
        return bough_fail(error, BOUGH_INVALID, piece->name,
                          "the output of nccl-tests answers collectives (allreduce:size=..., ...)");
    reader r = {.point = point, .piece = piece, .in = scan_piece(piece, error)};
    bough_status status = BOUGH_OK;
    if (nccl_tests_is_json(piece)) return nccl_tests_read_json(piece, point, rows, error);
    while (!status && next_line(&r.in, &r.host)) status = read_line(&r);
    finish_run(&r);
    return status ? status : add_runs(&r, rows);
}
