/* Files read block by block: what is not read so, damaged files, then the same bytes, lines and hash as the
 * whole file has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/input.h"
#include "base/files/input_blocks.h"
#include "base/memory/fnv1a.h"
#include "support/own_directory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

static void write_gzip(const char *name, const void *data, size_t size) {
    gzFile f = gzopen(name, "wb1");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, data, (unsigned)size), size);
    assert_int_equal(gzclose(f), Z_OK);
}

static void read_as_a_whole(const char *path) {
    input_blocks *blocks;
    bough_error error;
    assert_int_equal(input_blocks_open(path, &blocks, &error), BOUGH_OK);
    assert_null(blocks);
}

static void other_inputs_are_left_to_the_whole_reader(void **state) {
    (void)state;
    static const char xz[] = "\xFD"
                             "7zXZ\0\0\4 and what follows";
    read_as_a_whole("-");
    read_as_a_whole("absent");
    read_as_a_whole(".");
    file_write("packed.xz", xz, sizeof xz);
    read_as_a_whole("packed.xz");
}

/* What the parts should be: the text, line by line; prepared before they are taken. */
typedef struct seen_text {
    const char *text;
    size_t length, at, calls;
    size_t most; /* calls after which it takes no more; 0: any number */
    bool ended;
    unsigned taking;                  /* calls of take at a time */
    input_part prepared[INPUT_PARTS]; /* that were not taken yet */
    unsigned threads;
    const char *grows; /* the file becomes the whole text when its first lines are taken; NULL: none */
} seen_text;

static void prepare(void *context, unsigned worker, const input_part *part) {
    seen_text *s = context;
    const bool known = part->number < INPUT_PARTS && worker < INPUT_WORKERS;
    if (!known || (worker && worker >= s->threads) || !part->size || s->prepared[part->number].size) abort();
    s->prepared[part->number] = *part;
}

/* Every part ends with a line, except where the file does not. Called on any thread, one at a time. */
static bough_status take(void *context, const input_part *part) {
    seen_text *s = context;
    if (s->ended || s->taking++ || s->at + part->size > s->length) abort();
    if (part->size && memcmp(part->data, s->text + s->at, part->size) != 0) abort();
    if (s->grows && !s->at) file_write(s->grows, s->text, s->length);
    s->at += part->size;
    s->ended = part->size == 0;
    s->taking--;
    if (s->ended) return BOUGH_OK;
    input_part *prepared = &s->prepared[part->number];
    if (prepared->data != part->data || prepared->size != part->size) abort();
    prepared->size = 0;
    if (part->data[part->size - 1] != '\n' && s->at != s->length && !s->grows) abort();
    return ++s->calls == s->most ? BOUGH_INTERRUPTED : BOUGH_OK;
}

static bough_status read_all(input_blocks *blocks, unsigned threads, seen_text *seen, bough_error *error) {
    const input_taker taker = {prepare, take, seen};
    seen->threads = threads;
    return input_blocks_each(blocks, threads, &taker, error);
}

static void damaged_files_are_refused(void **state) {
    (void)state;
    char *text = calloc(1 << 23, 1);
    bough_error error;
    input_blocks *blocks = NULL;
    for (int i = 0; i < 1 << 23; i++) text[i] = "0123456789\n"[(i * 2654435761U >> 20) % 11];
    write_gzip("whole.gz", text, 1 << 23);
    char *packed = calloc(1 << 23, 1);
    size_t length = file_read("whole.gz", packed, 1 << 23);
    file_write("cut.gz", packed, length - 20);
    for (unsigned threads = 1; threads <= 3; threads++) {
        seen_text seen = {.text = text, .length = 1 << 23};
        assert_int_equal(input_blocks_open("cut.gz", &blocks, &error), BOUGH_OK);
        assert_int_equal(read_all(blocks, threads, &seen, &error), BOUGH_INVALID);
        assert_non_null(strstr(error.reason, "truncated"));
        assert_string_equal(error.place, "cut.gz");
        input_blocks_close(blocks);
        seen = (seen_text){.text = text, .length = 1 << 23, .most = 1};
        assert_int_equal(input_blocks_open("cut.gz", &blocks, &error), BOUGH_OK);
        assert_int_equal(read_all(blocks, threads, &seen, &error), BOUGH_INTERRUPTED);
        assert_int_equal(seen.calls, 1);
        input_blocks_close(blocks);
    }
    free(packed);
    free(text);
}

/* Whole lines, at least one. */
static void check_start(input_blocks *blocks, const char *text, size_t length) {
    size_t size;
    const char *start = input_blocks_start(blocks, &size);
    assert_true(size <= length && (size || !length));
    if (size) assert_memory_equal(start, text, size);
    if (size < length) assert_int_equal(start[size - 1], '\n');
}

static uint64_t size_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return (uint64_t)info.st_size;
}

static void agrees(const char *path, const char *text, size_t length) {
    bough_input whole;
    bough_error error;
    assert_int_equal(bough_input_read(path, &whole, &error), BOUGH_OK);
    assert_true(whole.hash == bough_fnv1a_file(BOUGH_FNV1A_START, text, length));
    for (unsigned threads = 0; threads <= 6; threads++) {
        input_blocks *blocks;
        seen_text seen = {.text = text, .length = length};
        assert_int_equal(input_blocks_open(path, &blocks, &error), BOUGH_OK);
        assert_non_null(blocks);
        check_start(blocks, text, length);
        assert_int_equal(input_blocks_size(blocks), size_of(path));
        assert_int_equal(read_all(blocks, threads, &seen, &error), BOUGH_OK);
        assert_true(seen.ended);
        assert_int_equal(seen.at, length);
        assert_true(input_blocks_hash(blocks) == whole.hash);
        input_blocks_close(blocks);
    }
    bough_input_fini(&whole);
}

