#include "cli/study/figure_files.h"

#include "base/files/output.h"
#include "base/status/system_error.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "cli/study/study_plot.h"
#include "report/charts/chart_svg.h"
#include "report/charts/figure_gnuplot.h"
#include "report/charts/figure_pgf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
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
    return bough_fail_system(error, directory, "cannot hold figures", reason);
}

/* ---- programs that draw ---- */

/* argv ends with NULL. gnuplot draws into a pipe, because it does not report failed writes. */
typedef struct drawer {
    const char *directory, *path; /* path: of the file that is drawn, for messages */
    const char *argv[7];
    bough_text drawn, said;
    int status; /* from waitpid */
} drawer;

/* Runs in the child; never returns. */
static void become_program(const drawer *g, int drawn, int said) {
    char program[PATH_MAX];
    int nothing = open("/dev/null", O_RDWR);
    if (!cli_find_program(getenv("PATH"), *g->argv, program, sizeof program)) _exit(NOT_FOUND);
    if (nothing < 0 || chdir(g->directory) != 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(drawn, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0)
        _exit(NOT_FOUND - 1);
    execv(program, (char *const *)g->argv);
    _exit(errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1);
}

/* The first line of gnuplot's own message, not of the script it quotes. */
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

/* Reads two pipes to their ends, so that gnuplot never blocks. Returns an errno, or 0. */
static int read_both(const int file[2], bough_text *text[2]) {
    struct pollfd ready[2] = {{file[0], POLLIN, 0}, {file[1], POLLIN, 0}};
    while (ready[0].fd >= 0 || ready[1].fd >= 0) {
        if (poll(ready, 2, -1) < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        for (int i = 0; i < 2; i++) {
            char block[4096];
            if (ready[i].fd < 0 || !ready[i].revents) continue;
            ssize_t got = read(ready[i].fd, block, sizeof block);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return errno;
            if (got == 0) ready[i].fd = -1; /* poll ignores it from now on */
            bough_text_add(text[i], block, (size_t)got);
        }
    }
    return 0;
}

static bough_status not_started(const drawer *g, int reason, bough_error *error) {
    return bough_fail(error, BOUGH_IO, g->path, "%s cannot be started: %s", *g->argv, strerror(reason));
}

/* Runs a program; collects its standard output, standard error and exit status. */
static bough_status call_program(drawer *g, bough_error *error) {
    int drawn[2], said[2];
    if (pipe(drawn) != 0) return not_started(g, errno, error);
    if (pipe(said) != 0) {
        int reason = errno;
        close(drawn[0]);
        close(drawn[1]);
        return not_started(g, reason, error);
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(drawn[0]);
        close(said[0]);
        become_program(g, drawn[1], said[1]);
    }
    int reason = child < 0 ? errno : 0;
    close(drawn[1]);
    close(said[1]);
    if (!reason) reason = read_both((int[]){drawn[0], said[0]}, (bough_text *[]){&g->drawn, &g->said});
    close(drawn[0]);
    close(said[0]);
    while (child > 0 && waitpid(child, &g->status, 0) < 0 && errno == EINTR) continue;
    if (reason) return not_started(g, reason, error);
    return g->drawn.failed || g->said.failed ? bough_fail_memory(error, g->drawn.length) : BOUGH_OK;
}

/* *missing: it is not installed. */
static bough_status run_program(drawer *g, bool *missing, bough_error *error) {
    char said[SAID + 1];
    bough_status status = call_program(g, error);
    if (status) return status;
    *missing = WIFEXITED(g->status) && WEXITSTATUS(g->status) == NOT_FOUND;
    if (*missing || (WIFEXITED(g->status) && WEXITSTATUS(g->status) == 0)) return BOUGH_OK;
    size_t length = g->said.length < SAID ? g->said.length : SAID;
    if (length) memcpy(said, g->said.data, length);
    first_line(said, length);
    return bough_fail(error, BOUGH_FAILED, g->path, "%s: %s", *g->argv,
                      *said ? said : "it failed without a message");
}

/* Writes DIR/NAME.svg or .pdf from the file `from` in DIR, the last argument of g->argv that is not set. */
static bough_status draw_from(drawer *g, const char *name, const char *ending, bool *missing,
                              bough_error *error) {
    bough_text path = {0}, from = {0};
    size_t last = 0;
    const bool script = strcmp(*g->argv, "gnuplot") == 0;
    while (g->argv[last]) last++;
    bough_text_printf(&path, "%s/%s.%s", g->directory, name, ending);
    bough_text_printf(&from, "%s/%s.%s", g->directory, name, script ? "gp" : "svg");
    bough_status status =
        path.failed || from.failed ? bough_fail_memory(error, strlen(g->directory)) : BOUGH_OK;
    g->path = from.data;
    if (!status) g->argv[last] = from.data + strlen(g->directory) + 1;
    TRY(run_program(g, missing, error));
    if (!status && !*missing) status = bough_output_write_text(path.data, &g->drawn, error);
    bough_text_fini(&path);
    bough_text_fini(&from);
    bough_text_fini(&g->drawn);
    bough_text_fini(&g->said);
    return status;
}

static bough_status draw(const char *directory, const char *name, const char *ending, bool *missing,
                         bough_error *error) {
    char settings[64];
    snprintf(settings, sizeof settings, "out='%s'; file='/dev/stdout'", ending);
    drawer g = {.directory = directory, .argv = {"gnuplot", "-d", "-e", settings}};
    return draw_from(&g, name, ending, missing, error);
}

/* Without gnuplot: the PDF from the SVG. */
static bough_status convert(const char *directory, const char *name, bool *missing, bough_error *error) {
    drawer g = {.directory = directory, .argv = {"rsvg-convert", "-f", "pdf"}};
    return draw_from(&g, name, "pdf", missing, error);
}

/* ---- files ---- */

/* "fig4" of `bough run fig4.yaml --trials 9`, the name of the study's file; "" if it is not known. */
static void put_study(bough_text *out, const char *command) {
    static const char run[] = "bough run ";
    if (!command || strncmp(command, run, sizeof run - 1) != 0) return;
    const char *name = command + sizeof run - 1, *quote = *name == '\'' ? "'" : " ";
    name += *quote == '\'';
    size_t length = strcspn(name, quote), dot = length;
    while (dot > 0 && name[dot] != '.') dot--;
    if (dot > 0 && !memchr(name, '/', length)) length = dot; /* the name of a built-in study has no ending */
    bough_text_add(out, name, length);
}

static bool exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

/* Whether path is a CSV file of a figure. */
static bool is_figure(const char *path) {
    char head[sizeof FIGURE_CSV_HEAD] = "";
    FILE *file = fopen(path, "r");
    if (!file) return false;
    const size_t got = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    return got == sizeof head - 1 && strcmp(head, FIGURE_CSV_HEAD) == 0;
}

/* Refuses to replace files that are not those of an earlier --figures, which its CSV file shows. */
static bough_status check_chart(const char *directory, const char *name, bough_error *error) {
    static const char *const ending[] = {"csv", "gp", "tex", "svg", "pdf"};
    bough_text path = {0};
    bough_status status = BOUGH_OK;
    bool ours = false;
    for (size_t i = 0; i < sizeof ending / sizeof *ending && !status && !ours; i++) {
        path.length = 0;
        bough_text_printf(&path, "%s/%s.%s", directory, name, ending[i]);
        if (path.failed) status = bough_fail_memory(error, strlen(directory));
        ours = !status && i == 0 && is_figure(path.data);
        if (!status && !ours && exists(path.data))
            status = bough_fail(error, BOUGH_INVALID, path.data,
                                "exists, and is not of an earlier --figures; name another directory");
    }
    bough_text_fini(&path);
    return status;
}

static bough_status check_charts(const charts *all, const char *study, const char *directory,
                                 bough_error *error) {
    char name[FIGURE_NAME];
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < all->count; i++)
        TRY(check_chart(directory, figure_name(all, study, i, name, sizeof name), error));
    return status;
}

static bough_status write_text(const char *directory, const char *name, const char *ending,
                               const bough_text *text, bough_error *error) {
    bough_text path = {0};
    bough_text_printf(&path, "%s/%s.%s", directory, name, ending);
    bough_status status = path.failed ? bough_fail_memory(error, strlen(directory))
                                      : bough_output_write_text(path.data, text, error);
    bough_text_fini(&path);
    return status;
}

typedef struct missing_programs {
    bool gnuplot, pdf; /* pdf: all that make one */
} missing_programs;

/* Without gnuplot. */
static bough_status write_svg(const chart *c, const char *directory, const char *name, bough_error *error) {
    bough_text svg = {0};
    chart_svg_file(c, &svg);
    bough_status status = write_text(directory, name, "svg", &svg, error);
    bough_text_fini(&svg);
    return status;
}

static bough_status write_chart(const chart *c, const char *name, const char *directory,
                                missing_programs *missing, bough_error *error) {
    bough_text csv = {0}, script = {0}, pgf = {0};
    bough_status status = figure_csv(c, &csv, error);
    TRY(figure_script(c, name, &script, error));
    TRY(write_text(directory, name, "csv", &csv, error));
    TRY(write_text(directory, name, "gp", &script, error));
    if (!status) figure_pgf(c, &pgf);
    TRY(write_text(directory, name, "tex", &pgf, error));
    if (!status && !missing->gnuplot) status = draw(directory, name, "svg", &missing->gnuplot, error);
    if (!status && missing->gnuplot) status = write_svg(c, directory, name, error);
    if (!status && missing->gnuplot && !missing->pdf) status = convert(directory, name, &missing->pdf, error);
    if (!status && !missing->gnuplot) status = draw(directory, name, "pdf", &missing->gnuplot, error);
    bough_text_fini(&csv);
    bough_text_fini(&script);
    bough_text_fini(&pgf);
    return status;
}

bough_status cli_figures_write(const struct bough_study *study, const char *directory, bough_error *error) {
    charts all = {0};
    missing_programs missing = {false, false};
    bough_text by = {0};
    char name[FIGURE_NAME];
    put_study(&by, study->command);
    bough_status status = cli_figures_directory(directory, error);
    if (!status && by.failed) status = bough_fail_memory(error, by.length);
    TRY(charts_make(study, &all, error));
    TRY(check_charts(&all, by.data, directory, error));
    for (size_t i = 0; i < all.count && !status; i++)
        status = write_chart(&all.chart[i], figure_name(&all, by.data, i, name, sizeof name), directory,
                             &missing, error);
    if (!status && !all.count)
        cli_note("no results yet to show in a figure");
    else if (!status)
        cli_note("%zu figure%s in %s%s", all.count, all.count == 1 ? "" : "s", directory,
                 missing.pdf ? ": no PDF, as neither gnuplot nor rsvg-convert is installed" : "");
    char without_x[120];
    cli_without_x(&all, without_x, sizeof without_x);
    if (!status && *without_x) cli_note("%s", without_x);
    if (!status && all.left_out) cli_note("%zu more charts are omitted", all.left_out);
    charts_fini(&all);
    bough_text_fini(&by);
    return status;
}
