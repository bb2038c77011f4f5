/* Files of ibnetdiscover of several blocks, for any number of threads: what is refused, and where, then the
 * same fabric and findings as from memory. */
#include "formats/fabrics/fabric.h"
#include "support/own_directory.h"
#include "support/same_findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LEAVES = 2000, HOSTS = 20, ROOM = 16 << 20 }; /* some 7 MB: four blocks */

typedef struct fixture {
    char *text;
    size_t size;
} fixture;

static int setup(void **state) {
    fixture *x = calloc(1, sizeof *x);
    if (!x || own_directory_enter(state)) return -1;
    *state = x;
    x->text = malloc(ROOM);
    return !x->text;
}

static int teardown(void **state) {
    fixture *x = *state;
    free(x->text);
    free(x);
    return own_directory_leave(state);
}

__attribute__((format(printf, 2, 3))) static void put(fixture *x, const char *format, ...) {
    va_list args;
    va_start(args, format);
    x->size += (size_t)vsnprintf(x->text + x->size, ROOM - x->size, format, args);
    va_end(args);
}

/* A ring of leaves with hosts. */
static void write_ring(fixture *x) {
    x->size = 0;
    for (unsigned l = 0; l < LEAVES; l++) {
        const unsigned next = (l + 1) % LEAVES, last = (l + LEAVES - 1) % LEAVES;
        put(x,
            "vendid=0x2c9\nswitchguid=0x%x(%x)\nSwitch\t40 \"S-%016x\"\t\t# \"leaf %u\" base port 0 lid %u "
            "lmc 0\n",
            l + 1, l + 1, l + 1, l, 40001 + l);
        for (unsigned h = 0; h < HOSTS; h++)
            put(x, "[%u]\t\"H-%016x\"[1](%x) \t\t# \"host %u of %u\" lid %u 4xHDR\n", h + 1,
                0x100000 + l * 32 + h, 0x900000 + l * 32 + h, h, l, 1 + l * HOSTS + h);
        put(x, "[38]\t\"S-%016x\"[39]\t\t# \"leaf %u\" lid %u 4xHDR\n", next + 1, next, 40001 + next);
        put(x, "[39]\t\"S-%016x\"[38]\t\t# \"leaf %u\" lid %u 4xHDR\n\n", last + 1, last, 40001 + last);
        for (unsigned h = 0; h < HOSTS; h++)
            put(x,
                "Ca\t1 \"H-%016x\"\t\t# \"host %u of %u\"\n[1](%x) \t\"S-%016x\"[%u]\t\t# lid %u lmc 0 "
                "\"leaf %u\" lid %u "
                "4xHDR\n",
                0x100000 + l * 32 + h, h, l, 0x900000 + l * 32 + h, l + 1, h + 1, 1 + l * HOSTS + h, l,
                40001 + l);
    }
}

/* Returns the number of the line that begins behind this share of the text, and sets *at to it. */
static unsigned line_at(const fixture *x, double share, char **at) {
    unsigned line = 1;
    *at = x->text;
    while (*at < x->text + (size_t)(share * (double)x->size)) {
        *at = (char *)memchr(*at, '\n', 200) + 1;
        line++;
    }
    return line;
}

/* The same for the line of a port. */
static unsigned port_at(const fixture *x, double share, char **at) {
    unsigned line = line_at(x, share, at);
    for (; **at != '['; line++) *at = (char *)memchr(*at, '\n', 200) + 1;
    return line;
}

static bough_status read_file(unsigned threads, bough_fabric *fabric, bough_error *error) {
    return bough_fabric_read_file(&(bough_fabric_file){.path = "t.net", .threads = threads}, fabric, error);
}

static void refused_at(const fixture *x, unsigned line, const char *reason) {
    char place[40];
    snprintf(place, sizeof place, "t.net:%u", line);
    file_write("t.net", x->text, x->size);
    for (unsigned threads = 0; threads <= 4; threads++) {
        bough_fabric fabric;
        bough_error error = {0};
        assert_int_equal(read_file(threads, &fabric, &error), BOUGH_INVALID);
        assert_string_equal(error.place, place);
        assert_non_null(strstr(error.reason, reason));
    }
}

static void the_first_bad_line_is_reported(void **state) {
    fixture *x = *state;
    char *at;
    write_ring(x);
    for (int i = 9; i > 0; i--) {
        unsigned line = port_at(x, i / 10.0, &at);
        at[1] = 'x';
        refused_at(x, line, "invalid port number");
    }
    write_ring(x);
    for (int i = 2; i >= 0; i--) {
        unsigned line = line_at(x, 0.1 + i / 3.0, &at);
        at[3] = 0;
        refused_at(x, line, "NUL byte");
    }
}

