#include "base/files/input.h"
#include "support/own_directory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

static void write_text(const char *name, const char *text) {
    file_write(name, text, strlen(text));
}

static void write_gzip(const char *name, const void *data, size_t size) {
    gzFile f = gzopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, data, (unsigned)size), size);
    assert_int_equal(gzclose(f), Z_OK);
}

/* The bytes of a file, to cut or damage them. */
static void refused(const char *name, bough_status status, const char *reason) {
    bough_input input;
    bough_error error;
    assert_int_equal(bough_input_read(name, &input, &error), status);
    assert_non_null(strstr(error.place, name));
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    assert_null(input.piece);
    assert_int_equal(input.count, 0);
    assert_int_equal(bough_input_read(name, &input, NULL), status); /* nobody listens: fine */
}

static void a_missing_file_is_named(void **state) {
    (void)state;
    refused("nowhere.csv", BOUGH_INVALID, "No such file");
    refused("no/where.csv", BOUGH_INVALID, "No such file");
    refused("", BOUGH_INVALID, "empty file name");
}

static void a_file_that_may_not_be_read_is_named(void **state) {
    (void)state;
    if (geteuid() == 0) skip(); /* root may read everything */
    write_text("secret", "x");
    assert_int_equal(chmod("secret", 0), 0);
    refused("secret", BOUGH_INVALID, "Permission denied");
}

/* Cut anywhere behind its magic number, a gzip file must not pass for a shorter text. */
static void a_truncated_gzip_is_refused_wherever_it_ends(void **state) {
    (void)state;
    char text[3000], packed[4000];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + i * i % 23);
    write_gzip("whole.gz", text, sizeof text);
    size_t size = file_read("whole.gz", packed, sizeof packed);
    for (size_t cut = 2; cut < size; cut++) {
        file_write("cut.gz", packed, cut);
        refused("cut.gz", BOUGH_INVALID, "truncated");
    }
}

static void a_damaged_gzip_is_refused(void **state) {
    (void)state;
    char text[3000], packed[4000];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + i * i % 23);
    write_gzip("whole.gz", text, sizeof text);
    size_t size = file_read("whole.gz", packed, sizeof packed);
    packed[size - 6] ^= 1; /* the checksum */
    file_write("damaged.gz", packed, size);
    refused("damaged.gz", BOUGH_INVALID, "cannot be read");
}

/* Zeros of 16 MiB in 16 KiB: one member of a gzip file. */
static size_t make_member(char *packed, size_t size) {
    enum { ZEROS = 1 << 24 };
    char *zeros = calloc(1, ZEROS);
    assert_non_null(zeros);
    write_gzip("member.gz", zeros, ZEROS);
    free(zeros);
    return file_read("member.gz", packed, size);
}

