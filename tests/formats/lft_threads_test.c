/* Forwarding tables in files of several blocks, for any number of threads: rows that are known, then the
 * first of several bad lines, wherever they are, then the same findings as from memory. */
#include "formats/tables/lft_tables.h"
#include "support/own_directory.h"
#include "support/same_findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char network[] = "Switch\t8 \"S-00000000000000a0\"\t\t# \"leaf\" base port 0 lid 1 lmc 0\n"
                              "[1]\t\"H-0000000000000100\"[1](101) \t\t# \"n4\" lid 4 4xQDR\n"
                              "[5]\t\"S-00000000000000b0\"[1]\t\t# \"spine\" lid 2 4xQDR\n"
                              "Switch\t8 \"S-00000000000000b0\"\t\t# \"spine\" base port 0 lid 2 lmc 0\n"
                              "[1]\t\"S-00000000000000a0\"[5]\t\t# \"leaf\" lid 1 4xQDR\n"
                              "Ca\t1 \"H-0000000000000100\"\t\t# \"n4\"\n"
                              "[1](101) \t\"S-00000000000000a0\"[1]\t\t# lid 4 lmc 0 \"leaf\" lid 1 4xQDR\n";

enum { LIDS = 45000, MOST = 5, ROOM = 40 << 20 }; /* a section has some 4 MB: three blocks */

typedef struct fixture {
    bough_fabric fabric;
    char *text;
    size_t size;
    size_t header[MOST]; /* where sections begin */
    uint32_t lines;
} fixture;

static int setup(void **state) {
    fixture *x = calloc(1, sizeof *x);
    bough_error error;
    if (!x || own_directory_enter(state)) return -1;
    *state = x;
    x->text = malloc(ROOM);
    return !x->text || bough_fabric_parse("net", network, sizeof network - 1, &x->fabric, &error);
}

static int teardown(void **state) {
    fixture *x = *state;
    bough_fabric_fini(&x->fabric);
    free(x->text);
    free(x);
    return own_directory_leave(state);
}

static void put(fixture *x, const char *text) {
    size_t length = strlen(text);
    memcpy(x->text + x->size, text, length);
    x->size += length;
    x->lines++;
}

static unsigned port_of(unsigned section, unsigned lid) {
    return (lid * 7 + section * 3) % 200;
}

/* The table of one of the two switches. */
static void put_section(fixture *x, unsigned section) {
    char line[200];
    x->header[section] = x->size;
    snprintf(line, sizeof line, "Unicast lids [0-%d] of switch Lid %u guid 0x00000000000000%c0 ('x'):\n",
             LIDS, section % 2 + 1, "ab"[section % 2]);
    put(x, line);
    for (unsigned lid = 1; lid <= LIDS; lid++) {
        snprintf(line, sizeof line, "0x%04x %03u # %s portguid 0x%016x: 'node with a long name, %08u'\n", lid,
                 port_of(section, lid), lid < 3 ? "Switch" : "Channel Adapter", lid == 4 ? 0x101 : lid * 256,
                 lid);
        put(x, line);
    }
    snprintf(line, sizeof line, "%d lids dumped\n", LIDS);
    put(x, line);
}

static void start(fixture *x, unsigned sections) {
    x->size = x->lines = 0;
    for (unsigned s = 0; s < sections; s++) put_section(x, s);
}

static bough_status read_file(const fixture *x, unsigned threads, bough_tables *t, bough_findings *f,
                              bough_error *error) {
    return bough_tables_read(&(bough_tables_file){"t.lfts", threads}, &x->fabric, t, f, error);
}

static void compare_tables(const bough_tables *a, const bough_tables *b) {
    assert_int_equal(a->lids, b->lids);
    assert_true(a->hash == b->hash);
    for (uint32_t n = 0; n < a->nodes; n++) {
        assert_int_equal(!a->port[n], !b->port[n]);
        if (a->port[n]) assert_memory_equal(a->port[n], b->port[n], a->lids);
    }
}

/* The file is read as the same bytes in memory are. */
static void agrees(const fixture *x) {
    bough_input input;
    bough_error whole_error = {0}, error = {0};
    bough_tables whole, t;
    bough_findings expected = {0};
    file_write("t.lfts", x->text, x->size);
    assert_int_equal(bough_input_from("t.lfts", x->text, x->size, &input, NULL), BOUGH_OK);
    bough_status status = bough_tables_parse(&input, &x->fabric, &whole, &expected, &whole_error);
    for (unsigned threads = 0; threads <= 5; threads++) {
        bough_findings findings = {0};
        assert_int_equal(read_file(x, threads, &t, &findings, &error), status);
        assert_string_equal(error.place, whole_error.place);
        assert_string_equal(error.reason, whole_error.reason);
        if (!status) compare_tables(&t, &whole);
        if (!status) same_findings(&findings, &expected);
        if (!status) bough_tables_fini(&t);
        bough_findings_fini(&findings);
    }
    if (!status) bough_tables_fini(&whole);
    bough_findings_fini(&expected);
    bough_input_fini(&input);
}

static void refused_at(const fixture *x, uint32_t line, const char *reason) {
    char place[40];
    snprintf(place, sizeof place, line ? "t.lfts:%u" : "t.lfts", line);
    file_write("t.lfts", x->text, x->size);
    for (unsigned threads = 1; threads <= 4; threads++) {
        bough_tables t;
        bough_findings f = {0};
        bough_error error = {0};
        assert_int_equal(read_file(x, threads, &t, &f, &error), BOUGH_INVALID);
        assert_string_equal(error.place, place);
        assert_non_null(strstr(error.reason, reason));
        bough_findings_fini(&f);
    }
}

