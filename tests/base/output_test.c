/* Files are written whole or not at all. */
#include "base/output.h"

#include "support/fabrics.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void holds(const char *path, const char *text) {
    char have[256] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    have[fread(have, 1, sizeof have - 1, file)] = 0;
    fclose(file);
    assert_string_equal(have, text);
}

static void nothing_beside(const char *path) {
    char part[512];
    snprintf(part, sizeof part, "%s.part", path);
    assert_int_not_equal(access(part, F_OK), 0);
}

static void refused(const char *path, const char *text) {
    bough_error error = {0};
    assert_int_equal(bough_output_check(path, &error), BOUGH_INVALID);
    assert_string_equal(error.place, path);
    if (!strstr(error.reason, text)) fail_msg("'%s' does not say '%s'", error.reason, text);
    assert_int_equal(bough_output_write(path, "x", 1, &error), BOUGH_INVALID);
    assert_string_equal(error.place, path);
}

static void wrong_names(void **state) {
    (void)state;
    char directory[512];
    snprintf(directory, sizeof directory, "%s", temporary_name("directory"));
    assert_int_equal(mkdir(directory, 0700), 0);
    refused("nowhere/file", "No such file");
    refused("/nowhere/file", "No such file");
    refused(directory, "directory");
    nothing_beside(directory);
    rmdir(directory);
    bough_error error;
    assert_int_equal(bough_output_check("", &error), BOUGH_INVALID);
    assert_int_equal(bough_output_check("no/", &error), BOUGH_INVALID);
    assert_int_equal(bough_output_check("in_this_directory", &error), BOUGH_OK);
    assert_int_not_equal(access("in_this_directory", F_OK), 0); /* asking makes nothing */
}

static void a_file_is_replaced(void **state) {
    (void)state;
    const char *path = temporary_name("file");
    bough_error error;
    assert_int_equal(bough_output_check(path, &error), BOUGH_OK);
    assert_int_equal(bough_output_write(path, "a longer text", 13, &error), BOUGH_OK);
    holds(path, "a longer text");
    assert_int_equal(bough_output_write(path, "short", 5, &error), BOUGH_OK);
    holds(path, "short");
    assert_int_equal(bough_output_write(path, "", 0, &error), BOUGH_OK);
    holds(path, "");
    nothing_beside(path);
}

/* The disk is full in the middle: what was there stays. */
static void half_a_file_is_none(void **state) {
    (void)state;
    const char *path = temporary_name("kept");
    static char large[1 << 20];
    bough_error error;
    struct rlimit before, small;
    assert_int_equal(bough_output_write(path, "what was there", 14, &error), BOUGH_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bough_status status = bough_output_write(path, large, sizeof large, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, BOUGH_IO);
    assert_non_null(strstr(error.reason, "cannot be written"));
    holds(path, "what was there");
    nothing_beside(path);
}

/* A link is still one afterwards, and leads to the new text. */
static void links_stay(void **state) {
    (void)state;
    struct stat info;
    bough_error error;
    char file[512], link[512];
    snprintf(file, sizeof file, "%s", temporary_name("behind"));
    snprintf(link, sizeof link, "%s.link", file);
    unlink(link);
    assert_int_equal(symlink(file, link), 0);
    for (int again = 0; again < 2; again++) { /* first it leads nowhere */
        assert_int_equal(bough_output_check(link, &error), BOUGH_OK);
        assert_int_equal(bough_output_write(again ? link : file, again ? "new" : "old", 3, &error), BOUGH_OK);
        holds(file, again ? "new" : "old");
    }
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    nothing_beside(file);
    nothing_beside(link);
    unlink(link);
}

/* A pipe is written to, not replaced by a file. */
static void pipes_are_written_to(void **state) {
    (void)state;
    struct stat info;
    bough_error error;
    char path[512], have[16] = "";
    snprintf(path, sizeof path, "%s", temporary_name("pipe"));
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(bough_output_check(path, &error), BOUGH_OK);
    assert_int_equal(bough_output_write(path, "through", 7, &error), BOUGH_OK);
    assert_int_equal(read(reader, have, sizeof have), 7);
    assert_string_equal(have, "through");
    close(reader);
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    nothing_beside(path);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_names),          cmocka_unit_test(a_file_is_replaced),
        cmocka_unit_test(half_a_file_is_none),  cmocka_unit_test(links_stay),
        cmocka_unit_test(pipes_are_written_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
