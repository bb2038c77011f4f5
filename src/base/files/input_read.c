/* A file is uncompressed while it is read, if it is gzip; then, in memory, if it is compressed otherwise. An
 * archive is taken apart in memory, and its members are uncompressed like the files of a directory. */
#include "base/files/gunzip.h"
#include "base/files/input.h"
#include "base/files/input_volume.h"
#include "base/files/packed_data.h"
#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/status/system_error.h"
#include "base/status/try.h"
#include "base/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct reading {
    bough_input *input;
    size_t capacity;    /* of input->piece */
    const char *member; /* the only one to read from an archive; NULL: all */
    input_volume all;
    bough_error *error;
} reading;

/* ---- bytes ---- */

typedef struct byte_source {
    void *reader;
    bough_status (*read)(void *reader, void *data, size_t size, size_t *got, bough_error *error);
    uint64_t (*taken)(const void *reader); /* bytes that it took from a file so far; NULL: they are counted */
} byte_source;

static bough_status read_bytes(const byte_source *from, input_volume *all, bough_input_piece *piece,
                               bough_error *error) {
    size_t capacity = 0, got;
    input_volume before = *all;
    for (;;) {
        bough_status status = bough_grow(&piece->data, &capacity, piece->size + (1 << 16) + 1, 1, error);
        TRY(from->read(from->reader, piece->data + piece->size, 1 << 16, &got, error));
        if (status) return bough_at_line(status, piece->name, 0, error);
        if (got == 0) break;
        piece->size += got;
        uint64_t taken = from->taken ? from->taken(from->reader) : 0;
        *all = (input_volume){before.packed + taken, before.plain + piece->size};
        status = input_volume_check(all, piece->name, error);
        if (status) return status;
    }
    piece->data[piece->size] = 0;
    return BOUGH_OK;
}

static bough_status read_gunzipped(void *reader, void *data, size_t size, size_t *got, bough_error *error) {
    return unpack_read(reader, data, size, got, error);
}

static uint64_t bytes_taken(const void *reader) {
    return unpack_taken(reader);
}

static bough_status read_packed(void *reader, void *data, size_t size, size_t *got, bough_error *error) {
    return packed_read(reader, data, size, got, error);
}

static bough_status read_file(int file, input_volume *all, bough_input_piece *piece, bough_error *error) {
    unpacker *u;
    bough_status status = unpack_open(file, piece->name, &u, error);
    if (status) return status;
    status = read_bytes(&(byte_source){u, read_gunzipped, bytes_taken}, all, piece, error);
    unpack_close(u);
    return status;
}

static bough_status gunzip(const bough_input_piece *packed, input_volume *all, bough_input_piece *plain,
                           bough_error *error) {
    unpacker *u;
    bough_status status = unpack_open_memory(packed->data, packed->size, packed->name, &u, error);
    if (status) return status;
    status = read_bytes(&(byte_source){u, read_gunzipped, NULL}, all, plain, error);
    unpack_close(u);
    return status;
}

static bough_status expand(const bough_input_piece *packed, input_volume *all, bough_input_piece *plain,
                           bough_error *error) {
    packed_reader *reader;
    const char *member;
    bough_status status = packed_open(packed->data, packed->size, packed->name, &reader, error);
    if (status) return status;
    status = packed_next(reader, &member, error);
    if (!status && !member) status = bough_alloc(&plain->data, 1, 1, error); /* of nothing */
    if (!status && member) {
        status = read_bytes(&(byte_source){reader, read_packed, NULL}, all, plain, error);
        TRY(packed_next(reader, &member, error)); /* checks the end */
    }
    packed_close(reader);
    return status;
}

/* Uncompresses a piece in place. */
static bough_status uncompress(input_volume *all, bough_input_piece *piece, bough_error *error) {
    bough_input_piece plain = {.name = piece->name};
    bool gzip = is_gzip(piece->data, piece->size);
    if (!gzip && packed_recognise(piece->data, piece->size) != PACKED_STREAM) return BOUGH_OK;
    all->plain -= piece->size;
    bough_status status = (gzip ? gunzip : expand)(piece, all, &plain, error);
    free(piece->data);
    *piece = plain;
    return status;
}

/* ---- pieces ---- */

static void piece_fini(bough_input_piece *piece) {
    FREE_ALL(piece->name, piece->data);
}

/* Owns the piece from now on. */
static bough_status add_piece(reading *r, bough_input_piece *piece) {
    bough_status status =
        bough_grow(&r->input->piece, &r->capacity, r->input->count + 1, sizeof *piece, r->error);
    if (status)
        piece_fini(piece);
    else
        r->input->piece[r->input->count++] = *piece;
    return status;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const bough_input_piece *)a)->name, ((const bough_input_piece *)b)->name);
}

static char *join(const char *path, const char *name) {
    bough_text full = {0};
    bough_text_printf(&full, "%s/%s", path, name);
    return bough_text_take(&full);
}

/* ---- archives ---- */

/* As in a directory, files whose names begin with a dot are not meant. */
static bool is_hidden(const char *member) {
    const char *slash = strrchr(member, '/');
    return (slash ? slash[1] : *member) == '.';
}

static bough_status add_member(reading *r, packed_reader *reader, const char *archive, const char *member) {
    bough_input_piece piece = {.name = join(archive, member)};
    if (!piece.name) return bough_fail_memory(r->error, strlen(archive));
    bough_status status = read_bytes(&(byte_source){reader, read_packed, NULL}, &r->all, &piece, r->error);
    TRY(uncompress(&r->all, &piece, r->error));
    if (status) {
        piece_fini(&piece);
        return status;
    }
    return add_piece(r, &piece);
}

