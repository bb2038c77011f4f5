/* Files are written whole or not at all. */
#include "base/files/output.h"

#include "support/fabrics.h"

#include <dirent.h>
#include <errno.h>
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
#include <sys/wait.h>
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

/* No part of a file is left in the directory of path. */
static void nothing_beside(const char *path) {
    char directory[512];
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    if (slash)
        *slash = 0;
    else
        strcpy(directory, ".");
    DIR *d = opendir(directory);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        size_t length = strlen(e->d_name);
        if (length > 5 && strcmp(e->d_name + length - 5, ".part") == 0)
            fail_msg("%s is left in %s", e->d_name, directory);
    }
    closedir(d);
}

static mode_t mode_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
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

/* A link at the name that a writer would use leads nobody to another file. */
static void links_in_the_way(void **state) {
    (void)state;
    char path[512], victim[512], planted[512];
    bough_error error;
    snprintf(path, sizeof path, "%s", temporary_name("wanted"));
    snprintf(victim, sizeof victim, "%s", temporary_file("victim", "keep me", 0));
    snprintf(planted, sizeof planted, "%s.part", path);
    assert_int_equal(symlink(victim, planted), 0);
    assert_int_equal(bough_output_write(path, "new", 3, &error), BOUGH_OK);
    holds(path, "new");
    holds(victim, "keep me");
    unlink(planted);
    nothing_beside(path);
}

/* Two processes that write one file again and again: whenever it is looked at, it is whole. */
static void two_writers(void **state) {
    (void)state;
    enum { SIZE = 200000, TIMES = 200 };
    static char data[2][SIZE], have[SIZE + 1];
    const char *path = temporary_name("both");
    pid_t child[2];
    for (int i = 0; i < 2; i++) {
        memset(data[i], 'a' + i, SIZE);
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i]) continue;
        bough_status status = BOUGH_OK;
        for (int k = 0; k < TIMES && !status; k++) status = bough_output_write(path, data[i], SIZE, NULL);
        _exit(status ? 1 : 0);
    }
    for (int left = 2, code; left;) {
        FILE *file = fopen(path, "rb");
        if (file) {
            assert_int_equal(fread(have, 1, sizeof have, file), SIZE);
            assert_memory_equal(have, data[have[0] - 'a'], SIZE);
            fclose(file);
        }
        pid_t done = waitpid(-1, &code, WNOHANG);
        if (done > 0) left--, assert_int_equal(code, 0);
    }
    nothing_beside(path);
}

static void modes_are_kept(void **state) {
    (void)state;
    static const mode_t modes[] = {0600, 0640, 0444, 0666, 0755};
    const char *path = temporary_name("mode");
    bough_error error;
    mode_t before = umask(027);
    unlink(path);
    assert_int_equal(bough_output_write(path, "1", 1, &error), BOUGH_OK);
    assert_int_equal(mode_of(path), 0640); /* a new file: as the umask says */
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_int_equal(bough_output_write(path, "2", 1, &error), BOUGH_OK);
        assert_int_equal(mode_of(path), modes[i]);
    }
    umask(before);
}

/* Owner and group too, where that is allowed; where it is not, the new group sees no more than others. */
static void owners_are_kept(void **state) {
    (void)state;
    const char *path = temporary_file("owner", "1", 0);
    struct stat info;
    bough_error error;
    if (geteuid() != 0 || chown(path, 12345, 54321) != 0) skip();
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(bough_output_write(path, "2", 1, &error), BOUGH_OK);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_uid, 12345);
    assert_int_equal(info.st_gid, 54321);
    assert_int_equal(mode_of(path), 0640);
}

/* Where the directory cannot be written to, the file stays as it is. As root everything can. */
static void closed_directories(void **state) {
    (void)state;
    char directory[512], path[600];
    snprintf(directory, sizeof directory, "/tmp/bough-output-closed-XXXXXX");
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/file", directory);
    assert_int_equal(bough_output_write(path, "old", 3, NULL), BOUGH_OK);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(chmod(directory, 0555), 0);
    pid_t child = fork();
    if (child == 0) {
        bough_error error = {0};
        if (geteuid() == 0 && setuid(65534) != 0) _exit(77);
        bool checked = bough_output_check(path, &error) == BOUGH_INVALID;
        bool refused = bough_output_write(path, "new", 3, &error) == BOUGH_INVALID;
        _exit(checked && refused && strcmp(error.place, path) == 0 ? 0 : 1);
    }
    int code;
    assert_int_equal(waitpid(child, &code, 0), child);
    holds(path, "old");
    assert_int_equal(chmod(directory, 0755), 0);
    nothing_beside(path);
    unlink(path);
    rmdir(directory);
    if (code != 77 << 8) assert_int_equal(code, 0);
}

static void a_full_device(void **state) {
    (void)state;
    bough_error error = {0};
    if (access("/dev/full", W_OK) != 0) skip();
    assert_int_equal(bough_output_check("/dev/full", &error), BOUGH_OK);
    assert_int_equal(bough_output_write("/dev/full", "x", 1, &error), BOUGH_IO);
    assert_string_equal(error.place, "/dev/full");
    assert_non_null(strstr(error.reason, strerror(ENOSPC)));
}

/* A name as long as the file system takes leaves no room for an ending; one longer is refused at once. */
static void long_names(void **state) {
    (void)state;
    char directory[512], path[1024];
    bough_error error = {0};
    snprintf(directory, sizeof directory, "/tmp/bough-output-long-XXXXXX");
    assert_non_null(mkdtemp(directory));
    for (size_t length = 235; length <= 257; length++) {
        size_t at = (size_t)snprintf(path, sizeof path, "%s/", directory);
        for (size_t i = 0; i + 1 < length; i += 2) memcpy(path + at + i, "\xc3\xa4", 2); /* two bytes each */
        if (length % 2) path[at + length - 1] = 'x';
        path[at + length] = 0;
        bough_status expected = length <= 255 ? BOUGH_OK : BOUGH_INVALID;
        assert_int_equal(bough_output_check(path, &error), expected);
        assert_int_equal(bough_output_write(path, "long", 4, &error), expected);
        if (!expected) holds(path, "long");
        if (expected) assert_non_null(strstr(error.reason, "too long"));
        unlink(path);
    }
    assert_int_equal(rmdir(directory), 0); /* it is empty */
}

/* What another library writes, step by step; and what it gives up. */
static void in_steps(void **state) {
    (void)state;
    const char *path = temporary_file("steps", "old", 0);
    bough_output out;
    bough_error error;
    for (int whole = 0; whole < 2; whole++) {
        assert_int_equal(bough_output_begin(path, &out, &error), BOUGH_OK);
        FILE *file = fopen(out.part, "wb");
        assert_non_null(file);
        fputs("new", file);
        fclose(file);
        holds(path, "old");
        if (whole)
            assert_int_equal(bough_output_end(&out, &error), BOUGH_OK);
        else
            bough_output_drop(&out);
        holds(path, whole ? "new" : "old");
        nothing_beside(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_names),
        cmocka_unit_test(a_file_is_replaced),
        cmocka_unit_test(half_a_file_is_none),
        cmocka_unit_test(links_stay),
        cmocka_unit_test(pipes_are_written_to),
        cmocka_unit_test(links_in_the_way),
        cmocka_unit_test(two_writers),
        cmocka_unit_test(modes_are_kept),
        cmocka_unit_test(owners_are_kept),
        cmocka_unit_test(closed_directories),
        cmocka_unit_test(a_full_device),
        cmocka_unit_test(long_names),
        cmocka_unit_test(in_steps),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
