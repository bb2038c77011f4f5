#include "study/ranks/rank_message.h"

#include "base/status/try.h"

#include <string.h>

/* ---- plain messages ---- */

bough_status message_send(const rank_team *team, int to, rank_kind kind, rank_said said, bough_error *error) {
    const char byte = (char)kind;
    bough_text text = {0};
    bough_text_add(&text, &byte, 1);
    bough_text_add(&text, said.bytes, said.size);
    bough_status status = text.failed ? bough_fail_memory(error, said.size) : BOUGH_OK;
    unsigned first = to < 0 ? 0 : (unsigned)to, last = to < 0 ? team->ranks - 1 : first;
    for (unsigned r = first; r <= last && !status; r++)
        if (r != team->rank) status = team->send(team->context, r, text.data, text.length, error);
    bough_text_fini(&text);
    return status;
}

bool message_read(const rank_message *m, void *said, size_t size) {
    if (m->size != size + 1) return false;
    memcpy(said, m->bytes + 1, size);
    return true;
}

/* ---- results: a head, the layouts, the directory and the data of the chunk ---- */

typedef struct result_head {
    block_result result;
    uint64_t layouts, directory; /* bytes */
} result_head;

void result_begin(result_writer *w, uint64_t point, uint64_t answer, uint64_t first) {
    w->chunk.point = point;
    w->chunk.answer = answer;
    w->chunk.first = first;
    w->chunk.count = 0;
    w->chunk.data.length = w->chunk.directory.length = 0;
}

bough_status result_add(result_writer *w, const bough_rows *rows, bough_error *error) {
    uint32_t number;
    bool is_new;
    bough_status status = layout_find(&w->book, rows, &number, &is_new, error);
    if (status) return status;
    if (is_new) {
        layout_write(&w->book, number, &w->layouts);
        bough_text_add(&w->layouts, "", 1);
    }
    chunk_add(&w->chunk, &w->book, number, rows);
    return BOUGH_OK;
}

bough_text result_write(result_writer *w, const block_result *result) {
    const chunk_writer *c = &w->chunk;
    result_head head = {*result, w->layouts.length, c->directory.length};
    const char kind = (char)RANK_RESULT;
    bough_text said = {0};
    bough_text_add(&said, &kind, 1);
    head.result.block = (trial_block){c->point, c->answer, c->first, c->count};
    bough_text_add(&said, (const char *)&head, sizeof head);
    bough_text_add(&said, w->layouts.data, w->layouts.length);
    bough_text_add(&said, c->directory.data, c->directory.length);
    bough_text_add(&said, c->data.data, c->data.length);
    said.failed = said.failed || w->layouts.failed || c->directory.failed || c->data.failed;
    w->layouts.length = 0;
    result_begin(w, c->point, c->answer, c->first + c->count);
    return said;
}

void result_writer_fini(result_writer *w) {
    chunk_writer_fini(&w->chunk);
    layout_book_fini(&w->book);
    bough_text_fini(&w->layouts);
}

/* The texts of new layouts, which follow those that the book has. */
static bool read_layouts(const char *text, size_t size, layout_book *book) {
    bough_error ignored;
    while (size) {
        size_t length = strnlen(text, size);
        if (length == size || layout_read(book, (uint32_t)book->count, text, &ignored)) return false;
        text += length + 1;
        size -= length + 1;
    }
    return true;
}

bool result_read(const rank_message *m, layout_book *book, block_result *result, trial_records *records) {
    result_head head;
    if (m->size < 1 + sizeof head) return false;
    memcpy(&head, m->bytes + 1, sizeof head);
    const unsigned char *at = m->bytes + 1 + sizeof head;
    size_t left = m->size - 1 - sizeof head;
    if (head.layouts > left || head.directory > left - head.layouts ||
        !read_layouts((const char *)at, head.layouts, book))
        return false;
    *result = head.result;
    *records = (trial_records){.chunk = {.point = head.result.block.point,
                                         .answer = head.result.block.answer,
                                         .first = head.result.block.first,
                                         .directory = at + head.layouts,
                                         .data = at + head.layouts + head.directory,
                                         .directory_size = head.directory,
                                         .data_size = left - head.layouts - head.directory},
                               .book = book,
                               .bytes = m->bytes};
    return chunk_count(&records->chunk) == result->block.count;
}
