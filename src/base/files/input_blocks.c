/* Two blocks: lines of one are prepared and taken while the other is filled. All that can be done to a block
 * independently of the rest (its hash, each part, each section of the file that fills the other one) is a
 * step of one loop, whose steps any thread claims. Between two loops the leader takes the parts, which is
 * short. */
#include "base/files/input_blocks.h"

#include "base/files/gunzip.h"
#include "base/files/input.h"
#include "base/files/input_volume.h"
#include "base/files/packed_data.h"
#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/status/system_error.h"
#include "base/status/try.h"
#include "base/thread_team.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 21, SECTION = BLOCK / INPUT_PARTS };

typedef struct block {
    char *data;
    size_t size, room;
    size_t begun; /* bytes at its start that came with the block before */
    size_t lines; /* bytes of whole lines, which are taken; the rest begins the next block */
} block;

struct input_blocks {
    const char *path;
    int file;
    unpacker *unpacker;
    bool packed, ended; /* packed: read by the unpacker, else by sections of the file */
    block block[2];
    unsigned now; /* the block that is taken */
    uint64_t plain;
    file_hash hash;
};

/* A section of the file, which fills SECTION bytes of a block. */
typedef struct section {
    size_t got;  /* less: the file ends */
    int failure; /* errno; 0: none */
} section;

static section read_section(const input_blocks *b, char *to, uint64_t offset) {
    section s = {0};
    while (s.got < SECTION) {
        ssize_t more = pread(b->file, to + s.got, SECTION - s.got, (off_t)(offset + s.got));
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) s.failure = errno;
        if (more <= 0) break;
        s.got += (size_t)more;
    }
    return s;
}

/* Adds what was read into a block at `to`. */
static bough_status add_sections(input_blocks *b, block *to, const section *read, bough_error *error) {
    for (unsigned i = 0; i < INPUT_PARTS && !b->ended; i++) {
        if (read[i].failure) return bough_fail_system(error, b->path, "cannot be read", read[i].failure);
        to->size += read[i].got;
        b->plain += read[i].got;
        b->ended = read[i].got < SECTION;
    }
    return BOUGH_OK;
}

static bough_status unpack_more(input_blocks *b, block *to, bough_error *error) {
    size_t got;
    bough_status status = unpack_read(b->unpacker, to->data + to->size, BLOCK, &got, error);
    if (status) return status;
    to->size += got;
    b->plain += got;
    b->ended = got == 0;
    return input_ratio_check(&(input_volume){unpack_taken(b->unpacker), b->plain}, b->path, error);
}

static bough_status make_room(const input_blocks *b, block *to, bough_error *error) {
    return bough_at_line(bough_grow(&to->data, &to->room, to->size + BLOCK, 1, error), b->path, 0, error);
}

/* Reads on until the block has the end of a line behind `seen`, or to the end of the file. */
static bough_status read_lines(input_blocks *b, block *to, size_t seen, bough_error *error) {
    section read[INPUT_PARTS];
    while (!b->ended && !memchr(to->data + seen, '\n', to->size - seen)) {
        seen = to->size;
        bough_status status = make_room(b, to, error);
        if (status) return status;
        if (b->packed) {
            status = unpack_more(b, to, error);
        } else {
            for (unsigned i = 0; i < INPUT_PARTS; i++)
                read[i] = read_section(b, to->data + seen + (size_t)i * SECTION, b->plain + i * SECTION);
            status = add_sections(b, to, read, error);
        }
        if (status) return status;
    }
    to->lines = to->size;
    while (to->lines && to->data[to->lines - 1] != '\n') to->lines--;
    if (b->ended) to->lines = to->size; /* the last line may lack its end */
    return BOUGH_OK;
}

bough_status input_blocks_open(const char *path, input_blocks **blocks, bough_error *error) {
    struct stat info;
    *blocks = NULL;
    if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return BOUGH_OK;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return BOUGH_OK;
    input_blocks *b;
    bough_status status = bough_alloc(&b, 1, sizeof *b, error);
    if (status) {
        close(file);
        return status;
    }
    b->path = path;
    b->file = file;
    b->hash = FILE_HASH_START(BOUGH_FNV1A_START);
    status = unpack_open(file, path, &b->unpacker, error);
    b->packed = !status && unpack_is_packed(b->unpacker);
    block *first = &b->block[0];
    TRY(bough_grow(&first->data, &first->room, BLOCK, 1, error));
    TRY(read_lines(b, first, 0, error));
    if (!status && packed_recognise(first->data, first->size) == PACKED_NOT &&
        !is_gzip(first->data, first->size))
        *blocks = b;
    else
        input_blocks_close(b);
    return status;
}

