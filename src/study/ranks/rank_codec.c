#include "study/ranks/rank_codec.h"

#include <string.h>

enum { ROW = 28 }; /* bytes of a row, without the padding of the structure */

void rank_read(rank_reader *r, void *value, size_t size) {
    if ((size_t)(r->end - r->at) < size) {
        r->failed = true;
        memset(value, 0, size);
        return;
    }
    if (size) memcpy(value, r->at, size);
    r->at += size;
}

void rank_put_kind(bough_text *text, rank_kind kind) {
    const char byte = (char)kind;
    bough_text_add(text, &byte, 1);
}

static void put_string(bough_text *text, const char *string) {
    uint32_t length = (uint32_t)strlen(string);
    RANK_PUT(text, length);
    bough_text_add(text, string, length);
}

static void get_string(rank_reader *r, char *buffer, size_t size) {
    uint32_t length;
    RANK_GET(r, length);
    if (length >= size || (size_t)(r->end - r->at) < length) {
        r->failed = true;
        length = 0;
    }
    rank_read(r, buffer, length);
    buffer[length] = 0;
}

void rank_put_error(bough_text *text, const bough_error *error) {
    int32_t status = (int32_t)error->status;
    RANK_PUT(text, status);
    put_string(text, error->place);
    put_string(text, error->reason);
}

void rank_get_error(rank_reader *r, bough_error *error) {
    int32_t status;
    RANK_GET(r, status);
    error->status = (bough_status)status;
    get_string(r, error->place, sizeof error->place);
    get_string(r, error->reason, sizeof error->reason);
}

void rank_put_piece(bough_text *text, const rank_piece *piece) {
    RANK_PUT(text, *piece); /* has no padding */
}

void rank_get_piece(rank_reader *r, rank_piece *piece) {
    RANK_GET(r, *piece);
}

void rank_put_result(bough_text *text, const piece_result *result) {
    int32_t status = (int32_t)result->status;
    rank_put_piece(text, &result->piece);
    RANK_PUT(text, result->done);
    RANK_PUT(text, result->seconds);
    RANK_PUT(text, result->bind);
    RANK_PUT(text, status);
    if (status) rank_put_error(text, &result->error);
}

void rank_get_result(rank_reader *r, piece_result *result) {
    int32_t status;
    rank_get_piece(r, &result->piece);
    RANK_GET(r, result->done);
    RANK_GET(r, result->seconds);
    RANK_GET(r, result->bind);
    RANK_GET(r, status);
    result->status = (bough_status)status;
    if (status) rank_get_error(r, &result->error);
    if (result->done > result->piece.count) r->failed = true;
}

void rank_put_rows(bough_text *text, const bough_rows *rows) {
    int32_t outcome = (int32_t)rows->outcome;
    uint64_t count = rows->count;
    RANK_PUT(text, outcome);
    put_string(text, rows->note);
    RANK_PUT(text, count);
    for (size_t i = 0; i < rows->count; i++) {
        const bough_row *row = &rows->row[i];
        char bytes[ROW];
        int32_t metric = (int32_t)row->metric;
        memcpy(bytes, &metric, 4);
        memcpy(bytes + 4, &row->index, 8);
        memcpy(bytes + 12, &row->value, 8);
        memcpy(bytes + 20, &row->ci95, 8);
        bough_text_add(text, bytes, ROW);
    }
}

static bough_status broken(bough_error *error) {
    return bough_fail(error, BOUGH_FAILED, NULL, "a message between two ranks is damaged");
}

bough_status rank_get_rows(rank_reader *r, bough_rows *rows, bough_error *error) {
    int32_t outcome;
    uint64_t count;
    rows->count = 0;
    RANK_GET(r, outcome);
    get_string(r, rows->note, sizeof rows->note);
    RANK_GET(r, count);
    if (r->failed || outcome < 0 || outcome > BOUGH_RUN_HANGS || count > (uint64_t)(r->end - r->at) / ROW)
        return broken(error);
    rows->outcome = (bough_outcome)outcome;
    for (uint64_t i = 0; i < count; i++) {
        int32_t metric;
        bough_row row;
        RANK_GET(r, metric);
        RANK_GET(r, row.index);
        RANK_GET(r, row.value);
        RANK_GET(r, row.ci95);
        if (metric < 0 || metric >= BOUGH_METRIC_COUNT) return broken(error);
        row.metric = (bough_metric_id)metric;
        bough_status status = bough_rows_add_row(rows, &row, error);
        if (status) return status;
    }
    return BOUGH_OK;
}
