/* CSV row by row: what is refused and where, then every kind of cell and of line end. */
#include "base/text/csv_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void an_invalid_cell_is_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *place, *reason;
        size_t size; /* 0: of the text */
    } bad[] = {
        {"a,\"b", "f.csv:1", "column 2: missing closing quote", 0},
        {"a,b\n1,2\n\"x,y", "f.csv:3", "column 1: missing closing quote", 0},
        {"a,b\n\"1,2\n3,\"4\",5\n", "f.csv:2", "column 1: missing closing quote", 0}, /* ends before 4 */
        {"a,\"b\"c", "f.csv:1", "column 2: expected a comma after the quoted cell", 0},
        {"# c\n\n\"a\" b", "f.csv:3", "column 1: expected a comma after the quoted cell", 0},
        {"\"1\n2\"\n\"a\"b", "f.csv:3", "column 1: expected a comma after the quoted cell", 0},
        {"a\nb\0c\n", "f.csv:2", "contains a NUL byte; expected a text file", 6},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bough_error error = {0};
        csv_reader csv = {.in.error = &error};
        bough_status status;
        csv_open(&csv, "f.csv", bad[i].text, bad[i].size ? bad[i].size : strlen(bad[i].text));
        while (!(status = csv_row(&csv)) && csv.cells) {
        }
        assert_int_equal(status, BOUGH_INVALID);
        assert_string_equal(error.place, bad[i].place);
        assert_string_equal(error.reason, bad[i].reason);
        csv_close(&csv);
        csv_close(&csv); /* twice is fine */
    }
}

/* Rows as "line:cell|cell;line:cell;" */
static void reads(const char *text, const char *want) {
    char got[400] = "";
    size_t at = 0;
    bough_error error;
    csv_reader csv = {.in.error = &error};
    csv_open(&csv, "f.csv", text, strlen(text));
    for (;;) {
        if (csv_row(&csv)) fail_msg("%s: %s", error.place, error.reason);
        if (!csv.cells) break;
        at += (size_t)snprintf(got + at, sizeof got - at, "%d:", (int)csv.in.line);
        for (size_t i = 0; i < csv.cells; i++)
            at += (size_t)snprintf(got + at, sizeof got - at, "%s%s", i ? "|" : "", csv.cell[i]);
        at += (size_t)snprintf(got + at, sizeof got - at, ";");
    }
    assert_string_equal(got, want);
    assert_int_equal(csv_row(&csv), BOUGH_OK); /* the end stays the end */
    assert_int_equal(csv.cells, 0);
    csv_close(&csv);
}

static void nothing_has_no_rows(void **state) {
    (void)state;
    reads("", "");
    reads("\xef\xbb\xbf", "");
    reads("\n\r\n  \n# only a comment", "");
}

static void cells_are_cut_at_commas(void **state) {
    (void)state;
    reads("a,b\n1,2\n", "1:a|b;2:1|2;");
    reads("a", "1:a;");
    reads(",\n", "1:|;");
    reads("a,", "1:a|;");
    reads(" a b ,\tc\t", "1:a b|c;");
    reads("\xef\xbb\xbf"
          "a,b",
          "1:a|b;"); /* a byte order mark */
    reads("a\r\nb\r\n", "1:a;2:b;");
    reads("a\n\n# c,\"\n \r\nb", "1:a;5:b;");
    reads("a,#b\n #c", "1:a|#b;");
}

static void quotes_keep_what_they_hold(void **state) {
    (void)state;
    reads("\"a,b\",\"\",\"\"\"\"", "1:a,b||\";");
    reads(" \"a\" , \" b \"", "1:a| b ;");
    reads("a\"b,\"c\"", "1:a\"b|c;"); /* a quote within a cell is one */
    reads("\"a\nb\",\"c\r\nd\"\r\ne", "1:a\nb|c\r\nd;4:e;");
    reads("\"# no comment\"\n", "1:# no comment;");
}

/* The row and its cells as they stand in the file, for readers of their own syntax. */
static void the_source_is_kept(void **state) {
    (void)state;
    static const char text[] = "\"a\"\"b\", c\r\nd\r\n";
    csv_reader csv = {0};
    csv_open(&csv, "f", text, strlen(text));
    assert_int_equal(csv_row(&csv), BOUGH_OK);
    assert_ptr_equal(csv.in.at, text);
    assert_int_equal(csv.in.stop - csv.in.at, (ptrdiff_t)strlen("\"a\"\"b\", c"));
    assert_int_equal(csv.found[0].length, strlen("a\"\"b"));
    assert_true(csv.found[0].quoted);
    assert_ptr_equal(csv.found[1].text, strchr(text, 'c'));
    csv_open(&csv, "g", "x", 1); /* the buffers are used again */
    assert_int_equal(csv_row(&csv), BOUGH_OK);
    assert_string_equal(csv.cell[0], "x");
    csv_close(&csv);
}

static void a_line_alone_needs_no_memory(void **state) {
    (void)state;
    static const char text[] = "a, \"b,c\" ,d";
    const char *at = text, *end = text + strlen(text);
    csv_cell cell;
    assert_null(csv_next(&at, end, &cell));
    assert_memory_equal(cell.text, "a", cell.length);
    assert_null(csv_next(&at, end, &cell));
    assert_int_equal(cell.length, 3);
    assert_null(csv_next(&at, end, &cell));
    assert_null(at);
    at = "\"a";
    assert_string_equal(csv_next(&at, at + 2, &cell), "missing closing quote");
}

static void cells_by_the_names_of_columns(void **state) {
    (void)state;
    enum { NAME, SIZE, TIME };
    static const char *const names[] = {"name", "size", "time"};
    static const char text[] = "size,name\n5,x\n";
    bool again;
    csv_reader csv = {0};
    csv_open(&csv, "f.csv", text, sizeof text - 1);
    assert_int_equal(csv_row(&csv), BOUGH_OK);
    assert_int_equal(csv_header(&csv, names + SIZE, 2, &again), 1); /* `name` is none of them */
    assert_false(again);
    assert_int_equal(csv.columns, 0);
    assert_int_equal(csv_header(&csv, names, 3, &again), 2);
    assert_true(csv_has(&csv, NAME) && csv_has(&csv, SIZE) && !csv_has(&csv, TIME));
    assert_int_equal(csv_row(&csv), BOUGH_OK);
    assert_string_equal(csv.named[NAME], "x");
    assert_string_equal(csv.named[SIZE], "5");
    assert_string_equal(csv.named[TIME], "");
    assert_int_equal(csv.name[0], SIZE);
    csv_open(&csv, "f.csv", "time,time\n", 10);
    assert_int_equal(csv.columns, 0);
    assert_int_equal(csv_row(&csv), BOUGH_OK);
    assert_int_equal(csv_header(&csv, names, 3, &again), 1);
    assert_true(again);
    csv_close(&csv);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_invalid_cell_is_named),
        cmocka_unit_test(nothing_has_no_rows),
        cmocka_unit_test(cells_are_cut_at_commas),
        cmocka_unit_test(quotes_keep_what_they_hold),
        cmocka_unit_test(the_source_is_kept),
        cmocka_unit_test(a_line_alone_needs_no_memory),
        cmocka_unit_test(cells_by_the_names_of_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
