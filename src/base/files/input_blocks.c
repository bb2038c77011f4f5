#include "base/files/input_blocks.h"

#include "base/files/gunzip.h"
#include "base/files/input.h"
#include "base/files/input_volume.h"
#include "base/files/packed_data.h"
#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 21 };

typedef struct block {
    char *data;
    size_t size, room;
    size_t lines; /* bytes of whole lines, which are taken; the rest begins the next block */
} block;

struct input_blocks {
    const char *path;
    int file;
    unpacker *unpacker;
    block block[2]; /* one is taken while the other is filled */
    unsigned now;   /* the one that is taken */
    uint64_t plain;
    file_hash hash;
};

/* Reads on until the block has a whole line, or to the end. */
static bough_status read_lines(input_blocks *b, block *to, bough_error *error) {
    size_t got = 1, seen = 0;
    while (got && !memchr(to->data + seen, '\n', to->size - seen)) {
        seen = to->size;
        bough_status status = bough_grow(&to->data, &to->room, to->size + BLOCK, 1, error);
        TRY(unpack_read(b->unpacker, to->data + to->size, BLOCK, &got, error));
        if (status) return bough_at_line(status, b->path, 0, error);
        file_hash_add(&b->hash, to->data + to->size, got);
        to->size += got;
        b->plain += got;
        status = input_ratio_check(&(input_volume){unpack_taken(b->unpacker), b->plain}, b->path, error);
        if (status) return status;
    }
    to->lines = to->size;
    while (to->lines && to->data[to->lines - 1] != '\n') to->lines--;
    if (!to->lines) to->lines = to->size; /* the last line, without its end */
    return BOUGH_OK;
}

/* Fills the other block, which begins with the rest of this one. */
static bough_status fill_other(input_blocks *b, bough_error *error) {
    const block *from = &b->block[b->now];
    block *to = &b->block[!b->now];
    to->size = from->size - from->lines;
    bough_status status = bough_grow(&to->data, &to->room, to->size + BLOCK, 1, error);
    if (status) return status;
    memcpy(to->data, from->data + from->lines, to->size);
    return read_lines(b, to, error);
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
    block *first = &b->block[0];
    TRY(bough_grow(&first->data, &first->room, BLOCK, 1, error));
    TRY(read_lines(b, first, error));
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
    input_block_taker *take;
    void *context;
    bough_status taken, filled;
    bough_error error; /* of filling */
} walk;

/* Step 0 takes a block, step 1 fills the other one. */
static void step(void *context, unsigned worker, uint64_t i) {
    walk *w = context;
    const block *now = &w->blocks->block[w->blocks->now];
    (void)worker;
    if (i == 0)
        w->taken = w->take(w->context, now->data, now->lines);
    else
        w->filled = fill_other(w->blocks, &w->error);
}

static void lead(void *context, thread_team *team) {
    walk *w = context;
    size_t lines;
    do {
        lines = w->blocks->block[w->blocks->now].lines;
        team_each(team, lines ? 2 : 1, step, w);
        w->blocks->now = !w->blocks->now;
    } while (lines && !w->taken && !w->filled);
}

bough_status input_blocks_each(input_blocks *b, unsigned threads, input_block_taker *take, void *context,
                               bough_error *error) {
    walk w = {.blocks = b, .take = take, .context = context};
    team_run(threads < 2 ? threads : 2, lead, &w);
    if (w.filled && !w.taken && error) *error = w.error;
    return w.taken ? w.taken : w.filled;
}

uint64_t input_blocks_hash(input_blocks *b) {
    return file_hash_end(&b->hash);
}

uint64_t input_blocks_bytes(const input_blocks *b) {
    return b->block[0].room + b->block[1].room;
}
