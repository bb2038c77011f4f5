#include "models/external_table.h"

#include "support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define NONE BOUGH_NO_ROW_INDEX

static bough_status read_text(const bough_point *point, const char *text, bough_rows *rows,
                              bough_error *error) {
    bough_input input;
    *rows = (bough_rows){0};
    assert_int_equal(bough_input_from("t.csv", text, strlen(text), &input, NULL), BOUGH_OK);
    bough_status status = external_table_read(&input, point, rows, error);
    bough_input_fini(&input);
    return status;
}

static void broken_tables_are_refused_with_the_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *place, *reason;
    } cases[] = {
        {"", "t.csv", "must name the columns"},
        {"# nothing\n\n", "t.csv", "must name the columns"},
        {"metric\nrounds\n", "t.csv:1", "metric and value"},
        {"value,n\n5,8\n", "t.csv:1", "metric and value"},
        {"rounds,5\n", "t.csv:1", "unknown column 'rounds'"},
        {"metric,valeu\n", "t.csv:1", "did you mean 'value'"},
        {"metric,value,metric\n", "t.csv:1", "duplicate column metric"},
        {"metric,value,n,m,index,ci95,network,traffic,routing,n\n", "t.csv:1", "duplicate column n"},
        {"metric,value\nrounds\n", "t.csv:2", "1 cell, but the first line names 2 columns"},
        {"metric,value\n\n#\nrounds,5,6\n", "t.csv:4", "3 cells"},
        {"metric,value\nround,5\n", "t.csv:2", "did you mean 'rounds'"},
        {"metric,value\n,5\n", "t.csv:2", "no metric ''"},
        {"metric,value\nrounds,\n", "t.csv:2", "value: ''"},
        {"metric,value\nrounds,many\n", "t.csv:2", "value: 'many'"},
        {"metric,value\nrounds,nan\n", "t.csv:2", "value: 'nan'"},
        {"metric,value\nrounds,1e999\n", "t.csv:2", "value: '1e999'"},
        {"metric,value,index\nrounds,5,a\n", "t.csv:2", "index: 'a'"},
        {"metric,value,ci95\nrounds,5,x\n", "t.csv:2", "ci95: 'x'"},
        {"metric,value,ci95\nrounds,5,-1\n", "t.csv:2", "-1 is negative"},
        {"metric,value,n\nrounds,5,eight\n", "t.csv:2", "n: 'eight'"},
        {"metric,value,m\nrounds,5,1.5\n", "t.csv:2", "m: '1.5'"},
        {"metric,value,network\nrounds,5,fatree\n", "t.csv:2", "no family 'fatree' (did you mean 'fattree'"},
        {"metric,value,network\nrounds,5,fat tree\n", "t.csv:2", "is not a spec"},
        {"metric,value,network\nrounds,5,fattree:m=8\n", "t.csv:2", "no parameter 'm'"},
        {"metric,value,network\nrounds,5,fattree:n=x\n", "t.csv:2", "not a whole number"},
        {"metric,value,traffic\nrounds,5,unifrom\n", "t.csv:2", "did you mean 'uniform'"},
        {"metric,value,traffic\nrounds,5,uniform:k=1\n", "t.csv:2", "no parameter 'k'"},
        {"metric,value,routing\nrounds,5,randon\n", "t.csv:2", "did you mean 'random'"},
        {"metric,value,routing\nrounds,5,random:7\n", "t.csv:2", "has no parameters"},
        {"metric,value\n\"rounds,5\n", "t.csv:2", "missing closing quote"},
        {"metric,value\n\"rounds\"s,5\n", "t.csv:2", "comma after the quoted cell"},
        {"metric,value\nrounds,5\nrounds,6\n", "t.csv:3", "here and at t.csv:2"},
        {"metric,value,n\nrounds,5,\nattempts,1,\nrounds,6,8\n", "t.csv:4", "here and at t.csv:2"},
        {"metric,value,index\nrounds,5,1\nrounds,5,1\n", "t.csv:3", "here and at t.csv:2"},
        {"metric,value,n\nrounds,5,16\n", "t.csv", "no row matches n=8, m=5, network fattree:n=8"},
        {"metric,value\n", "t.csv", "traffic uniform:m=5, routing random"},
    };
    bough_point point = point_make("fattree:n=8", "random", "uniform:m=5");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_rows rows;
        bough_error error = {0};
        if (read_text(&point, cases[i].text, &rows, &error) != BOUGH_INVALID)
            fail_msg("'%s' is taken", cases[i].text);
        if (strcmp(error.place, cases[i].place) != 0 || !strstr(error.reason, cases[i].reason))
            fail_msg("'%s': %s: '%s' does not say %s: '%s'", cases[i].text, error.place, error.reason,
                     cases[i].place, cases[i].reason);
        bough_rows_fini(&rows);
        assert_int_equal(read_text(&point, cases[i].text, &rows, NULL), BOUGH_INVALID);
        bough_rows_fini(&rows);
    }
    point_free(&point);
}