static void empty_files(void **state) {
    fixture *x = *state;
    refused_at(x, 0, "contains no forwarding table");
    x->size = (size_t)sprintf(x->text, "# no table");
    refused_at(x, 0, "contains no forwarding table");
}

/* Returns the line of a LID in a section; by: overwrites its text from the port on. */
static uint32_t spoil(fixture *x, unsigned section, uint32_t lid, const char *by, size_t length) {
    char *line = x->text + x->header[section];
    for (uint32_t i = 0; i < lid; i++) line = (char *)memchr(line, '\n', 300) + 1;
    memcpy(line + 7, by, length);
    return section * (LIDS + 2) + 1 + lid;
}

static void the_first_bad_line_is_reported(void **state) {
    fixture *x = *state;
    static const unsigned at[][2] = {{2, 44999}, {2, 20000}, {1, 45000}, {1, 100}, {0, 30000}, {0, 1}};
    start(x, 3);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        refused_at(x, spoil(x, at[i][0], at[i][1], i % 2 ? "2x5" : "256", 3), "port");
    start(x, 3);
    uint32_t zero = spoil(x, 2, 7000, "\0", 1);
    refused_at(x, zero, "NUL byte");
    refused_at(x, spoil(x, 1, 7000, "999", 3), "port");
    spoil(x, 2, 8000, "\0", 1);
    refused_at(x, spoil(x, 0, 44000, "\0", 1), "NUL byte");
}

static void rows_are_those_of_the_file(void **state) {
    fixture *x = *state;
    bough_error error;
    start(x, 2);
    file_write("t.lfts", x->text, x->size);
    for (unsigned threads = 0; threads <= 5; threads++) {
        bough_tables t;
        bough_findings f = {0};
        if (read_file(x, threads, &t, &f, &error)) fail_msg("%s: %s", error.place, error.reason);
        assert_int_equal(t.lids, LIDS + 1);
        for (unsigned s = 0; s < 2; s++)
            for (unsigned lid = 1; lid <= LIDS; lid++) assert_int_equal(t.port[s][lid], port_of(s, lid));
        assert_int_equal(t.port[0][0], BOUGH_NO_PORT);
        bough_tables_fini(&t);
        bough_findings_fini(&f);
    }
}

/* LIDs that the fabric does not have make all rows longer, those read before too. */
static void rows_become_longer(void **state) {
    fixture *x = *state;
    bough_error error;
    bough_tables t;
    bough_findings f = {0};
    x->size = 0;
    put(x, "Unicast lids [0-4] of switch Lid 1 guid 0x00000000000000a0 ('leaf'):\n0x0002 005 # x\n0x0004 001 "
           "# x\n");
    put(x, "4 lids dumped\nUnicast lids [0-99] of switch Lid 2 guid 0x00000000000000b0 ('spine'):\n");
    put(x, "0x0001 001 # x\n0x0063 007 # x\n99 lids dumped\n");
    file_write("t.lfts", x->text, x->size);
    assert_int_equal(read_file(x, 1, &t, &f, &error), BOUGH_OK);
    assert_int_equal(t.lids, 100);
    for (unsigned lid = 0; lid < 100; lid++) {
        assert_int_equal(t.port[0][lid], lid == 2 ? 5 : lid == 4 ? 1 : BOUGH_NO_PORT);
        assert_int_equal(t.port[1][lid], lid == 1 ? 1 : lid == 99 ? 7 : BOUGH_NO_PORT);
    }
    bough_tables_fini(&t);
    bough_findings_fini(&f);
}

/* Tables of one switch again, entries that repeat or lie beyond the range, other GUIDs, private and multicast
 * tables, other forms, and a line that is longer than two blocks. */
static void odd_files_agree(void **state) {
    fixture *x = *state;
    char line[200];
    start(x, 3);
    agrees(x);
    spoil(x, 1, 30000, "007 # Channel Adapter portguid 0x0000000000000777", 49);
    spoil(x, 1, 4, "007 # Channel Adapter portguid 0x0000000000000777", 49);
    put(x, "Unicast lids [0-10] of switch Lid 9 guid 0x00000000000000b0 ('x'):\n");
    for (unsigned i = 1; i < LIDS; i++) {
        unsigned lid = i % 5000 < 4990 ? i : i / 2;
        snprintf(line, sizeof line, "0x%04x %03u : (Channel Adapter portguid 0x%016x: 'h')\n", lid, i % 100,
                 lid == 4 ? 0x101 : 1);
        put(x, line);
    }
    put(x, "PLFT_NUM: 1\n0x0001 001 # x\n0x0002 001 # x\n");
    put(x, "Multicast mlids [0xC000-0xC00F] of switch Lid 2 guid 0x00000000000000b0 ('spine'):\n");
    put(x, "0x0001 001 # x\n");
    memset(x->text + x->size, '#', 5 << 20);
    x->size += 5 << 20;
    put(x, "\ndump_ucast_routes: Switch 0x00000000000000a0\n");
    for (unsigned lid = 1; lid < LIDS; lid++) {
        snprintf(line, sizeof line, "0x%04x : 003  : 01   : yes\n", lid);
        put(x, line);
    }
    put(x, "ibwarn: last line without its end");
    agrees(x);
    memcpy(x->text + x->header[2], "unicast", 7);
    agrees(x);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(empty_files), TEST(the_first_bad_line_is_reported),
                                       TEST(rows_are_those_of_the_file), TEST(rows_become_longer),
                                       TEST(odd_files_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
