/* Any bytes as a file, perhaps compressed or an archive, and as a directory of files: of gzip and plain files
 * what zlib's own reader makes of them, or refused with a place and a reason. A byte 0xfe parts the files of
 * the directory. */
#include "base/files/gunzip.h"
#include "base/files/input.h"
#include "base/files/packed_data.h"
#include "fuzz/file.h"
#include "fuzz/must.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

enum { FILES = 4, MOST = 1 << 20 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* What zlib reads is what was read. It reads over what follows a member, so only whole inputs are compared.
 */
static void compare(int file, const bough_input_piece *piece) {
    static char text[MOST];
    MUST(lseek(file, 0, SEEK_SET) == 0);
    gzFile packed = gzdopen(dup(file), "rb");
    MUST(packed);
    int got = gzread(packed, text, MOST);
    gzclose(packed);
    if (is_gzip(text, (size_t)(got > 0 ? got : 0)) || packed_recognise(text, (size_t)(got > 0 ? got : 0)))
        return;
    if (piece->size < MOST) MUST(got == (int)piece->size && memcmp(text, piece->data, piece->size) == 0);
}

static void read_one(const unsigned char *data, size_t size) {
    char path[64];
    bough_error error = {0};
    bough_input input;
    int file = fuzz_file(data, size, path, sizeof path);
    if (bough_input_read(path, &input, &error)) {
        MUST(*error.place && *error.reason && !strchr(error.reason, '\n') && !input.piece);
    } else {
        MUST(input.count >= 1 && input.piece->data[input.piece->size] == 0);
        if (input.count == 1) compare(file, input.piece);
        bough_input_fini(&input);
    }
    close(file);
}

static void read_directory(const unsigned char *data, size_t size) {
    static char directory[] = "/dev/shm/bough-fuzz-XXXXXX";
    static bool made;
    char path[80];
    bough_error error = {0};
    bough_input input;
    size_t files = 0;
    if (!made) MUST(mkdtemp(directory));
    made = true;
    for (const unsigned char *end = data + size; data < end && files < FILES; files++) {
        const unsigned char *cut = memchr(data, 0xfe, (size_t)(end - data));
        size_t length = (size_t)((cut ? cut : end) - data);
        snprintf(path, sizeof path, "%s/%zu", directory, files);
        FILE *f = fopen(path, "wb");
        MUST(f && fwrite(data, 1, length, f) == length && fclose(f) == 0);
        data += length + (cut != NULL);
    }
    if (bough_input_read(directory, &input, &error)) {
        MUST(*error.place && *error.reason && !input.piece);
    } else {
        MUST(input.count >= files || files == 0);
        for (size_t i = 0; i < input.count; i++) MUST(input.piece[i].data[input.piece[i].size] == 0);
        bough_input_fini(&input);
    }
    while (files--) {
        snprintf(path, sizeof path, "%s/%zu", directory, files);
        unlink(path);
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    read_one(data, size);
    if (memchr(data, 0xfe, size)) read_directory(data, size);
    return 0;
}
