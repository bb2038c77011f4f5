/* Inputs in xz, zstd, bzip2, tar and zip: what is cut, damaged or made to fill the memory first; then that
 * each is the same input as the plain file or directory. */
#include "base/files/input.h"
#include "support/archives.h"
#include "support/own_directory.h"

#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { TEXT = 3000, PACKED = 1 << 16, STREAMS = 3, KINDS = 5 };
static const struct kind {
    const char *name;
    int format, filter;
} kinds[KINDS] = {
    {"xz", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_XZ},          {"zst", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_ZSTD},
    {"bz2", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_BZIP2},      {"zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE},
    {"tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE},
};

static char text[TEXT + 1], packed[PACKED];

static void make_text(void) {
    for (size_t i = 0; i < TEXT; i++) text[i] = (char)('a' + i * i % 23);
}

static size_t pack_text(const struct kind *k) {
    make_text();
    archive_pack("whole", k->format, k->filter, &(archive_member){.name = "text", .data = text}, 1);
    return file_read("whole", packed, PACKED);
}

/* ---- reading ---- */

static void refused(const char *name, bough_status status, const char *reason) {
    bough_input input;
    bough_error error;
    bough_status got = bough_input_read(name, &input, &error);
    if (got != status) fail_msg("%s: status %d, not %d", name, got, status);
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    assert_non_null(strstr(error.place, name));
    assert_null(strchr(error.reason, '\n'));
    assert_null(input.piece);
    assert_int_equal(input.count, 0);
}

/* The text, or refused: never another text. */
static bool reads_text_or_nothing(const char *name) {
    bough_input input;
    bough_error error;
    bough_status status = bough_input_read(name, &input, &error);
    if (status) {
        if (status != BOUGH_INVALID || !*error.place || !*error.reason)
            fail_msg("%s: status %d, '%s: %s'", name, status, error.place, error.reason);
        assert_null(input.piece);
        return false;
    }
    bool same =
        input.count == 1 && input.piece[0].size == TEXT && memcmp(input.piece[0].data, text, TEXT) == 0;
    bough_input_fini(&input);
    return same;
}

/* Behind its magic number. */
static void a_truncated_file_is_refused_wherever_it_ends(void **state) {
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        size_t size = pack_text(&kinds[k]);
        bool tar = kinds[k].format == ARCHIVE_FORMAT_TAR_USTAR;
        assert_true(reads_text_or_nothing("whole"));
        for (size_t cut = tar ? 262 : 6; cut < size; cut += tar ? 64 : 1) {
            file_write("cut", packed, cut);
            if (tar && cut >= 512 + 3072 + 512 && cut % 512 == 0)
                assert_true(reads_text_or_nothing("cut")); /* a shorter end mark */
            else
                refused("cut", BOUGH_INVALID, "truncated");
        }
    }
}

/* The text as the command zstd writes it: libarchive writes no checksum. */
static const unsigned char by_zstd[] = {
    0x28, 0xb5, 0x2f, 0xfd, 0x64, 0xb8, 0x0a, 0xfd, 0x00, 0x00, 0xb8, 0x61, 0x62, 0x65, 0x6a,
    0x71, 0x63, 0x6e, 0x64, 0x73, 0x6d, 0x69, 0x67, 0x67, 0x69, 0x6d, 0x73, 0x64, 0x6e, 0x63,
    0x71, 0x6a, 0x65, 0x62, 0x01, 0x00, 0x3d, 0xa7, 0xfe, 0x6c, 0x02, 0x94, 0x50, 0xd8, 0x06};

/* Flips a bit of every byte behind the magic number. What is read all the same lies in a name or a time; a
 * tar file has no checksum of its contents. */
static void a_damaged_file_is_refused_or_the_same(void **state) {
    (void)state;
    for (size_t k = 0; k < KINDS - 1; k++) {
        size_t size = pack_text(&kinds[k]), refusals = 0;
        if (kinds[k].filter == ARCHIVE_FILTER_ZSTD) {
            memcpy(packed, by_zstd, sizeof by_zstd);
            size = sizeof by_zstd;
        }
        for (size_t i = 6; i < size; i++) {
            bough_input input;
            packed[i] ^= 0x10;
            file_write("damaged", packed, size);
            if (bough_input_read("damaged", &input, NULL)) {
                refusals++;
            } else {
                assert_int_equal(input.piece[0].size, TEXT);
                assert_string_equal(input.piece[0].data, text);
                bough_input_fini(&input);
            }
            packed[i] ^= 0x10;
        }
        assert_true(refusals > size / 2);
    }
}

static void what_follows_a_stream_is_not_dropped(void **state) {
    (void)state;
    for (size_t k = 0; k < STREAMS; k++) {
        size_t size = pack_text(&kinds[k]);
        memcpy(packed + size, "more\n", 5);
        file_write("more", packed, size + 5);
        assert_false(reads_text_or_nothing("more"));
        memmove(packed + size, packed, size);
        file_write("two", packed, 2 * size); /* as `cat a.xz b.xz` makes it */
        bough_input input;
        assert_int_equal(bough_input_read("two", &input, NULL), BOUGH_OK);
        assert_int_equal(input.piece[0].size, 2 * TEXT);
        bough_input_fini(&input);
    }
}

static void a_file_that_fills_the_memory_is_refused(void **state) {
    (void)state;
    enum { BLOCK = 1 << 20 };
    char *zeros = calloc(1, BLOCK);
    assert_non_null(zeros);
    const archive_member bomb = {"zeros", zeros, BLOCK, 300, 0}, part = {"part", zeros, BLOCK, 150, 0};
    archive_pack("bomb.zst", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_ZSTD, &bomb, 1);
    refused("bomb.zst", BOUGH_TOO_LARGE, "expands to more than 250 times its size");
    archive_pack("bomb.tar.zst", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_ZSTD, &bomb, 1);
    refused("bomb.tar.zst", BOUGH_TOO_LARGE, "expands to more than 250 times its size");
    const archive_member parts[] = {part, part};
    archive_pack("bomb.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, parts, 2);
    refused("bomb.zip", BOUGH_TOO_LARGE, "expands to more than 250 times its size");
    /* 1 TiB of holes */
    struct archive *a = archive_begin("holes.tar", ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FILTER_NONE);
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, "holes");
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_size(e, INT64_C(1) << 40);
    archive_entry_sparse_add_entry(e, 0, 4);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, "data", 4), 4);
    archive_entry_free(e);
    archive_finish(a);
    refused("holes.tar", BOUGH_TOO_LARGE, "expands to more than 250 times its size");
    free(zeros);
}

