/* The one place where the command writes to standard output, and what it says on standard error. Whatever a
 * verb prints passes through here, so that no verb can forget that names, titles and paths are texts of
 * others: characters that nobody sees are shown as '?', in a terminal and elsewhere, as `less -R` shows a
 * file's escape sequences too. */
#include "base/text/escape.h"
#include "base/text/text.h"
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* A failed write is recorded in the stream and reported by cli_close_output. */
static bough_status print(bough_text *text, bool lines, bough_error *error) {
    bough_status status = text->failed ? bough_fail_memory(error, text->length) : BOUGH_OK;
    if (!status && lines && text->length) text->length = bough_show_lines(text->data, text->length);
    if (!status && text->length) fwrite(text->data, 1, text->length, stdout);
    bough_text_fini(text);
    return status;
}

bough_status cli_print_text(bough_text *text, bough_error *error) {
    return print(text, true, error);
}

bough_status cli_print_data(bough_text *text, bough_error *error) {
    return print(text, isatty(STDOUT_FILENO), error);
}

bough_status cli_print_coloured(bough_text *text, bough_error *error) {
    return print(text, false, error);
}

/* ---- standard error ---- */

static void say(const char *line) {
    fflush(stdout); /* keeps the order of both streams, also in one file */
    fprintf(stderr, "bough: %s\n", line);
}

int cli_fail(const bough_error *error) {
    char line[sizeof error->place + sizeof error->reason + 4]; /* fits both members: bough_fail */
    snprintf(line, sizeof line, "%s%s%s", error->place, *error->place ? ": " : "", error->reason);
    say(line);
    return error->status ? bough_status_exit(error->status) : 1;
}

void cli_note(const char *format, ...) {
    char line[2048];
    va_list list;
    va_start(list, format);
    bough_show_cut(line, vsnprintf(line, sizeof line, format, list), sizeof line);
    va_end(list);
    say(line);
}