static void bytes_that_are_no_text_are_refused(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=8", NULL, NULL);
    bough_input input;
    bough_rows rows = {0};
    bough_error error;
    assert_int_equal(bough_input_from("t.csv", "metric,value\nrounds,5\0\n", 23, &input, NULL), BOUGH_OK);
    assert_int_equal(external_table_read(&input, &point, &rows, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "t.csv:2");
    assert_non_null(strstr(error.reason, "NUL"));
    bough_rows_fini(&rows);
    bough_input_fini(&input);
    point_free(&point);
}

/* Reads text about a point; gives the value of rounds, or -1 when no row matches the point. */
static double rounds_at(const bough_point *point, const char *text) {
    bough_rows rows;
    bough_error error = {0};
    bough_status status = read_text(point, text, &rows, &error);
    if (status && !strstr(error.reason, "no row matches"))
        fail_msg("'%s': %s: %s", text, error.place, error.reason);
    double value = status ? -1 : row_value(&rows, BOUGH_METRIC_ROUNDS, NONE);
    bough_rows_fini(&rows);
    return value;
}

static void keys_pick_the_rows_of_a_point(void **state) {
    (void)state;
    static const char table[] = "metric,value,n,m\n"
                                "rounds,1,8,8\n"
                                "rounds,2,8,2^2\n"
                                "rounds,3,16,8\n"
                                "rounds,4,1Ki,\n";
    static const struct {
        const char *network, *traffic;
        double rounds;
    } cases[] = {
        {"fattree:n=8", "uniform", 1},      {"fattree:n=8", "uniform:m=4", 2},
        {"fattree:n=8", "uniform:m=5", -1}, {"fattree:n=16", "shift:m=8", 3},
        {"fattree:n=1024", "bitrev", 4},    {"fattree:n=1024", NULL, 4},
        {"fattree:n=8", NULL, -1}, /* the m of a row asks for traffic */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_point point = point_make(cases[i].network, NULL, cases[i].traffic);
        assert_near(rounds_at(&point, table), cases[i].rounds, 0);
        point_free(&point);
    }
}

/* A spec matches when all that it gives is so; what it leaves open matches anything. */
static void specs_match_by_what_they_give(void **state) {
    (void)state;
    static const struct {
        const char *column, *cell;
        bool match;
    } cases[] = {
        {"network", "", true},
        {"network", "xgft", true},
        {"network", "\"xgft:down=4x4,up=1x2,links=1x2\"", true},
        {"network", "\"xgft:links=1x2,down=4x4\"", true},
        {"network", "xgft:4x4", true}, /* the bare value is the first parameter */
        {"network", "\"xgft:down=4x4,up=1x4\"", false},
        {"network", "xgft:links=1x1", false},
        {"network", "fattree", false},
        {"network", "kary:k=4", false},
        {"traffic", "shift", true},
        {"traffic", "cyclic", true}, /* another name of it */
        {"traffic", "cyclic:3", true},
        {"traffic", "shift:3", true},
        {"traffic", "shift:m=16", true},
        {"traffic", "\"shift:k=3,m=16\"", true},
        {"traffic", "shift:2", false},
        {"traffic", "shift:m=15", false},
        {"traffic", "uniform", false},
        {"traffic", "uniform:m=16", false},
        {"routing", "hash", true},
        {"routing", "hash:key=7", true},
        {"routing", "hash:7", true},
        {"routing", "hash:key=0", false}, /* its default is not the point's value */
        {"routing", "random", false},
    };
    bough_point point = point_make("xgft:down=4x4,up=1x2,links=1x2", "hash:key=7", "shift:k=3");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "metric,value,%s\nrounds,5,%s\n", cases[i].column, cases[i].cell);
        if ((rounds_at(&point, text) == 5) != cases[i].match)
            fail_msg("%s=%s", cases[i].column, cases[i].cell);
    }
    point_free(&point);
    point = point_make("xgft:down=4x4,up=1x2,links=1x2", NULL, NULL); /* neither routing nor traffic */
    assert_near(rounds_at(&point, "metric,value,routing\nrounds,5,hash\n"), -1, 0);
    assert_near(rounds_at(&point, "metric,value,traffic\nrounds,5,shift\n"), -1, 0);
    assert_near(rounds_at(&point, "metric,value,traffic,routing\nrounds,5,,\n"), 5, 0);
    point_free(&point);
}