#ifdef BOUGH_SANITIZED
#define LIMITS false
#else
#define LIMITS true
#endif

/* A sixteenth of every block is random, so that 300 MiB expand from 19. */
static void half_of_the_memory_is_the_most(void **state) {
    (void)state;
    if (!LIMITS) skip(); /* sanitizers need more address space */
    enum { BLOCK = 1 << 16 };
    struct rlimit old, limit, set;
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    limit = (struct rlimit){UINT64_C(560) << 20, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    assert_int_equal(getrlimit(RLIMIT_AS, &set), 0);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    if (set.rlim_cur != limit.rlim_cur) skip(); /* qemu ignores it */
    char *block = calloc(1, BLOCK);
    assert_non_null(block);
    struct archive *a = archive_begin("large.tar.zst", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_ZSTD);
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, "large");
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_size(e, INT64_C(4800) * BLOCK);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    srand(1);
    for (int i = 0; i < 4800; i++) {
        for (int k = 0; k < BLOCK / 16; k++) block[k] = (char)rand();
        assert_int_equal(archive_write_data(a, block, BLOCK), BLOCK);
    }
    archive_entry_free(e);
    archive_finish(a);
    free(block);
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    refused("large.tar.zst", BOUGH_TOO_LARGE, "half of the memory of this machine (560 MiB)");
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
}