static void write_members(const char *name, const char *packed, size_t size, int count) {
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    for (int i = 0; i < count; i++) assert_int_equal(fwrite(packed, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void a_gzip_file_that_fills_the_memory_is_refused(void **state) {
    (void)state;
    enum { MEMBERS = 40 }; /* 640 MiB */
    static char packed[1 << 16];
    size_t size = make_member(packed, sizeof packed);
    bough_input input;
    bough_error error;
    write_members("bomb.gz", packed, size, MEMBERS);
    assert_int_equal(bough_input_read("bomb.gz", &input, &error), BOUGH_TOO_LARGE);
    assert_string_equal(error.place, "bomb.gz");
    assert_non_null(strstr(error.reason, "expands to more than 250 times its size"));
    /* through a pipe */
    int old = dup(STDIN_FILENO);
    FILE *cat = popen("cat bomb.gz", "r");
    assert_non_null(cat);
    assert_true(dup2(fileno(cat), STDIN_FILENO) >= 0);
    assert_int_equal(bough_input_read("-", &input, &error), BOUGH_TOO_LARGE);
    assert_true(dup2(old, STDIN_FILENO) >= 0);
    close(old);
    pclose(cat);
    assert_string_equal(error.place, "standard input");
    /* in parts */
    assert_int_equal(mkdir("bombs", 0755), 0);
    for (int i = 0; i < MEMBERS; i++) {
        char name[40];
        snprintf(name, sizeof name, "bombs/%02d.gz", i);
        write_members(name, packed, size, 1);
    }
    assert_int_equal(bough_input_read("bombs", &input, &error), BOUGH_TOO_LARGE);
    assert_string_equal(error.place, "bombs/16.gz");
}

/* Below the bound packed as well as that; beyond it as it is. */
static void a_large_file_is_read(void **state) {
    (void)state;
    static char packed[1 << 16];
    bough_input input;
    size_t size = make_member(packed, sizeof packed);
    write_members("dense.gz", packed, size, 3);
    assert_int_equal(bough_input_read("dense.gz", &input, NULL), BOUGH_OK);
    assert_int_equal(input.piece[0].size, 3 << 24);
    bough_input_fini(&input);
    write_text("plain", "");
    assert_int_equal(truncate("plain", 257 << 20), 0);
    assert_int_equal(bough_input_read("plain", &input, NULL), BOUGH_OK);
    assert_int_equal(input.piece[0].size, 257 << 20);
    bough_input_fini(&input);
}

static void what_follows_a_gzip_file_is_not_dropped(void **state) {
    (void)state;
    char packed[4000];
    bough_input input;
    write_gzip("one.gz", "first\n", 6);
    size_t size = file_read("one.gz", packed, sizeof packed);
    memset(packed + size, 0, 600); /* as tapes fill their blocks */
    file_write("zeros.gz", packed, size + 600);
    assert_int_equal(bough_input_read("zeros.gz", &input, NULL), BOUGH_OK);
    assert_string_equal(input.piece[0].data, "first\n");
    bough_input_fini(&input);
    memcpy(packed + size + 100, "second\n", 7);
    file_write("text.gz", packed, size + 600);
    refused("text.gz", BOUGH_INVALID, "unexpected bytes after the gzip data");
    memcpy(packed + size, packed, size);
    file_write("two.gz", packed, 2 * size);
    assert_int_equal(bough_input_read("two.gz", &input, NULL), BOUGH_OK);
    assert_string_equal(input.piece[0].data, "first\nfirst\n");
    bough_input_fini(&input);
    file_write("cut.gz", packed, 2 * size - 3);
    refused("cut.gz", BOUGH_INVALID, "truncated");
}

static void an_empty_directory_is_refused(void **state) {
    (void)state;
    assert_int_equal(mkdir("empty", 0755), 0);
    refused("empty", BOUGH_INVALID, "contains no files");
    write_text("empty/.hidden", "x");
    assert_int_equal(mkdir("empty/below", 0755), 0);
    refused("empty", BOUGH_INVALID, "contains no files");
}

static void an_empty_file_is_an_empty_input(void **state) {
    (void)state;
    bough_input input;
    write_text("nothing", "");
    assert_int_equal(bough_input_read("nothing", &input, NULL), BOUGH_OK);
    assert_int_equal(input.count, 1);
    assert_int_equal(input.piece[0].size, 0);
    assert_string_equal(input.piece[0].data, "");
    assert_true(input.hash == UINT64_C(0xcbf29ce484222325)); /* FNV-1a of nothing */
    bough_input_fini(&input);
}

static void a_file_is_read_byte_by_byte(void **state) {
    (void)state;
    bough_input input;
    file_write("bytes", "a\0b\r\n\xff", 6);
    assert_int_equal(bough_input_read("bytes", &input, NULL), BOUGH_OK);
    assert_int_equal(input.piece[0].size, 6);
    assert_memory_equal(input.piece[0].data, "a\0b\r\n\xff", 7); /* and a NUL behind */
    assert_string_equal(input.piece[0].name, "bytes");
    bough_input_fini(&input);
    assert_null(input.piece);
}

/* FNV-1a of "foobar", from the page of its authors. */
static void the_hash_is_fnv(void **state) {
    (void)state;
    bough_input input;
    write_text("foobar", "foobar");
    assert_int_equal(bough_input_read("foobar", &input, NULL), BOUGH_OK);
    assert_true(input.hash == UINT64_C(0x85944171f73967e8));
    bough_input_fini(&input);
}

static void gzip_and_plain_are_the_same_input(void **state) {
    (void)state;
    enum { SIZE = 300000 }; /* more than one read */
    char *text = malloc(SIZE);
    assert_non_null(text);
    for (size_t i = 0; i < SIZE; i++) text[i] = (char)("rounds,\n"[i % 8] ^ (i % 1021 == 0));
    file_write("plain", text, SIZE);
    write_gzip("packed.gz", text, SIZE);
    write_gzip("ending.txt", text, SIZE); /* the content says what it is, not the name */
    bough_input plain, packed, ending;
    assert_int_equal(bough_input_read("plain", &plain, NULL), BOUGH_OK);
    assert_int_equal(bough_input_read("packed.gz", &packed, NULL), BOUGH_OK);
    assert_int_equal(bough_input_read("ending.txt", &ending, NULL), BOUGH_OK);
    assert_int_equal(plain.piece[0].size, SIZE);
    assert_int_equal(packed.piece[0].size, SIZE);
    assert_memory_equal(plain.piece[0].data, text, SIZE);
    assert_memory_equal(packed.piece[0].data, text, SIZE);
    assert_true(plain.hash == packed.hash);
    assert_true(plain.hash == ending.hash);
    bough_input_fini(&plain);
    bough_input_fini(&packed);
    bough_input_fini(&ending);
    free(text);
}

static void a_directory_is_one_input_in_sorted_pieces(void **state) {
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(mkdir("d/below", 0755), 0);
    write_text("d/b", "second");
    write_text("d/a", "first");
    write_gzip("d/c.gz", "third", 5);
    write_text("d/.hidden", "no");
    write_text("d/below/e", "no");
    write_text("joined", "firstsecondthird");
    bough_input input, joined;
    assert_int_equal(bough_input_read("d", &input, NULL), BOUGH_OK);
    assert_int_equal(input.count, 3);
    assert_string_equal(input.piece[0].name, "d/a");
    assert_string_equal(input.piece[0].data, "first");
    assert_string_equal(input.piece[1].data, "second");
    assert_string_equal(input.piece[2].name, "d/c.gz");
    assert_string_equal(input.piece[2].data, "third");
    assert_int_equal(bough_input_read("joined", &joined, NULL), BOUGH_OK);
    assert_true(input.hash == joined.hash);
    bough_input_fini(&input);
    bough_input_fini(&joined);
}

static void a_bad_piece_spoils_its_directory(void **state) {
    (void)state;
    char packed[200];
    assert_int_equal(mkdir("s", 0755), 0);
    write_text("s/a", "good");
    write_gzip("s/b.gz", "truncated below", 15);
    size_t size = file_read("s/b.gz", packed, sizeof packed);
    file_write("s/b.gz", packed, size - 9);
    bough_input input;
    bough_error error;
    assert_int_equal(bough_input_read("s", &input, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "s/b.gz");
    assert_null(input.piece);
}

static void a_dash_is_standard_input(void **state) {
    (void)state;
    bough_input input;
    write_gzip("typed", "from a pipe", 11);
    int kept = dup(STDIN_FILENO);
    assert_non_null(freopen("typed", "rb", stdin));
    bough_status status = bough_input_read("-", &input, NULL);
    dup2(kept, STDIN_FILENO);
    close(kept);
    assert_int_equal(status, BOUGH_OK);
    assert_string_equal(input.piece[0].name, "standard input");
    assert_string_equal(input.piece[0].data, "from a pipe");
    bough_input_fini(&input);
}

static void memory_can_stand_for_a_file(void **state) {
    (void)state;
    bough_input memory, file;
    write_text("same", "one\ntwo\n");
    assert_int_equal(bough_input_from("same", "one\ntwo\n", 8, &memory, NULL), BOUGH_OK);
    assert_int_equal(bough_input_read("same", &file, NULL), BOUGH_OK);
    assert_string_equal(memory.piece[0].data, file.piece[0].data);
    assert_string_equal(memory.piece[0].name, file.piece[0].name);
    assert_true(memory.hash == file.hash);
    bough_input_fini(&memory);
    bough_input_fini(&file);
    assert_int_equal(bough_input_from("none", NULL, 0, &memory, NULL), BOUGH_OK);
    assert_int_equal(memory.piece[0].size, 0);
    bough_input_fini(&memory);
    bough_input_fini(&memory); /* twice is fine */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_missing_file_is_named, own_directory_enter, own_directory_leave),
        cmocka_unit_test_setup_teardown(a_file_that_may_not_be_read_is_named, own_directory_enter,
                                        own_directory_leave),
        cmocka_unit_test_setup_teardown(a_truncated_gzip_is_refused_wherever_it_ends, own_directory_enter,
                                        own_directory_leave),
        cmocka_unit_test_setup_teardown(a_damaged_gzip_is_refused, own_directory_enter, own_directory_leave),
        cmocka_unit_test_setup_teardown(a_gzip_file_that_fills_the_memory_is_refused, own_directory_enter,
                                        own_directory_leave),
        cmocka_unit_test_setup_teardown(a_large_file_is_read, own_directory_enter, own_directory_leave),
        cmocka_unit_test_setup_teardown(what_follows_a_gzip_file_is_not_dropped, own_directory_enter,
                                        own_directory_leave),
        cmocka_unit_test_setup_teardown(an_empty_directory_is_refused, own_directory_enter,
                                        own_directory_leave),
        cmocka_unit_test_setup_teardown(an_empty_file_is_an_empty_input, own_directory_enter,
                                        own_directory_leave),
        cmocka_unit_test_setup_teardown(a_file_is_read_byte_by_byte, own_directory_enter,
                                        own_directory_leave),
        cmocka_unit_test_setup_teardown(the_hash_is_fnv, own_directory_enter, own_directory_leave),
        cmocka_unit_test_setup_teardown(gzip_and_plain_are_the_same_input, own_directory_enter,
                                        own_directory_leave),
        cmocka_unit_test_setup_teardown(a_directory_is_one_input_in_sorted_pieces, own_directory_enter,
                                        own_directory_leave),
        cmocka_unit_test_setup_teardown(a_bad_piece_spoils_its_directory, own_directory_enter,
                                        own_directory_leave),
        cmocka_unit_test_setup_teardown(a_dash_is_standard_input, own_directory_enter, own_directory_leave),
        cmocka_unit_test_setup_teardown(memory_can_stand_for_a_file, own_directory_enter,
                                        own_directory_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
