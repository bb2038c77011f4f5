#include "cli/figures.h"

#include "base/output.h"
#include "base/text.h"
#include "cli/cli.h"
#include "report/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SAID = 2048, NOT_FOUND = 127 };

bough_status cli_figures_directory(const char *directory, bough_error *error) {
    bough_text path = {0};
    struct stat info;
    int reason = *directory ? 0 : ENOENT;
    for (const char *end = directory; *directory && !reason; end++) {
        if (end != directory && (*end == '/' || !*end)) {
            path.length = 0;
            bough_text_add(&path, directory, (size_t)(end - directory));
            if (path.failed) return bough_fail_memory(error, strlen(directory));
            if (mkdir(path.data, 0777) != 0 && errno != EEXIST) reason = errno;
        }
        if (!*end) break;
    }
    bough_text_fini(&path);
    if (!reason && stat(directory, &info) == 0 && !S_ISDIR(info.st_mode)) reason = ENOTDIR;
    if (!reason && access(directory, W_OK | X_OK) != 0) reason = errno;
    if (!reason) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, directory, "cannot hold figures: %s", strerror(reason));
}

/* ---- gnuplot ---- */

/* The child: never returns. */
static void become_gnuplot(const char *directory, const char *script, const char *settings, int said) {
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || chdir(directory) != 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(nothing, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0)
        _exit(NOT_FOUND - 1);
    execlp("gnuplot", "gnuplot", "-d", "-e", settings, script, (char *)NULL);
    _exit(errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1);
}

/* The first line of its own words, not of the script it quotes. */
static void first_line(char *said, size_t length) {
    char *line = said;
    said[length] = 0;
    char *reason = strstr(said, "\": ");
    char *number = strstr(said, "line ");
    if (number && (!reason || number < reason)) reason = number;
    if (reason) line = reason;
    line += strspn(line, "\": \n\t");
    line[strcspn(line, "\n")] = 0;
    memmove(said, line, strlen(line) + 1);
}

/* *missing: there is no gnuplot. */
static bough_status run_gnuplot(const char *directory, const char *script, const char *settings,
                                bool *missing, bough_error *error) {
    int pipes[2], result = 0;
    char said[SAID + 1];
    size_t length = 0;
    if (pipe(pipes) != 0)
        return bough_fail(error, BOUGH_IO, script, "gnuplot cannot be started: %s", strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(pipes[0]);
        become_gnuplot(directory, script, settings, pipes[1]);
    }
    int reason = errno;
    close(pipes[1]);
    for (ssize_t got = 1; child > 0 && got != 0;) { /* to the end, so that it never waits for a reader */
        char block[512];
        got = read(pipes[0], block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) break;
        size_t take = (size_t)got < SAID - length ? (size_t)got : SAID - length;
        memcpy(said + length, block, take);
        length += take;
    }
    close(pipes[0]);
    if (child < 0)
        return bough_fail(error, BOUGH_IO, script, "gnuplot cannot be started: %s", strerror(reason));
    while (waitpid(child, &result, 0) < 0 && errno == EINTR) continue;
    *missing = WIFEXITED(result) && WEXITSTATUS(result) == NOT_FOUND;
    if (*missing || (WIFEXITED(result) && WEXITSTATUS(result) == 0)) return BOUGH_OK;
    first_line(said, length);
    return bough_fail(error, BOUGH_FAILED, script, "gnuplot: %s", *said ? said : "it failed without a word");
}

/* DIR/NAME.svg, by way of a part beside it. */
static bough_status draw(const char *directory, const char *name, const char *ending, bool *missing,
                         bough_error *error) {
    char script[FIGURE_NAME + 8], settings[2 * FIGURE_NAME];
    bough_text part = {0}, whole = {0};
    snprintf(script, sizeof script, "%s.gp", name);
    snprintf(settings, sizeof settings, "out='%s'; file='%s.%s.part'", ending, name, ending);
    bough_text_printf(&part, "%s/%s.%s.part", directory, name, ending);
    bough_text_printf(&whole, "%s/%s.%s", directory, name, ending);
    bough_status status = part.failed || whole.failed
                              ? bough_fail_memory(error, strlen(directory))
                              : run_gnuplot(directory, script, settings, missing, error);
    if (!status && !*missing && rename(part.data, whole.data) != 0)
        status = bough_fail(error, BOUGH_IO, whole.data, "cannot be written: %s", strerror(errno));
    if (status && part.data) remove(part.data);
    bough_text_fini(&part);
    bough_text_fini(&whole);
    return status;
}

/* ---- files ---- */

static bough_status write_text(const char *directory, const char *name, const char *ending,
                               const bough_text *text, bough_error *error) {
    bough_text path = {0};
    bough_text_printf(&path, "%s/%s.%s", directory, name, ending);
    bough_status status = path.failed ? bough_fail_memory(error, strlen(directory))
                                      : bough_output_write(path.data, text->data, text->length, error);
    bough_text_fini(&path);
    return status;
}

static bough_status write_chart(const charts *all, size_t i, const char *directory, bool *missing,
                                bough_error *error) {
    char name[FIGURE_NAME];
    bough_text csv = {0}, script = {0};
    figure_name(all, i, name, sizeof name);
    bough_status status = figure_csv(&all->chart[i], &csv, error);
    if (!status) status = figure_script(&all->chart[i], name, &script, error);
    if (!status) status = write_text(directory, name, "csv", &csv, error);
    if (!status) status = write_text(directory, name, "gp", &script, error);
    if (!status && !*missing) status = draw(directory, name, "svg", missing, error);
    if (!status && !*missing) status = draw(directory, name, "pdf", missing, error);
    bough_text_fini(&csv);
    bough_text_fini(&script);
    return status;
}

bough_status cli_figures_write(const struct bough_study *study, const char *directory, bough_error *error) {
    charts all = {0};
    bool missing = false;
    bough_status status = cli_figures_directory(directory, error);
    if (!status) status = charts_make(study, &all, error);
    for (size_t i = 0; i < all.count && !status; i++)
        status = write_chart(&all, i, directory, &missing, error);
    if (!status && !all.count)
        cli_note("there are no results yet that a figure could show");
    else if (!status)
        cli_note("%zu figures in %s%s", all.count, directory,
                 missing ? ": CSV and gnuplot scripts only, as gnuplot is not installed" : "");
    if (!status && all.left_out) cli_note("%zu more charts are left out", all.left_out);
    charts_fini(&all);
    return status;
}