static void an_archive_without_files_is_refused(void **state) {
    (void)state;
    const archive_member members[] = {{.name = "tables/", .data = "", .type = AE_IFDIR},
                                      {.name = "tables/.hidden", .data = "no"}};
    archive_pack("empty.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, members, 2);
    refused("empty.tar", BOUGH_INVALID, "the archive contains no files");
    archive_pack("empty.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, members, 2);
    refused("empty.zip", BOUGH_INVALID, "the archive contains no files");
    const archive_member link = {.name = "latest", .data = "/etc/passwd", .type = AE_IFLNK};
    archive_pack("link.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, &link, 1);
    refused("link.tar", BOUGH_INVALID, "'latest' is a link or a device");
}

static const archive_member tables[] = {{.name = "t/b", .data = "second"},
                                        {.name = "./t/a", .data = "first"},
                                        {.name = "t/below/c", .data = "third"},
                                        {.name = "t/.hidden", .data = "no"}};

static void a_file_of_an_archive_is_named_by_a_path(void **state) {
    (void)state;
    bough_input input;
    bough_error error;
    archive_pack("t.tar.xz", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_XZ, tables, 4);
    file_write("plain", "x", 1);
    refused("plain/a", BOUGH_INVALID, "Not a directory");
    assert_int_equal(bough_input_read("t.tar.xz/t/d", &input, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "t.tar.xz");
    assert_string_equal(error.reason, "contains no file 't/d'; there are t/b, t/a, t/below/c");
    assert_int_equal(bough_input_read("t.tar.xz/t/a", &input, &error), BOUGH_OK);
    assert_int_equal(input.count, 1);
    assert_string_equal(input.piece[0].name, "t.tar.xz/t/a");
    assert_string_equal(input.piece[0].data, "first");
    bough_input_fini(&input);
}

static void files_to_choose_from_are_listed(void **state) {
    (void)state;
    bough_input input;
    bough_error error;
    archive_pack("t.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, tables, 4);
    assert_int_equal(bough_input_read("t.zip", &input, &error), BOUGH_OK);
    assert_int_equal(bough_input_single(&input, "fabric file", &error), BOUGH_INVALID);
    assert_string_equal(error.place, "t.zip");
    assert_string_equal(
        error.reason,
        "contains 3 files; give one fabric file of them: t.zip/t/a, t.zip/t/b, t.zip/t/below/c");
    bough_input_fini(&input);
    archive_pack("one.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, tables, 1);
    assert_int_equal(bough_input_read("one.zip", &input, &error), BOUGH_OK);
    assert_int_equal(bough_input_single(&input, "fabric file", &error), BOUGH_OK);
    assert_string_equal(input.piece[0].data, "second");
    bough_input_fini(&input);
}

static void an_archive_is_read_like_a_directory(void **state) {
    (void)state;
    static const struct kind archives[] = {
        {"tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE},
        {"gnu", ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_NONE},
        {"tar.gz", ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FILTER_GZIP},
        {"tar.xz", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_XZ},
        {"tar.zst", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_ZSTD},
        {"tar.bz2", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_BZIP2},
        {"zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE},
    };
    bough_input joined, input;
    file_write("joined", "firstsecondthird", 16);
    assert_int_equal(bough_input_read("joined", &joined, NULL), BOUGH_OK);
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
        archive_pack("archive", archives[i].format, archives[i].filter, tables,
                     4); /* the name does not say what it is */
        if (bough_input_read("archive", &input, NULL)) fail_msg("%s", archives[i].name);
        assert_int_equal(input.count, 3);
        assert_string_equal(input.piece[0].name, "archive/t/a");
        assert_string_equal(input.piece[1].name, "archive/t/b");
        assert_string_equal(input.piece[2].name, "archive/t/below/c");
        assert_string_equal(input.piece[2].data, "third");
        assert_true(input.hash == joined.hash);
        bough_input_fini(&input);
    }
    bough_input_fini(&joined);
}

/* As `cp *.gz tables; tar cf` makes it. */
static void files_of_an_archive_may_be_compressed(void **state) {
    (void)state;
    static char gzip[PACKED], xz[PACKED];
    make_text();
    const archive_member whole = {.name = "x", .data = text};
    archive_pack("whole.gz", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_GZIP, &whole, 1);
    archive_pack("whole.xz", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_XZ, &whole, 1);
    const archive_member members[] = {
        {.name = "a.gz", .data = gzip, .size = file_read("whole.gz", gzip, PACKED)},
        {.name = "b.xz", .data = xz, .size = file_read("whole.xz", xz, PACKED)}};
    bough_input input;
    archive_pack("two.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, members, 2);
    assert_int_equal(bough_input_read("two.zip", &input, NULL), BOUGH_OK);
    assert_int_equal(input.count, 2);
    for (int i = 0; i < 2; i++) assert_string_equal(input.piece[i].data, text);
    bough_input_fini(&input);
    const archive_member cut = {.name = "a.gz", .data = gzip, .size = members[0].size - 3};
    archive_pack("cut.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, &cut, 1);
    bough_error error;
    assert_int_equal(bough_input_read("cut.zip", &input, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "cut.zip/a.gz");
}

static void a_dash_is_standard_input(void **state) {
    (void)state;
    bough_input input;
    for (size_t k = 0; k < KINDS; k++) {
        pack_text(&kinds[k]);
        int kept = dup(STDIN_FILENO);
        FILE *cat = popen("cat whole", "r");
        assert_non_null(cat);
        assert_true(dup2(fileno(cat), STDIN_FILENO) >= 0);
        bough_status status = bough_input_read("-", &input, NULL);
        dup2(kept, STDIN_FILENO);
        close(kept);
        pclose(cat);
        assert_int_equal(status, BOUGH_OK);
        assert_string_equal(input.piece[0].name, k < STREAMS ? "standard input" : "standard input/text");
        assert_string_equal(input.piece[0].data, text);
        bough_input_fini(&input);
    }
}

/* An empty file, and one of a directory. */
static void nothing_stays_nothing(void **state) {
    (void)state;
    bough_input input;
    for (size_t k = 0; k < STREAMS; k++) {
        archive_pack("nothing", kinds[k].format, kinds[k].filter, &(archive_member){.name = "x", .data = ""},
                     1);
        if (bough_input_read("nothing", &input, NULL)) fail_msg("%s", kinds[k].name);
        assert_int_equal(input.piece[0].size, 0);
        assert_string_equal(input.piece[0].data, "");
        bough_input_fini(&input);
    }
    file_write("magic", "BZh", 3); /* the magic number alone */
    refused("magic", BOUGH_INVALID, "damaged or truncated");
}

int main(void) {
#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, own_directory_enter, own_directory_leave)
    const struct CMUnitTest tests[] = {
        IN_DIRECTORY(a_truncated_file_is_refused_wherever_it_ends),
        IN_DIRECTORY(a_damaged_file_is_refused_or_the_same),
        IN_DIRECTORY(what_follows_a_stream_is_not_dropped),
        IN_DIRECTORY(a_file_that_fills_the_memory_is_refused),
        IN_DIRECTORY(half_of_the_memory_is_the_most),
        IN_DIRECTORY(an_archive_without_files_is_refused),
        IN_DIRECTORY(a_file_of_an_archive_is_named_by_a_path),
        IN_DIRECTORY(files_to_choose_from_are_listed),
        IN_DIRECTORY(an_archive_is_read_like_a_directory),
        IN_DIRECTORY(files_of_an_archive_may_be_compressed),
        IN_DIRECTORY(a_dash_is_standard_input),
        IN_DIRECTORY(nothing_stays_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
