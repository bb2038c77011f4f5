#include "support/own_directory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char home[256], directory[64];

int own_directory_enter(void **state) {
    (void)state;
    strcpy(directory, "/tmp/bough-test-XXXXXX");
    if (!getcwd(home, sizeof home) || !mkdtemp(directory)) return -1;
    return chdir(directory);
}

int own_directory_leave(void **state) {
    (void)state;
    char command[128];
    if (chdir(home) != 0) return -1;
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

void file_write(const char *name, const void *data, size_t size) {
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

size_t file_read(const char *name, char *data, size_t size) {
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    size_t got = fread(data, 1, size, f);
    fclose(f);
    assert_true(got < size);
    return got;
}