void input_blocks_close(input_blocks *b) {
    if (!b) return;
    if (b->unpacker) unpack_close(b->unpacker);
    close(b->file);
    FREE_ALL(b->block[0].data, b->block[1].data, b);
}

typedef struct walk {
    input_blocks *blocks;
    const input_taker *taker;
    bough_status taken, filled;
    bough_error error;            /* of filling */
    input_part part[INPUT_PARTS]; /* of the current block; some may be empty */
    unsigned reads;               /* steps that fill the other block */
    section read[INPUT_PARTS];
} walk;

/* Where part i of a block begins: at the first line that begins in its share of the bytes, or later. */
static size_t part_start(const block *now, unsigned i) {
    size_t at = (size_t)team_part(now->lines, INPUT_PARTS, i);
    if (at == 0 || at == now->lines) return at;
    const char *end = memchr(now->data + at - 1, '\n', now->lines - at + 1);
    return end ? (size_t)(end + 1 - now->data) : now->lines;
}

static void prepare_part(walk *w, unsigned worker, unsigned i) {
    const block *now = &w->blocks->block[w->blocks->now];
    size_t start = part_start(now, i);
    w->part[i] = (input_part){now->data + start, part_start(now, i + 1) - start, i};
    if (w->part[i].size) w->taker->prepare(w->taker->context, worker, &w->part[i]);
}

static void fill_some(walk *w, unsigned i) {
    input_blocks *b = w->blocks;
    block *to = &b->block[!b->now];
    if (b->packed)
        w->filled = unpack_more(b, to, &w->error);
    else
        w->read[i] = read_section(b, to->data + to->begun + (size_t)i * SECTION, b->plain + i * SECTION);
}

/* The longest steps first. */
static void step(void *context, unsigned worker, uint64_t i) {
    walk *w = context;
    const block *now = &w->blocks->block[w->blocks->now];
    if (i == 0)
        file_hash_add(&w->blocks->hash, now->data + now->begun, now->size - now->begun);
    else if (i <= w->reads)
        fill_some(w, (unsigned)i - 1);
    else
        prepare_part(w, worker, (unsigned)(i - 1 - w->reads));
}

/* The other block begins with the rest of this one. */
static bough_status begin_other(walk *w) {
    input_blocks *b = w->blocks;
    const block *from = &b->block[b->now];
    block *to = &b->block[!b->now];
    w->reads = 0;
    to->begun = to->size = from->size - from->lines;
    bough_status status = make_room(b, to, &w->error);
    if (status) return status;
    memcpy(to->data, from->data + from->lines, to->size);
    w->reads = b->ended ? 0 : b->packed ? 1 : INPUT_PARTS;
    return BOUGH_OK;
}

static bough_status take_parts(const walk *w) {
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < INPUT_PARTS && !status; i++)
        if (w->part[i].size) status = w->taker->take(w->taker->context, &w->part[i]);
    return status;
}

static void lead(void *context, thread_team *team) {
    walk *w = context;
    input_blocks *b = w->blocks;
    while (!w->taken && !w->filled && b->block[b->now].lines) {
        block *other = &b->block[!b->now];
        w->filled = begin_other(w);
        team_each(team, 1 + w->reads + INPUT_PARTS, step, w);
        w->taken = take_parts(w);
        if (!w->filled && w->reads == INPUT_PARTS) w->filled = add_sections(b, other, w->read, &w->error);
        if (!w->filled) w->filled = read_lines(b, other, other->begun, &w->error);
        b->now = !b->now;
    }
    if (!w->taken && !w->filled) w->taken = w->taker->take(w->taker->context, &(input_part){0});
}

bough_status input_blocks_each(input_blocks *b, unsigned threads, const input_taker *taker,
                               bough_error *error) {
    walk w = {.blocks = b, .taker = taker};
    team_run(threads < INPUT_WORKERS ? threads : INPUT_WORKERS, lead, &w);
    if (w.filled && !w.taken && error) *error = w.error;
    return w.taken ? w.taken : w.filled;
}

uint64_t input_blocks_hash(input_blocks *b) {
    return file_hash_end(&b->hash);
}

uint64_t input_blocks_bytes(const input_blocks *b) {
    return b->block[0].room + b->block[1].room;
}