static void truncated_files_are_refused(void **state) {
    fixture *x = *state;
    char *at;
    write_ring(x);
    unsigned line = port_at(x, 0.9, &at);
    x->size = (size_t)(at - x->text) + 30;
    refused_at(x, line, "the file ends within this line");
    x->size = (size_t)(at - x->text);
    put(x, "vendid=0x2c9\n");
    refused_at(x, line, "the file ends within a node");
}

static void compare_ports(const bough_fabric_port *a, const bough_fabric_port *b) {
    assert_int_equal(a->node, b->node);
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->peer, b->peer);
    assert_true(a->guid == b->guid && a->rate == b->rate);
    assert_int_equal(a->lid, b->lid);
    assert_int_equal(a->lmc, b->lmc);
    assert_int_equal(a->width, b->width);
    assert_string_equal(a->speed, b->speed);
}

static void compare(const bough_fabric *a, const bough_fabric *b) {
    assert_string_equal(a->format, b->format);
    assert_string_equal(a->source, b->source);
    assert_true(a->hash == b->hash);
    assert_int_equal(a->node_count, b->node_count);
    for (uint32_t n = 0; n < a->node_count; n++) {
        assert_string_equal(a->node[n].name, b->node[n].name);
        assert_string_equal(a->node[n].description, b->node[n].description);
        assert_true(a->node[n].guid == b->node[n].guid && a->node[n].lid == b->node[n].lid);
    }
    assert_int_equal(a->port_count, b->port_count);
    for (uint32_t i = 0; i < a->port_count; i++) compare_ports(&a->port[i], &b->port[i]);
    same_findings(&a->findings, &b->findings);
}

/* The file is read as the same bytes in memory are. */
static bough_fabric agrees(const fixture *x) {
    bough_fabric whole, fabric;
    bough_error error;
    file_write("t.net", x->text, x->size);
    if (bough_fabric_parse("t.net", x->text, x->size, &whole, &error))
        fail_msg("%s: %s", error.place, error.reason);
    for (unsigned threads = 0; threads <= 5; threads++) {
        if (read_file(threads, &fabric, &error)) fail_msg("%s: %s", error.place, error.reason);
        compare(&fabric, &whole);
        bough_fabric_fini(&fabric);
    }
    return whole;
}

static void fabrics_agree(void **state) {
    fixture *x = *state;
    write_ring(x);
    bough_fabric f = agrees(x);
    assert_int_equal(f.node_count, LEAVES * (1 + HOSTS));
    assert_int_equal(f.port_count, LEAVES * (2 + 2 * HOSTS));
    assert_int_equal(f.findings.count, 0);
    assert_int_equal(f.port[0].rate, UINT64_C(200000000000));
    bough_fabric_fini(&f);
}

/* Unknown rates, ports that contradict, messages of tools, Windows line ends, a node again, and a last line
 * without its end. */
static void odd_files_agree(void **state) {
    fixture *x = *state;
    char *at;
    write_ring(x);
    for (int i = 1; i < 10; i++) {
        port_at(x, i / 10.0, &at);
        char *end = memchr(at, '\n', 200);
        if (i % 3 == 0) memcpy(end - 3, "ZZR", 3);
        if (i % 3 == 1) memcpy(at, i % 2 ? "[3]" : "[4]", 3);
        if (i % 3 == 2) end[-1] = '\r';
    }
    line_at(x, 0.55, &at);
    memcpy(at, "ibwarn: ", 8);
    memset(x->text + x->size, '#', 5 << 20); /* a line of more than two blocks */
    x->size += 5 << 20;
    put(x, "\nSwitch\t40 \"S-%016x\"\t\t# \"leaf 6\" base port 0 lid 40007 lmc 0\n", 7);
    put(x, "[1]\t\"H-%016x\"[1](%x) \t\t# \"host 0 of 6\" lid 121 4xHDR", 0x100000 + 6 * 32,
        0x900000 + 6 * 32);
    bough_fabric f = agrees(x);
    assert_true(f.findings.count > 5);
    bough_fabric_fini(&f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(the_first_bad_line_is_reported),
                                       TEST(truncated_files_are_refused), TEST(fabrics_agree),
                                       TEST(odd_files_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
