/* Columns of rows: what each kind is in text, JSON and CSV, and which columns are where. */
#include "document/columns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct row {
    char name[16];
    uint64_t whole;
    unsigned small;
    double real, other;
    bool flag;
} row;

static const row_column columns[] = {
    {"name", "the name", COLUMN_TEXT, offsetof(row, name), .in = IN_ALL},
    {"whole", "whole", COLUMN_WHOLE, offsetof(row, whole), .in = IN_ALL},
    {"small", "small", COLUMN_SMALL, offsetof(row, small), .in = IN_ALL},
    {"real", "real", COLUMN_REAL, offsetof(row, real), 3, IN_ALL},
    {"other", "other", COLUMN_REAL, offsetof(row, other), 0, IN_JSON},
    {"flag", "flag", COLUMN_FLAG, offsetof(row, flag), .in = IN_ALL | IN_REQUEST},
};

static const row rows[] = {
    {"a,b", UINT64_C(1) << 40, 7, 1.23456, 0.1, true},
    {"", 0, 0, NAN, INFINITY, false},
};

static row_columns list(bool requested) {
    return (row_columns){columns, sizeof columns / sizeof *columns, sizeof *rows, requested};
}

static void is(bough_text *out, const char *expected) {
    assert_false(out->failed);
    assert_string_equal(out->data, expected);
    bough_text_fini(out);
}

static void csv_has_every_row(void **state) {
    (void)state;
    bough_text out = {0};
    const row_columns all = list(true), some = list(false);
    columns_csv(&all, rows, 2, &out);
    is(&out, "name,whole,small,real,flag\n\"a,b\",1099511627776,7,1.23456,1\n,0,0,,0\n");
    columns_csv(&some, rows, 1, &out);
    is(&out, "name,whole,small,real\n\"a,b\",1099511627776,7,1.23456\n");
    columns_csv(&some, rows, 0, &out);
    is(&out, "name,whole,small,real\n");
}

static void json_has_null_for_none(void **state) {
    (void)state;
    bough_text out = {0};
    const row_columns all = list(true);
    for (size_t i = 0; i < 2; i++) {
        json_writer w = {.out = &out, .compact = true};
        json_begin_object(&w, NULL, true);
        columns_json(&all, &rows[i], &w);
        json_end_object(&w);
        bough_text_put(&out, ";");
    }
    is(&out,
       "{\"name\":\"a,b\",\"whole\":1099511627776,\"small\":7,\"real\":1.23456,\"other\":0.1,\"flag\":true};"
       "{\"name\":null,\"whole\":0,\"small\":0,\"real\":null,\"other\":null,\"flag\":false};");
}

static void text_has_headings_and_cells(void **state) {
    (void)state;
    bough_text out = {0};
    text_table table = {0};
    const row_columns all = list(true);
    columns_head(&all, &table);
    text_table_end_row(&table);
    for (size_t i = 0; i < 2; i++) {
        columns_row(&all, &rows[i], &table);
        text_table_end_row(&table);
    }
    assert_int_equal(table.width, 5);
    assert_int_equal(text_table_rows(&table), 3);
    text_table_write(&table, &out);
    is(&out, "the name          whole  small  real  flag\n"
             "a,b       1099511627776      7  1.23  *\n"
             "                      0      0     -\n");
    text_table_fini(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_has_every_row),
        cmocka_unit_test(json_has_null_for_none),
        cmocka_unit_test(text_has_headings_and_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
