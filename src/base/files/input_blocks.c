/* Plain files are read by sections (input_sections.h). What is unpacked comes in order, to three blocks:
 * lines of one are taken, while those of the next are prepared and a third is filled. All that can be done
 * independently of the rest (taking, the hash of a block, each of its parts, unpacking) is a step of one
 * loop, whose steps any thread claims. */
#include "base/files/input_blocks.h"

#include "base/files/gunzip.h"
#include "base/files/input.h"
#include "base/files/input_sections.h"
#include "base/files/input_volume.h"
#include "base/files/packed_data.h"
#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/status/system_error.h"
#include "base/status/try.h"
#include "base/thread_team.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCKS = 3, BLOCK = 1 << 21, PARTS = INPUT_PARTS / 2 };

typedef struct block {
    char *data;
    size_t size, room;
    size_t begun;           /* bytes at its start that came with the block before */
    size_t lines;           /* bytes of whole lines, which are taken; the rest begins the next block */
    input_part part[PARTS]; /* of these lines; some may be empty */
} block;

struct input_blocks {
    const char *path;
    int file;
    unpacker *unpacker;
    bool packed, ended; /* packed: read by the unpacker */
    block block[BLOCKS];
    unsigned turn; /* block turn % BLOCKS is prepared, the one before is taken, the one after is filled */
    uint64_t plain;
    file_hash hash;
    uint64_t bytes; /* that sections took */
};

