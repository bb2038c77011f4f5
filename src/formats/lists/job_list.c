#include "formats/lists/job_list.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/csv_reader.h"
#include "base/text/spec.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME, TRAFFIC, HOSTS, PLACE, START, SIZE, COLUMNS };
static const char *const column_name[COLUMNS] = {"name", "traffic", "hosts", "place", "start", "size"};
enum { JOBS_MAX = 255 /* limited by the labels of a schedule */ };

bough_status job_list_at(const job_list *l, const job *j, bough_status status, bough_error *error) {
    return bough_at_line(status, l->file, j->line, error);
}

static bough_status read_columns(csv_reader *r) {
    bool again;
    const size_t odd = csv_header(r, column_name, COLUMNS, &again);
    if (odd < r->cells)
        return again ? FAIL_HERE("column %s is given twice", r->cell[odd])
                     : FAIL_HERE("unknown column '%.40s'; expected name, traffic, hosts, place, start, size",
                                 r->cell[odd]);
    return csv_has(r, TRAFFIC) && csv_has(r, HOSTS) ? BOUGH_OK
                                                    : FAIL_HERE("the columns traffic and hosts are required");
}

/* Parses times and bytes as in specs, through a parameter of that type. */
static bough_status read_measure(const csv_reader *r, const char *text, const char *what, bough_type type,
                                 uint64_t *value) {
    const bough_param params[] = {{what, "", type, NULL, 0, 1e15}, BOUGH_PARAMS_END};
    bough_spec spec = {.count = 1};
    bough_args args;
    if (!*text) return BOUGH_OK;
    spec.arg[0].value = bough_strdup(text);
    if (!spec.arg[0].value) return bough_fail_memory(r->in.error, strlen(text));
    bough_status status = bough_args_bind(&spec, params, "job", &args, r->in.error);
    if (!status) {
        *value = (uint64_t)args.value[0].integer;
        bough_args_fini(&args);
    }
    bough_spec_fini(&spec);
    return AT_LINE(status);
}

static bough_status read_job(const csv_reader *r, job_list *l) {
    const char *const *cell = r->named;
    char usual[24];
    int64_t hosts = 0;
    job j = {.line = r->in.line, .size = 1000000};
    if (r->cells != r->columns)
        return FAIL_HERE(
            "%zu cell%s, but the first line has %zu columns%s", r->cells, bough_s(r->cells), r->columns,
            r->cells > r->columns ? "; quote a traffic with commas: \"allreduce:ring,size=1KiB\"" : "");
    if (l->jobs == JOBS_MAX) return FAIL_HERE("more than %d jobs", JOBS_MAX);
    const char *name = cell[NAME], *place = cell[PLACE];
    if (!*cell[TRAFFIC]) return FAIL_HERE("the job has no traffic");
    bough_status status = bough_parse_int(cell[HOSTS], "hosts", &hosts, r->in.error);
    if (status) return AT_LINE(status);
    if (hosts < 2 || hosts > UINT32_MAX / 2)
        return FAIL_HERE("hosts %s is out of range; a job has 2 to %" PRIu32, cell[HOSTS], UINT32_MAX / 2);
    j.hosts = (uint32_t)hosts;
    status = read_measure(r, cell[START], "start", BOUGH_TIME, &j.start_ps);
    TRY(read_measure(r, cell[SIZE], "size", BOUGH_BYTES, &j.size));
    if (status) return status;
    snprintf(usual, sizeof usual, "job%zu", l->jobs);
    for (size_t i = 0; i < l->jobs; i++)
        if (strcmp(l->job[i].name, *name ? name : usual) == 0)
            return FAIL_HERE("duplicate job '%.60s'; the first is in line %" PRIu64, name, l->job[i].line);
    status = arena_grow(&l->memory, &l->job, l->jobs + 1, sizeof *l->job, r->in.error);
    TRY(arena_copy(&l->memory, &j.name, *name ? name : usual, r->in.error));
    TRY(arena_copy(&l->memory, &j.traffic, cell[TRAFFIC], r->in.error));
    TRY(arena_copy(&l->memory, &j.place, *place ? place : "linear", r->in.error));
    if (!status) l->job[l->jobs++] = j;
    return status;
}

bough_status job_list_read(const bough_input *input, job_list *l, bough_error *error) {
    csv_reader csv = {.in.error = error}, *r = &csv;
    const bough_input_piece *piece = input->piece;
    bough_status status = bough_input_single(input, "list of jobs", error);
    if (status) return status;
    status = arena_copy(&l->memory, &l->file, piece->name, error);
    csv_open(r, piece->name, piece->data, piece->size);
    while (!status && !(status = csv_row(r)) && r->cells)
        status = r->columns ? read_job(r, l) : read_columns(r);
    if (!status && l->jobs == 0)
        status = FAIL_HERE("no jobs; the first line should be name,traffic,hosts,place");
    csv_close(r);
    return status;
}
