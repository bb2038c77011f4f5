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
    size_t capacity, left_out_capacity; /* of input->piece and input->left_out */
    const char *member;                 /* the only file or directory to read from an archive; NULL: all */
    const bough_input_choice *choice;   /* NULL: all files are read */
    input_volume all;
    bough_error *error;
} reading;

/* ---- bytes ---- */

typedef struct byte_source {
    void *reader;
    bough_status (*read)(void *reader, void *data, size_t size, size_t *got, bough_error *error);
    uint64_t (*taken)(const void *reader); /* bytes that it took from a file so far; NULL: they are counted */
} byte_source;

/* Compressed data is judged when it has been uncompressed. */
static bool is_wanted(const bough_input_choice *choice, const bough_input_piece *piece) {
    size_t head = piece->size < BOUGH_INPUT_HEAD ? piece->size : BOUGH_INPUT_HEAD;
    return !choice || is_gzip(piece->data, piece->size) ||
           packed_recognise(piece->data, piece->size) == PACKED_STREAM || choice->wanted(piece->data, head);
}

/* choice: NULL, or what may end the reading after the first bytes. */
static bough_status read_bytes(const byte_source *from, input_volume *all, const bough_input_choice *choice,
                               bough_input_piece *piece, bough_error *error) {
    size_t capacity = 0, got;
    input_volume before = *all;
    for (;;) {
        bough_status status =
            bough_grow(&piece->data, &capacity, piece->size + BOUGH_INPUT_HEAD + 1, 1, error);
        TRY(from->read(from->reader, piece->data + piece->size, BOUGH_INPUT_HEAD, &got, error));
        if (status) return bough_at_line(status, piece->name, 0, error);
        if (got == 0 || (choice && piece->size >= BOUGH_INPUT_HEAD && !is_wanted(choice, piece))) break;
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

static bough_status read_file(int file, input_volume *all, const bough_input_choice *choice,
                              bough_input_piece *piece, bough_error *error) {
    unpacker *u;
    bough_status status = unpack_open(file, piece->name, &u, error);
    if (status) return status;
    status = read_bytes(&(byte_source){u, read_gunzipped, bytes_taken}, all, choice, piece, error);
    unpack_close(u);
    return status;
}

/* A piece, what it expands to, and whether that is wanted. */
typedef struct expansion {
    const bough_input_piece *packed;
    bough_input_piece *plain;
    const bough_input_choice *choice;
} expansion;

static bough_status gunzip(const expansion *e, input_volume *all, bough_error *error) {
    unpacker *u;
    bough_status status = unpack_open_memory(e->packed->data, e->packed->size, e->packed->name, &u, error);
    if (status) return status;
    status = read_bytes(&(byte_source){u, read_gunzipped, NULL}, all, e->choice, e->plain, error);
    unpack_close(u);
    return status;
}

static bough_status expand(const expansion *e, input_volume *all, bough_error *error) {
    packed_reader *reader;
    packed_member member;
    bough_status status = packed_open(e->packed->data, e->packed->size, e->packed->name, &reader, error);
    if (status) return status;
    status = packed_next(reader, &member, error);
    if (!status && !member.name) status = bough_alloc(&e->plain->data, 1, 1, error); /* of nothing */
    if (!status && member.name) {
        status = read_bytes(&(byte_source){reader, read_packed, NULL}, all, e->choice, e->plain, error);
        if (is_wanted(e->choice, e->plain)) TRY(packed_next(reader, &member, error)); /* checks the end */
    }
    packed_close(reader);
    return status;
}

/* Uncompresses a piece in place. */
static bough_status uncompress(input_volume *all, const bough_input_choice *choice, bough_input_piece *piece,
                               bough_error *error) {
    bough_input_piece plain = {.name = piece->name};
    bool gzip = is_gzip(piece->data, piece->size);
    if (!gzip && packed_recognise(piece->data, piece->size) != PACKED_STREAM) return BOUGH_OK;
    all->plain -= piece->size;
    bough_status status = (gzip ? gunzip : expand)(&(expansion){piece, &plain, choice}, all, error);
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

/* Keeps the name only. Owns it from now on. */
static bough_status leave_out(reading *r, char *name) {
    bough_input *input = r->input;
    bough_status status = name ? bough_grow(&input->left_out, &r->left_out_capacity,
                                            input->left_out_count + 1, sizeof *input->left_out, r->error)
                               : bough_fail_memory(r->error, 0);
    if (status)
        free(name);
    else
        input->left_out[input->left_out_count++] = name;
    return status;
}

/* Keeps a piece that is wanted, else its name; before: the volume without it. Owns the piece. */
static bough_status judge_piece(reading *r, bough_input_piece *piece, const input_volume *before) {
    if (!r->choice ||
        r->choice->wanted(piece->data, piece->size < BOUGH_INPUT_HEAD ? piece->size : BOUGH_INPUT_HEAD))
        return add_piece(r, piece);
    r->all = *before;
    free(piece->data);
    return leave_out(r, piece->name);
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

static bough_status add_member(reading *r, packed_reader *reader, const char *archive,
                               const packed_member *member) {
    input_volume before = r->all;
    bough_input_piece piece = {.name = join(archive, member->name)};
    if (!piece.name) return bough_fail_memory(r->error, strlen(archive));
    if (!member->regular && r->choice) return leave_out(r, piece.name);
    bough_status status = BOUGH_OK;
    if (!member->regular)
        status = bough_fail(r->error, BOUGH_INVALID, archive,
                            "'%.300s' is a link or a device, which cannot be read from an archive; unpack it",
                            member->name);
    TRY(read_bytes(&(byte_source){reader, read_packed, NULL}, &r->all, r->choice, &piece, r->error));
    TRY(uncompress(&r->all, r->choice, &piece, r->error));
    if (status) {
        piece_fini(&piece);
        return status;
    }
    return judge_piece(r, &piece, &before);
}

/* Whether a member is the one to read, or in the directory to read. */
static bool is_asked(const reading *r, const char *member) {
    if (!r->member) return true;
    size_t length = strlen(r->member);
    while (length && r->member[length - 1] == '/') length--;
    return strncmp(member, r->member, length) == 0 && (!member[length] || member[length] == '/');
}

static bough_status missing_member(const reading *r, const char *archive, const char *names) {
    if (!*names) return bough_fail(r->error, BOUGH_INVALID, archive, "the archive contains no files");
    return bough_fail(r->error, BOUGH_INVALID, archive, "contains no file '%.100s'; there are %.400s%s",
                      r->member, names, strlen(names) > 400 ? "..." : "");
}

/* seen: the names of all members. */
static bough_status read_members(reading *r, packed_reader *reader, const char *archive, bough_text *seen) {
    packed_member member;
    bough_status status;
    while (!(status = packed_next(reader, &member, r->error)) && member.name) {
        while (member.name[0] == '.' && member.name[1] == '/') member.name += 2;
        if (is_hidden(member.name)) continue;
        bough_text_printf(seen, "%s%s", seen->length ? ", " : "", member.name);
        if (is_asked(r, member.name)) status = add_member(r, reader, archive, &member);
        if (status) break;
    }
    return status;
}

static bough_status read_archive(reading *r, const bough_input_piece *piece) {
    size_t first = r->input->count, left_out = r->input->left_out_count;
    packed_reader *reader;
    bough_text seen = {0};
    bough_status status = packed_open(piece->data, piece->size, piece->name, &reader, r->error);
    if (status) return status;
    r->all.plain -= piece->size;
    bough_text_put(&seen, "");
    status = read_members(r, reader, piece->name, &seen);
    packed_close(reader);
    if (!status && seen.failed) status = bough_fail_memory(r->error, 0);
    if (!status && r->input->count == first && r->input->left_out_count == left_out)
        status = missing_member(r, piece->name, seen.data);
    bough_text_fini(&seen);
    if (!status && r->input->count > first)
        qsort(r->input->piece + first, r->input->count - first, sizeof *piece, by_name);
    return status;
}

/* ---- files and directories ---- */

static bool is_archive(const char *data, size_t size) {
    return packed_recognise(data, size) == PACKED_ARCHIVE;
}

/* A device that has no end, as /dev/zero; terminals and /dev/null have one. */
static bool is_endless(int file) {
    struct stat info;
    char byte;
    return fstat(file, &info) == 0 && S_ISCHR(info.st_mode) && !isatty(file) && read(file, &byte, 1) > 0;
}

/* Reads a file, and uncompresses it; choice: NULL, or what is wanted of it. */
static bough_status read_one(reading *r, const char *path, const bough_input_choice *choice,
                             bough_input_piece *piece) {
    bool standard = strcmp(path, "-") == 0;
    *piece = (bough_input_piece){.name = bough_strdup(standard ? "standard input" : path)};
    if (!piece->name) return bough_fail_memory(r->error, strlen(path));
    int file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return bough_fail_system(r->error, path, "cannot be opened", errno);
    bough_status status = is_endless(file)
                              ? bough_fail(r->error, BOUGH_INVALID, path, "is a device; expected a file")
                              : read_file(file, &r->all, choice, piece, r->error);
    TRY(uncompress(&r->all, choice, piece, r->error));
    close(file);
    return status;
}

/* A path of the user: a file, or an archive. */
static bough_status read_path(reading *r, const char *path) {
    static const bough_input_choice archives = {.wanted = is_archive};
    bool several = r->choice && r->choice->several;
    bough_input_piece piece;
    bough_status status = read_one(r, path, several ? &archives : NULL, &piece);
    bool archive = !status && is_archive(piece.data, piece.size);
    if (!status && !archive && r->member)
        status = bough_fail_system(r->error, r->input->name, "cannot be opened", ENOTDIR);
    if (!status && !archive && !several) return add_piece(r, &piece);
    if (archive) status = read_archive(r, &piece);
    piece_fini(&piece);
    return status;
}

/* A file of a directory. */
static bough_status read_listed(reading *r, const char *path) {
    input_volume before = r->all;
    bough_input_piece piece;
    if (!r->choice) return read_path(r, path);
    bough_status status = read_one(r, path, r->choice, &piece);
    if (!status) return judge_piece(r, &piece, &before);
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
    for (size_t i = 0; i < count && !status; i++) status = read_listed(r, names[i]);
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

bough_status bough_input_read_some(const char *path, const bough_input_choice *choice, bough_input *input,
                                   bough_error *error) {
    *input = (bough_input){.name = path, .hash = BOUGH_FNV1A_START};
    reading r = {.input = input, .choice = choice, .error = error};
    if (!*path) return bough_fail(error, BOUGH_INVALID, NULL, "empty file name");
    bough_status status = read_any(&r, path);
    if (status) {
        bough_input_fini(input);
        return status;
    }
    if (input->left_out_count)
        qsort(input->left_out, input->left_out_count, sizeof *input->left_out, by_text);
    for (size_t i = 0; i < input->count; i++)
        input->hash = bough_fnv1a_file(input->hash, input->piece[i].data, input->piece[i].size);
    return BOUGH_OK;
}

bough_status bough_input_read(const char *path, bough_input *input, bough_error *error) {
    return bough_input_read_some(path, NULL, input, error);
}