static block *block_at(input_blocks *b, unsigned turn) {
    return &b->block[turn % BLOCKS];
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

/* The beginning of a plain file. */
static bough_status read_more(input_blocks *b, block *to, bough_error *error) {
    int failure = 0;
    const size_t got = input_read_at(b->file, to->data + to->size, BLOCK, to->size, &failure);
    to->size += got;
    b->ended = got < BLOCK;
    return failure ? bough_fail_system(error, b->path, "cannot be read", failure) : BOUGH_OK;
}

/* Reads on until the block has the end of a line behind `seen`, or to the end of the file. */
static bough_status read_lines(input_blocks *b, block *to, size_t seen, bough_error *error) {
    while (!b->ended && !memchr(to->data + seen, '\n', to->size - seen)) {
        seen = to->size;
        bough_status status = make_room(b, to, error);
        TRY(b->packed ? unpack_more(b, to, error) : read_more(b, to, error));
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
    b->turn = 1;
    status = unpack_open(file, path, &b->unpacker, error);
    b->packed = !status && unpack_is_packed(b->unpacker);
    block *first = block_at(b, b->turn);
    TRY(bough_grow(&first->data, &first->room, BLOCK, 1, error));
    TRY(read_lines(b, first, 0, error));
    if (!status && packed_recognise(first->data, first->size) == PACKED_NOT &&
        !is_gzip(first->data, first->size))
        *blocks = b;
    else
        input_blocks_close(b);
    return status;
}

const char *input_blocks_start(input_blocks *b, size_t *size) {
    const block *first = block_at(b, b->turn);
    *size = first->lines;
    return first->data;
}

void input_blocks_close(input_blocks *b) {
    if (!b) return;
    if (b->unpacker) unpack_close(b->unpacker);
    close(b->file);
    for (unsigned i = 0; i < BLOCKS; i++) free(b->block[i].data);
    free(b);
}

typedef struct walk {
    input_blocks *blocks;
    const input_taker *taker;
    bough_status taken, filled;
    bough_error error; /* of filling */
    bool fills;        /* the next block is filled */
} walk;

/* Where part i of a block begins: at the first line that begins in its share of the bytes, or later. */
static size_t part_start(const block *now, unsigned i) {
    size_t at = (size_t)team_part(now->lines, PARTS, i);
    if (at == 0 || at == now->lines) return at;
    const char *end = memchr(now->data + at - 1, '\n', now->lines - at + 1);
    return end ? (size_t)(end + 1 - now->data) : now->lines;
}

static void prepare_part(walk *w, unsigned worker, unsigned i) {
    const unsigned turn = w->blocks->turn;
    block *now = block_at(w->blocks, turn);
    if (!now->lines) return;
    size_t start = part_start(now, i);
    now->part[i] = (input_part){now->data + start, part_start(now, i + 1) - start, turn % 2 * PARTS + i};
    if (now->part[i].size) w->taker->prepare(w->taker->context, worker, &now->part[i]);
}

static void take_parts(walk *w) {
    const block *before = block_at(w->blocks, w->blocks->turn - 1);
    for (unsigned i = 0; i < PARTS && before->lines && !w->taken; i++)
        if (before->part[i].size) w->taken = w->taker->take(w->taker->context, &before->part[i]);
}

static void fill_next(walk *w) {
    input_blocks *b = w->blocks;
    if (w->fills) w->filled = unpack_more(b, block_at(b, b->turn + 1), &w->error);
}

static void hash_block(input_blocks *b) {
    const block *now = block_at(b, b->turn);
    if (now->size > now->begun) file_hash_add(&b->hash, now->data + now->begun, now->size - now->begun);
}

/* The longest steps first. */
static void step(void *context, unsigned worker, uint64_t i) {
    walk *w = context;
    if (i == 0)
        take_parts(w);
    else if (i == 1)
        hash_block(w->blocks);
    else if (i == 2)
        fill_next(w);
    else
        prepare_part(w, worker, (unsigned)(i - 3));
}

/* The next block begins with the rest of this one. */
static void begin_next(walk *w) {
    input_blocks *b = w->blocks;
    const block *from = block_at(b, b->turn);
    block *to = block_at(b, b->turn + 1);
    to->lines = to->size = to->begun = 0;
    w->fills = false;
    if (w->filled) return;
    to->size = from->size - from->lines;
    w->filled = make_room(b, to, &w->error);
    if (w->filled) return;
    to->begun = to->size;
    memcpy(to->data, from->data + from->lines, to->size);
    w->fills = !b->ended;
}

/* Completes the next block. After an error it has no lines, and those before it are still taken. */
static void end_next(walk *w) {
    input_blocks *b = w->blocks;
    block *to = block_at(b, b->turn + 1);
    if (!w->filled) w->filled = read_lines(b, to, to->begun, &w->error);
    if (w->filled) to->lines = 0;
}

static void lead(void *context, thread_team *team) {
    walk *w = context;
    input_blocks *b = w->blocks;
    while (!w->taken && (block_at(b, b->turn)->lines || block_at(b, b->turn - 1)->lines)) {
        begin_next(w);
        team_each(team, 3 + PARTS, step, w);
        end_next(w);
        b->turn++;
    }
    if (!w->taken && !w->filled) w->taken = w->taker->take(w->taker->context, &(input_part){0});
}

static bough_status each_section(input_blocks *b, unsigned threads, const input_taker *taker,
                                 bough_error *error) {
    input_sections in = {.file = b->file, .path = b->path, .hash = &b->hash};
    bough_status status = input_sections_each(&in, threads, taker, error);
    b->bytes = in.bytes;
    return status;
}

bough_status input_blocks_each(input_blocks *b, unsigned threads, const input_taker *taker,
                               bough_error *error) {
    walk w = {.blocks = b, .taker = taker};
    if (!b->packed) return each_section(b, threads, taker, error);
    team_run(threads < INPUT_WORKERS ? threads : INPUT_WORKERS, lead, &w);
    if (w.filled && !w.taken && error) *error = w.error;
    return w.taken ? w.taken : w.filled;
}

uint64_t input_blocks_size(const input_blocks *b) {
    struct stat info;
    return fstat(b->file, &info) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : 0;
}

uint64_t input_blocks_hash(input_blocks *b) {
    return file_hash_end(&b->hash);
}

uint64_t input_blocks_bytes(const input_blocks *b) {
    uint64_t bytes = b->bytes;
    for (unsigned i = 0; i < BLOCKS; i++) bytes += b->block[i].room;
    return bytes;
}
