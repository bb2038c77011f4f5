#include "formats/counters/port_readings.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/terminal_text.h"
#include "formats/fabrics/infiniband/db_sections.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#define EXPECTED                                                                                             \
    "expected output of perfquery or ibqueryerrors, ibdiagnet2.db_csv with a section PM_INFO, or the text "  \
    "of an exporter for Prometheus"

static const char *const counter_name[] = {
#define X(id, name, bits) name,
    BOUGH_COUNTER_MAP(X)
#undef X
};

const char *bough_counter_name(bough_counter counter) {
    return counter_name[counter];
}

bough_counter port_counter_of(bough_slice name) {
    int c = 0;
    while (c < BOUGH_COUNTERS && !bough_slice_is(name, counter_name[c])) c++;
    return (bough_counter)c;
}

bough_status port_readings_add(port_readings *r, const scanner *s, port_reading reading) {
    bough_status status = bough_grow(&r->item, &r->capacity, r->count + 1, sizeof *r->item, s->error);
    reading.piece = r->piece;
    reading.line = s->line;
    if (!status) r->item[r->count++] = reading;
    return status;
}

/* ---- the format ---- */

/* NAME{, as in the text format of Prometheus. */
static bool is_sample(const scanner *scan) {
    const char *at = scan->at;
    while (at < scan->stop && (isalnum((unsigned char)*at) || *at == '_' || *at == ':')) at++;
    return at > scan->at && at < scan->stop && *at == '{';
}

static port_reader *reader_of_line(const scanner *scan) {
    static const char *const query_errors[] = {"Errors for ", "Data Counters for ", "## Summary:"};
    if (scan_starts(scan, "# Port")) return perfquery_read;
    for (size_t i = 0; i < sizeof query_errors / sizeof *query_errors; i++)
        if (scan_starts(scan, query_errors[i])) return query_errors_read;
    if (db_sections_start(scan)) return pm_info_read;
    if (scan_starts(scan, "# HELP ") || scan_starts(scan, "# TYPE ") || is_sample(scan))
        return prometheus_read;
    return NULL;
}

/* The reader of the first line that says what the file is; NULL: it is no file of counters. */
static port_reader *find_reader(scanner *scan) {
    while (terminal_next_line(scan)) {
        port_reader *reader = reader_of_line(scan);
        if (reader) return reader;
        scanner s = *scan;
        if (!scan_done(&s) && *scan->at != '#') return NULL;
    }
    return NULL;
}

static bool is_wanted(const char *data, size_t size) {
    scanner scan;
    return !scan_start(&scan, "", data, size, NULL) && find_reader(&scan);
}

/* ---- files ---- */

static bough_status read_piece(port_readings *r, bough_error *error) {
    bough_input_piece *p = &r->input.piece[r->piece];
    scanner scan;
    r->skipped += terminal_clean(p);
    bough_status status = scan_start(&scan, p->name, p->data, p->size, error);
    if (status) return status;
    port_reader *reader = find_reader(&scan);
    if (!reader && scan.line == 0) return bough_fail(error, BOUGH_INVALID, p->name, "is empty; " EXPECTED);
    scan.open = false; /* the message is about the whole file */
    if (!reader) return scan_fail(&scan, "is not a file of port counters; " EXPECTED);
    TRY(scan_start(&scan, p->name, p->data, p->size, error));
    TRY(reader(&scan, r));
    return status;
}

static bough_status read_pieces(port_readings *r, bough_error *error) {
    bough_status status = BOUGH_OK;
    r->time = NAN;
    for (r->piece = 0; r->piece < r->input.count && !status; r->piece++) status = read_piece(r, error);
    if (!status && !r->any)
        status = bough_fail(error, BOUGH_INVALID, r->input.name, "has no port counters; " EXPECTED);
    return status;
}

bough_status port_readings_read(const char *path, port_readings *r, bough_error *error) {
    const bough_input_choice choice = {.wanted = is_wanted};
    bough_status status = bough_input_read_some(path, &choice, &r->input, error);
    TRY(read_pieces(r, error));
    return status;
}

void port_readings_fini(port_readings *r) {
    bough_input_fini(&r->input);
    free(r->item);
    *r = (port_readings){.count = 0};
}
