/* The one place where the command writes to standard output. */
#include "base/text.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

/* A failed write stays noted in the stream; cli_close_output reports it. */
static void put(const char *data, size_t length) {
    if (length) fwrite(data, 1, length, stdout);
}

void cli_print_string(const char *string) {
    put(string, strlen(string));
}

bough_status cli_print_text(bough_text *text, bough_error *error) {
    bough_status status = text->failed ? bough_fail_memory(error, text->capacity) : BOUGH_OK;
    if (!status) put(text->data, text->length);
    bough_text_fini(text);
    return status;
}