static void cells_come_in_many_spellings(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=8", NULL, NULL);
    assert_near(rounds_at(&point, "metric,value\nrounds,5"), 5, 0);
    assert_near(rounds_at(&point, "\xEF\xBB\xBFmetric,value\r\nrounds,4.5\r\n"), 4.5, 0);
    assert_near(rounds_at(&point, " value ,\tmetric\n 1e1 , rounds \n"), 10, 0);
    assert_near(rounds_at(&point, "\"metric\",\"value\"\n \"rounds\" , \"-2\" \n"), -2, 0);
    assert_near(rounds_at(&point, "# a note\n\nmetric,value\n# rounds,1\nrounds,2\n\n"), 2, 0);
    assert_near(rounds_at(&point, "metric,value,network\nrounds,2,\"fattree:n=\"\"8\"\"\"\n"), 2, 0);
    point_free(&point);
}

static void rows_keep_their_order_and_index(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=8", NULL, NULL);
    bough_rows rows;
    bough_error error;
    assert_int_equal(read_text(&point,
                               "metric,index,value,ci95,n\ndelivered_round,2,3,,8\ndelivered_round,1,5,0.5,\n"
                               "rounds,,7,0,8\ndelivered_round,1,9,,16\n",
                               &rows, &error),
                     BOUGH_OK);
    assert_int_equal(rows.count, 3);
    assert_int_equal(rows.row[0].metric, BOUGH_METRIC_DELIVERED_ROUND);
    assert_int_equal(rows.row[0].index, 2);
    assert_near(rows.row[0].value, 3, 0);
    assert_int_equal(rows.row[1].index, 1);
    assert_near(rows.row[1].value, 5, 0);
    assert_near(rows.row[0].ci95, 0, 0);
    assert_near(rows.row[1].ci95, 0.5, 0);
    assert_int_equal(rows.row[2].metric, BOUGH_METRIC_ROUNDS);
    assert_true(rows.row[2].index == BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    point_free(&point);
}

/* ---- as a method ---- */

static char directory[40], spec[80];

static int make_directory(void **state) {
    (void)state;
    strcpy(directory, "/tmp/bough-data-XXXXXX");
    if (!mkdtemp(directory)) return -1;
    snprintf(spec, sizeof spec, "data:%s", directory);
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    char command[80];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

static void put_file(const char *name, const char *text) {
    char path[80];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void a_table_answers_like_any_method(void **state) {
    (void)state;
    put_file("a.csv", "metric,value,n\nrounds,5.5,8\nrounds,6.5,16\n");
    put_file("b.csv", "value,metric\n0.25,first_success\n"); /* pieces have their own columns */
    bough_point point = point_make("fattree:n=16", "random", "uniform");
    bough_run *run = run_make(&point, spec);
    assert_true(bough_run_exact(run));
    assert_true(run->bytes > 0);
    for (uint64_t trial = 0; trial < 2; trial++) {
        bough_rows rows = run_once(run, trial);
        assert_int_equal(rows.count, 2);
        assert_near(row_value(&rows, BOUGH_METRIC_ROUNDS, NONE), 6.5, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_FIRST_SUCCESS, NONE), 0.25, 0);
        bough_rows_fini(&rows);
    }
    bough_run_destroy(run);
    point_free(&point);
    point = point_make("fattree:n=32", "random", "uniform"); /* a point of which only b.csv speaks */
    run = run_make(&point, spec);
    bough_rows rows = run_once(run, 0);
    assert_int_equal(rows.count, 1);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&point);
}

static void a_table_that_does_not_fit_is_refused(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=16", NULL, NULL);
    run_refused(&point, "data", BOUGH_INVALID, "needs file=");
    run_refused(&point, "data:/nowhere.csv", BOUGH_INVALID, "/nowhere.csv");
    run_refused(&point, spec, BOUGH_INVALID, "contains no files");
    put_file("a.csv", "metric,value,n\nrounds,5.5,8\n");
    run_refused(&point, spec, BOUGH_INVALID, "a.csv");
    run_refused(&point, spec, BOUGH_INVALID, "no row matches n=16");
    put_file("b.csv", "metric,value\nrounds,x\n");
    run_refused(&point, spec, BOUGH_INVALID, "b.csv:2");
    point_free(&point);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_tables_are_refused_with_the_line),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(keys_pick_the_rows_of_a_point),
        cmocka_unit_test(specs_match_by_what_they_give),
        cmocka_unit_test(cells_come_in_many_spellings),
        cmocka_unit_test(rows_keep_their_order_and_index),
        cmocka_unit_test_setup_teardown(a_table_answers_like_any_method, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_table_that_does_not_fit_is_refused, make_directory,
                                        remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