static bough_status missing_member(const reading *r, const char *archive, const char *names) {
    if (!*names) return bough_fail(r->error, BOUGH_INVALID, archive, "the archive contains no files");
    return bough_fail(r->error, BOUGH_INVALID, archive, "contains no file '%.100s'; there are %.400s%s",
                      r->member, names, strlen(names) > 400 ? "..." : "");
}

/* seen: the names of all members. */
static bough_status read_members(reading *r, packed_reader *reader, const char *archive, bough_text *seen) {
    const char *member;
    bough_status status;
    while (!(status = packed_next(reader, &member, r->error)) && member) {
        while (member[0] == '.' && member[1] == '/') member += 2;
        if (is_hidden(member)) continue;
        bough_text_printf(seen, "%s%s", seen->length ? ", " : "", member);
        if (!r->member || strcmp(member, r->member) == 0) status = add_member(r, reader, archive, member);
        if (status) break;
    }
    return status;
}

static bough_status read_archive(reading *r, const bough_input_piece *piece) {
    size_t first = r->input->count;
    packed_reader *reader;
    bough_text seen = {0};
    bough_status status = packed_open(piece->data, piece->size, piece->name, &reader, r->error);
    if (status) return status;
    r->all.plain -= piece->size;
    bough_text_put(&seen, "");
    status = read_members(r, reader, piece->name, &seen);
    packed_close(reader);
    if (!status && seen.failed) status = bough_fail_memory(r->error, 0);
    if (!status && r->input->count == first) status = missing_member(r, piece->name, seen.data);
    bough_text_fini(&seen);
    if (!status) qsort(r->input->piece + first, r->input->count - first, sizeof *piece, by_name);
    return status;
}

/* ---- files and directories ---- */

static bough_status read_path(reading *r, const char *path) {
    bool standard = strcmp(path, "-") == 0;
    bough_input_piece piece = {.name = bough_strdup(standard ? "standard input" : path)};
    if (!piece.name) return bough_fail_memory(r->error, strlen(path));
    int file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    bough_status status = BOUGH_OK;
    if (file < 0) {
        status = bough_fail_system(r->error, path, "cannot be opened", errno);
    } else {
        status = read_file(file, &r->all, &piece, r->error);
        TRY(uncompress(&r->all, &piece, r->error));
        close(file);
    }
    bool archive = !status && packed_recognise(piece.data, piece.size) == PACKED_ARCHIVE;
    if (!status && !archive && r->member)
        status = bough_fail_system(r->error, r->input->name, "cannot be opened", ENOTDIR);
    if (!status && !archive) return add_piece(r, &piece);
    if (archive) status = read_archive(r, &piece);
    piece_fini(&piece);
    return status;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bough_status read_directory(reading *r, const char *path) {
    bough_status status = BOUGH_OK;
    char **names = NULL;
    size_t count = 0, capacity = 0;
    DIR *dir = opendir(path);
    if (!dir) return bough_fail_system(r->error, path, "cannot be opened", errno);
    for (struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.') continue;
        char *name = join(path, e->d_name);
        struct stat info;
        if (!name || (status = bough_grow(&names, &capacity, count + 1, sizeof *names, r->error))) {
            free(name);
            TRY(bough_fail_memory(r->error, strlen(path)));
            goto done;
        }
        if (stat(name, &info) == 0 && S_ISREG(info.st_mode))
            names[count++] = name;
        else
            free(name);
    }
    if (count == 0) {
        status = bough_fail(r->error, BOUGH_INVALID, path, "the directory contains no files");
        goto done;
    }
    qsort(names, count, sizeof *names, by_text);
    for (size_t i = 0; i < count && !status; i++) status = read_path(r, names[i]);
done:
    closedir(dir);
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
    return status;
}

/* ARCHIVE/MEMBER: the file that is the beginning of the path. The caller owns it; NULL: there is none. */
static char *find_archive(const char *path) {
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        struct stat info;
        char *start = strndup(path, (size_t)(slash - path));
        if (start && stat(start, &info) == 0 && S_ISREG(info.st_mode)) return start;
        free(start);
    }
    return NULL;
}

static bough_status read_any(reading *r, const char *path) {
    struct stat info;
    if (strcmp(path, "-") == 0) return read_path(r, path);
    if (stat(path, &info) == 0) return S_ISDIR(info.st_mode) ? read_directory(r, path) : read_path(r, path);
    int reason = errno;
    char *archive = reason == ENOTDIR ? find_archive(path) : NULL;
    if (!archive) return bough_fail_system(r->error, path, "cannot be opened", reason);
    r->member = path + strlen(archive) + 1;
    bough_status status = read_path(r, archive);
    free(archive);
    return status;
}

bough_status bough_input_read(const char *path, bough_input *input, bough_error *error) {
    *input = (bough_input){.name = path, .hash = BOUGH_FNV1A_START};
    reading r = {.input = input, .error = error};
    if (!*path) return bough_fail(error, BOUGH_INVALID, NULL, "empty file name");
    bough_status status = read_any(&r, path);
    if (status) {
        bough_input_fini(input);
        return status;
    }
    for (size_t i = 0; i < input->count; i++)
        input->hash = bough_fnv1a_file(input->hash, input->piece[i].data, input->piece[i].size);
    return BOUGH_OK;
}
