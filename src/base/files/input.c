#include "base/files/input.h"

#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/text/escape.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bough_status bough_input_from(const char *name, const void *data, size_t size, bough_input *input,
                              bough_error *error) {
    *input = (bough_input){.name = name, .hash = BOUGH_FNV1A_START};
    bough_status status = bough_alloc(&input->piece, 1, sizeof *input->piece, error);
    if (status) return status;
    input->count = 1;
    bough_input_piece *p = input->piece;
    p->name = bough_strdup(name);
    status = bough_alloc(&p->data, (uint64_t)size + 1, 1, error);
    if (!status && !p->name) status = bough_fail_memory(error, strlen(name));
    if (status) {
        bough_input_fini(input);
        return status;
    }
    if (size) memcpy(p->data, data, size);
    p->size = size;
    input->hash = bough_fnv1a_file(input->hash, p->data, size);
    return BOUGH_OK;
}

bough_status bough_input_single(const bough_input *input, const char *what, bough_error *error) {
    enum { NAMES = 8 };
    bough_text names = {0};
    if (input->count == 1) return BOUGH_OK;
    for (size_t i = 0; i < input->count && i < NAMES; i++)
        bough_text_printf(&names, "%s%s", i ? ", " : "", input->piece[i].name);
    if (input->count > NAMES) bough_text_put(&names, ", ...");
    char *list = bough_text_take(&names);
    if (!list) return bough_fail_memory(error, 0);
    bough_status status =
        bough_fail(error, BOUGH_INVALID, input->name, "contains %zu file%s; give one %s of them: %s",
                   input->count, bough_s(input->count), what, list);
    free(list);
    return status;
}

uint64_t bough_input_bytes(const bough_input *input) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < input->count; i++) bytes = bough_add(bytes, input->piece[i].size);
    return bytes;
}

void bough_input_fini(bough_input *input) {
    for (size_t i = 0; i < input->count; i++) free(input->piece[i].name), free(input->piece[i].data);
    for (size_t i = 0; i < input->left_out_count; i++) free(input->left_out[i]);
    free(input->piece);
    free(input->left_out);
    *input = (bough_input){0};
}

char *bough_format_place(char *buffer, size_t size, const char *file, uint64_t line) {
    char number[24] = "";
    if (line) snprintf(number, sizeof number, ":%" PRIu64, line);
    size_t length = strlen(file), room = size - 1 - strlen(number);
    if (length <= room)
        snprintf(buffer, size, "%s%s", file, number);
    else
        snprintf(buffer, size, "...%s%s", file + (length - (room - 3)), number);
    return buffer;
}

bough_status bough_at_line(bough_status status, const char *file, uint64_t line, bough_error *error) {
    if (!status || !error) return status;
    bough_format_place(error->place, sizeof error->place, file, line);
    bough_show_cut(error->place, (int)strlen(error->place), sizeof error->place);
    return status;
}
