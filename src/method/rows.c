#include "method/rows.h"

#include "base/memory/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *bough_outcome_name(bough_outcome outcome) {
    static const char *const name[] = {"ok", "saturated", "deadlock", "partial", "hangs"};
    return name[outcome];
}

bough_status bough_rows_add(bough_rows *rows, bough_metric_id metric, int64_t index, double value,
                            bough_error *error) {
    return bough_rows_add_row(rows, &(bough_row){metric, index, value, 0}, error);
}

bough_status bough_rows_add_row(bough_rows *rows, const bough_row *row, bough_error *error) {
    bough_status status = bough_grow(&rows->row, &rows->capacity, rows->count + 1, sizeof *rows->row, error);
    if (!status) rows->row[rows->count++] = *row;
    return status;
}

bough_status rows_add_present(bough_rows *rows, const optional_row *row, size_t count, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < count && !status; i++)
        if (row[i].present)
            status = bough_rows_add_row(
                rows, &(bough_row){row[i].metric, BOUGH_NO_ROW_INDEX, row[i].value, row[i].ci95}, error);
    return status;
}

void rows_note_append(bough_rows *rows, const char *format, ...) {
    size_t length = strlen(rows->note);
    va_list args;
    va_start(args, format);
    vsnprintf(rows->note + length, sizeof rows->note - length, format, args);
    va_end(args);
}

void rows_note_unrouted(bough_rows *rows, const bough_net *net, uint64_t count,
                        const unrouted_message *first) {
    char from[64], to[64];
    snprintf(rows->note, sizeof rows->note, "%" PRIu64 " message%s no route; the first: %s to %s", count,
             count == 1 ? " has" : "s have", bough_node_name(net, first->source, from, sizeof from),
             bough_node_name(net, bough_address_node(net, first->address), to, sizeof to));
}

void bough_rows_fini(bough_rows *rows) {
    free(rows->row);
    *rows = (bough_rows){0};
}
