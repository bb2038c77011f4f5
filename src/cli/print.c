/* The one place where the command writes to standard output. */
#include "base/json.h"
#include "base/text.h"
#include "cli/cli.h"

#include <stdio.h>

bough_status cli_print_json(json_t *value, size_t flags, bough_error *error) {
    bough_text text = bough_text_own(bough_json_text(value, flags));
    bough_text_put(&text, "\n");
    return cli_print_text(&text, error);
}

/* A failed write stays noted in the stream, and cli_close_output says so. */
bough_status cli_print_text(bough_text *text, bough_error *error) {
    bough_status status = text->failed ? bough_fail_memory(error, text->length) : BOUGH_OK;
    if (!status && text->length) fwrite(text->data, 1, text->length, stdout);
    bough_text_fini(text);
    return status;
}