/* Lines of up to `longest` bytes; the last one without its end if `open`. */
static void lines_agree(size_t length, size_t longest, bool open) {
    char *text = calloc(length + 1, 1);
    uint32_t x = 1;
    size_t left = 1;
    assert_non_null(text);
    for (size_t i = 0; i < length; i++) {
        x = x * 1664525 + 1013904223;
        bool ends = --left == 0 || (i + 1 == length && !open);
        text[i] = ends && !(open && i + 1 == length) ? '\n' : (char)('a' + (x >> 24) % 26);
        if (ends) left = 1 + (x >> 8) % longest;
    }
    file_write("plain", text, length);
    agrees("plain", text, length);
    write_gzip("packed.gz", text, length);
    agrees("packed.gz", text, length);
    free(text);
}

static void blocks_are_the_file(void **state) {
    (void)state;
    lines_agree(0, 10, false);
    lines_agree(1, 10, false);
    lines_agree(1, 10, true);
    lines_agree(7000000, 80, false);
    lines_agree(7000000, 80, true);
    lines_agree(9000000, 5000000, false); /* longer than a block */
    lines_agree((1 << 21) + 1, 1 << 21, true);
    lines_agree(1 << 21, 30, false); /* the file ends with a block, or just behind it */
    lines_agree((1 << 21) + 1, 30, false);
    lines_agree(1 << 22, 30, true);
    lines_agree(9000000, 9000001, true); /* one line */
    lines_agree(5000000, 1, false);      /* empty lines */
}

/* later: the file grows when its first lines are taken. */
static bough_status read_growing(seen_text *seen, size_t before, bool later, unsigned threads) {
    input_blocks *blocks;
    bough_error error;
    memset(seen->prepared, 0, sizeof seen->prepared);
    seen->at = seen->ended = 0;
    seen->grows = later ? "grows" : NULL;
    file_write("grows", seen->text, before);
    assert_int_equal(input_blocks_open("grows", &blocks, &error), BOUGH_OK);
    if (!later) file_write("grows", seen->text, seen->length);
    const bough_status status = read_all(blocks, threads, seen, &error);
    if (status)
        assert_string_equal(error.reason, "changed while it was read; read it again when it is complete");
    else
        assert_true(input_blocks_hash(blocks) ==
                    bough_fnv1a_file(BOUGH_FNV1A_START, seen->text, seen->length));
    input_blocks_close(blocks);
    return status;
}

/* The end of a file is where reading ends, not where the file ended when it was opened; but a line that was
 * taken without its end is not one. */
static void files_may_grow(void **state) {
    (void)state;
    const size_t length = 6000000, section = 1 << 17;
    char *text = malloc(length);
    for (size_t i = 0; i < length; i++) text[i] = "0123456789\n"[(i * 2654435761U >> 20) % 11];
    seen_text seen = {.text = text, .length = length};
    for (unsigned threads = 1; threads <= 3; threads++) {
        assert_int_equal(read_growing(&seen, 0, false, threads), BOUGH_OK);
        assert_int_equal(seen.at, length);
        assert_int_equal(read_growing(&seen, 3000000, false, threads), BOUGH_OK);
        assert_int_equal(seen.at, length);
    }
    assert_int_equal(read_growing(&seen, 3000000, true, 1), BOUGH_OK);
    assert_int_equal(seen.at, length);
    assert_int_equal(read_growing(&seen, section, true, 1), BOUGH_INVALID);
    assert_int_equal(seen.at, section);
    assert_int_equal(read_growing(&seen, section + 1, true, 1), BOUGH_INVALID);
    free(text);
}

/* Beyond 1 MiB the hash is of words, whatever the blocks. */
static void large_files_have_one_hash(void **state) {
    (void)state;
    lines_agree((1 << 20) + 70001, 100, false);
}

/* Each bit of a large file counts, in the words too. */
static void the_hash_sees_every_bit(void **state) {
    (void)state;
    const size_t length = (1 << 20) + 29;
    char *text = calloc(length, 1);
    uint64_t plain = bough_fnv1a_file(1, text, length), seen[29 * 8];
    for (size_t bit = 0; bit < 29 * 8; bit++) {
        file_hash h = FILE_HASH_START(1);
        h.count = UINT64_C(1) << 20;
        char tail[29] = {0};
        tail[bit / 8] = (char)(1 << bit % 8);
        file_hash_add(&h, tail, bit % 29);
        file_hash_add(&h, tail + bit % 29, 29 - bit % 29);
        seen[bit] = file_hash_end(&h);
        for (size_t other = 0; other < bit; other++) assert_true(seen[other] != seen[bit]);
    }
    text[length - 9] = 1;
    assert_true(bough_fnv1a_file(1, text, length) != plain);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(other_inputs_are_left_to_the_whole_reader, own_directory_enter,
                                        own_directory_leave),
        cmocka_unit_test_setup_teardown(damaged_files_are_refused, own_directory_enter, own_directory_leave),
        cmocka_unit_test_setup_teardown(blocks_are_the_file, own_directory_enter, own_directory_leave),
        cmocka_unit_test_setup_teardown(files_may_grow, own_directory_enter, own_directory_leave),
        cmocka_unit_test_setup_teardown(large_files_have_one_hash, own_directory_enter, own_directory_leave),
        cmocka_unit_test(the_hash_sees_every_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
