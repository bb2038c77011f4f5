#include "document/columns.h"

#include "base/text/escape.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_in(const row_columns *list, const row_column *c, unsigned medium) {
    return c->in & medium && (list->requested || !(c->in & IN_REQUEST));
}

static double real_at(const void *at) {
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t whole_at(const row_column *c, const void *at) {
    uint64_t whole;
    unsigned small;
    bool flag;
    switch (c->kind) {
    case COLUMN_WHOLE:
        memcpy(&whole, at, sizeof whole);
        return whole;
    case COLUMN_SMALL:
        memcpy(&small, at, sizeof small);
        return small;
    default:
        memcpy(&flag, at, sizeof flag);
        return flag;
    }
}

void columns_head(const row_columns *list, text_table *table) {
    for (size_t i = 0; i < list->count; i++) {
        const row_column *c = &list->column[i];
        const bool right = c->kind != COLUMN_TEXT && c->kind != COLUMN_FLAG;
        if (is_in(list, c, IN_TEXT)) text_table_head(table, c->heading, right);
    }
}

static void put_cell(const row_column *c, const void *at, text_table *table) {
    switch (c->kind) {
    case COLUMN_TEXT:
        text_table_add(table, at);
        break;
    case COLUMN_REAL:
        text_table_add_number(table, c->digits, real_at(at));
        break;
    case COLUMN_FLAG:
        text_table_add(table, whole_at(c, at) ? "*" : "");
        break;
    default:
        text_table_add_number(table, 0, (double)whole_at(c, at));
    }
}

void columns_row(const row_columns *list, const void *row, text_table *table) {
    for (size_t i = 0; i < list->count; i++)
        if (is_in(list, &list->column[i], IN_TEXT))
            put_cell(&list->column[i], (const char *)row + list->column[i].offset, table);
}

static void put_member(const row_column *c, const void *at, json_writer *w) {
    switch (c->kind) {
    case COLUMN_TEXT:
        json_put_text(w, c->key, *(const char *)at ? at : NULL);
        break;
    case COLUMN_REAL:
        json_put_real(w, c->key, real_at(at));
        break;
    case COLUMN_FLAG:
        json_put_flag(w, c->key, whole_at(c, at));
        break;
    default:
        json_put_whole(w, c->key, (int64_t)whole_at(c, at));
    }
}

void columns_json(const row_columns *list, const void *row, json_writer *w) {
    for (size_t i = 0; i < list->count; i++)
        if (is_in(list, &list->column[i], IN_JSON))
            put_member(&list->column[i], (const char *)row + list->column[i].offset, w);
}

static void put_field(const row_column *c, const void *at, bough_text *out) {
    if (c->kind == COLUMN_TEXT)
        bough_text_put_csv(out, at);
    else if (c->kind != COLUMN_REAL)
        bough_text_printf(out, "%" PRIu64, whole_at(c, at));
    else if (isfinite(real_at(at)))
        bough_text_printf(out, "%.10g", real_at(at));
}

/* A line of the headings, or of a row. */
static void put_csv_line(const row_columns *list, const char *row, bough_text *out) {
    const char *comma = "";
    for (size_t i = 0; i < list->count; i++) {
        const row_column *c = &list->column[i];
        if (!is_in(list, c, IN_CSV)) continue;
        bough_text_put(out, comma);
        if (row)
            put_field(c, row + c->offset, out);
        else
            bough_text_put(out, c->key);
        comma = ",";
    }
    bough_text_put(out, "\n");
}

void columns_csv(const row_columns *list, const void *rows, size_t count, bough_text *out) {
    put_csv_line(list, NULL, out);
    for (size_t i = 0; i < count; i++) put_csv_line(list, (const char *)rows + i * list->size, out);
}
