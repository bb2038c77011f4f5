/* The only place that writes to standard output and standard error (except help and the progress line), so
 * that no command can forget that names, titles and paths are untrusted: invisible characters are written as
 * '?', in a terminal and elsewhere, because `less -R` passes the escape sequences of a file to the
 * terminal. */
#include "base/text/escape.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "study/study.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A failed write is recorded in the stream and reported by cli_close_output. */
static bough_status print(bough_text *text, bool lines, bough_error *error) {
    bough_status status = text->failed ? bough_fail_memory(error, text->length) : BOUGH_OK;
    if (!status && lines && text->length) text->length = bough_show_lines(text->data, text->length);
    cli_progress_end();
    if (!status && text->length) fwrite(text->data, 1, text->length, stdout);
    bough_text_fini(text);
    return status;
}

bough_status cli_print_text(bough_text *text, bough_error *error) {
    return print(text, true, error);
}

bough_status cli_print_data(bough_text *text, bough_error *error) {
    return print(text, cli_is_terminal(STDOUT_FILENO), error);
}

bough_status cli_print_coloured(bough_text *text, bough_error *error) {
    return print(text, false, error);
}

/* ---- standard error ---- */

static bool silent; /* nothing is printed, on any rank but the first */
static struct {
    const char *words; /* NULL: errors go to standard error */
    int code;
} answer;

void cli_answer_errors(const char *words, int code) {
    answer.words = words;
    answer.code = code;
}

/* A pipe would begin the performance data. */
static int answer_error(char *line) {
    for (char *at = line; *at; at++)
        if (*at == '|') *at = '/';
    printf("%s%s\n", answer.words, line);
    return answer.code;
}

void cli_flush(void) {
    fflush(stdout);
}

void cli_silence(void) {
    silent = true;
    if (!freopen("/dev/null", "w", stdout)) silent = true; /* the stream is closed then */
}

bool cli_is_silent(void) {
    return silent;
}

void cli_speak(void) {
    silent = false;
}

static void print_error(const char *line) {
    if (silent) return;
    fflush(stdout); /* keeps the order of both streams, also in one file */
    cli_progress_hide();
    fprintf(stderr, "bough: %s\n", line);
    cli_progress_unhide();
}

int cli_fail(const bough_error *error) {
    cli_progress_end();
    char line[sizeof error->place + sizeof error->reason + 4]; /* fits both members: bough_fail */
    snprintf(line, sizeof line, "%s%s%s", error->place, *error->place ? ": " : "", error->reason);
    if (answer.words) return answer_error(line);
    print_error(line);
    return error->status ? bough_status_exit(error->status) : 1;
}

int cli_wrong(const char *command, const char *format, ...) {
    char reason[640];
    va_list list;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    bough_error error;
    bough_fail(&error, BOUGH_INVALID, NULL, "%.500s; see `bough %s%s--help`", reason, command ? command : "",
               command ? " " : "");
    return cli_fail(&error);
}

void cli_note(const char *format, ...) {
    char line[2048];
    va_list list;
    va_start(list, format);
    bough_show_cut(line, vsnprintf(line, sizeof line, format, list), sizeof line);
    va_end(list);
    print_error(line);
}

void cli_study_notes(const bough_study *study) {
    enum { MOST = 10 };
    for (size_t i = 0; i < study->notes && i < MOST; i++) cli_note("%s", study->note[i]);
    if (study->notes > MOST) cli_note("... and %zu more", study->notes - MOST);
}

/* ---- the end ---- */

int cli_close_output(int code) {
    cli_progress_end();
    if (silent) return code;
    errno = 0;
    bool bad = ferror(stdout) != 0; /* of an earlier write, whose errno is lost */
    if (fflush(stdout) != 0) bad = true;
    int reason = errno;
    struct pollfd pipe = {.fd = STDOUT_FILENO};
    bool closed = reason == EPIPE || (poll(&pipe, 1, 0) > 0 && (pipe.revents & POLLERR));
    if (fclose(stdout) != 0 && !bad) {
        bad = true;
        reason = errno;
    }
    if (!bad) return code;
    if (!closed)
        fprintf(stderr, "bough: standard output: %s\n", reason ? strerror(reason) : "writing failed");
    return code ? code : 1;
}

/* ---- programs ---- */

bool cli_find_program(const char *directories, const char *name, char *path, size_t size) {
    for (const char *at = directories; at; at = strchr(at, ':')) {
        at += *at == ':';
        size_t length = strcspn(at, ":");
        int wrote = snprintf(path, size, "%.*s/%s", (int)length, at, name);
        if (*at == '/' && wrote > 0 && (size_t)wrote < size && access(path, X_OK) == 0) return true;
    }
    return false;
}
