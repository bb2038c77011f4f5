/* Signals, and the progress line. */
#include "base/clock.h"
#include "base/text/escape.h"
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- signals ---- */

static atomic_bool stop; /* a signal handler can access nothing else */

/* The first signal requests a stop, a second one ends the program. Some senders signal twice at once
 * (timeout: to the process, then to its group), which counts as one. */
static void on_signal(int number) {
    enum { TOGETHER_MS = 500 };
    static atomic_llong first; /* time of the first signal; 0: none */
    long long now_ms = (long long)(1000 * clock_seconds()) + 1, none = 0;
    atomic_store(&stop, true);
    if (atomic_compare_exchange_strong(&first, &none, now_ms) || now_ms - none < TOGETHER_MS) return;
    signal(number, SIG_DFL);
    raise(number); /* delivered when this handler returns */
}

atomic_bool *cli_catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 &&
        hangup.sa_handler != SIG_IGN) /* under nohup it stays ignored */
        sigaction(SIGHUP, &action, NULL);
    return &stop;
}

/* ---- progress ---- */

char *cli_format_seconds(double seconds, char *buffer, size_t size) {
    if (!(seconds < 1e9))
        snprintf(buffer, size, "years");
    else if (seconds < 9.95)
        snprintf(buffer, size, "%.1f s", seconds);
    else if (seconds < 59.5)
        snprintf(buffer, size, "%.0f s", seconds);
    else if (seconds < 3600)
        snprintf(buffer, size, "%d min %d s", (int)(seconds + 0.5) / 60, (int)(seconds + 0.5) % 60);
    else if (seconds < 48 * 3600)
        snprintf(buffer, size, "%.1f h", seconds / 3600);
    else
        snprintf(buffer, size, "%.1f days", seconds / 86400);
    return buffer;
}

void cli_progress_start(cli_progress *p) {
    *p = (cli_progress){.start = clock_seconds()};
    progress_times_init(&p->times, cli_is_terminal(STDERR_FILENO));
}

/* 0 if unknown. */
static int terminal_columns(int file) {
    struct winsize size = {0};
    return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* "3 min 2 s left, ", or nothing while too little is finished for an estimate. */
static const char *format_left(double spent, double share, char *buffer, size_t size) {
    char seconds[32];
    *buffer = 0;
    if (share > 0.005)
        snprintf(buffer, size, "%s left, ",
                 cli_format_seconds(spent / share * (1 - share), seconds, sizeof seconds));
    return buffer;
}

/* In a narrow terminal the end of `what` is cut, not the time. */
static void show_bar(double share, const char *left, const char *what) {
    enum { BAR = 20, LINE = 400 };
    char line[LINE], bar[BAR + 1] = "";
    int done = (int)(share * BAR), width = terminal_columns(STDERR_FILENO);
    memset(bar, '.', BAR);
    memset(bar, '#', done < 0 ? 0 : done < BAR ? (size_t)done : BAR);
    size_t room = (size_t)(width > 1 && width < LINE ? width : 80);
    bough_show_cut(line, snprintf(line, room, "%3.0f %% [%s] %s%s", 100 * share, bar, left, what), room);
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
}

static void correct(cli_progress *p, double total) {
    char first[32], now[32];
    if (p->visible) fputs("\r\033[K", stderr);
    cli_note("this takes about %s, not %s as its first part suggested",
             cli_format_seconds(total, now, sizeof now),
             cli_format_seconds(p->times.suggested, first, sizeof first));
}

void cli_progress_show(cli_progress *p, double share, const char *what) {
    double spent = clock_seconds() - p->start;
    char left[48], seconds[32];
    double total = progress_correction(&p->times, spent, share);
    if (total > 0) correct(p, total);
    if (progress_bar_due(&p->times, spent)) {
        p->visible = true;
        show_bar(share, format_left(spent, share, left, sizeof left), what);
    } else if (progress_line_due(&p->times, spent)) {
        cli_note("%.0f %% in %s, %s%s", 100 * share, cli_format_seconds(spent, seconds, sizeof seconds),
                 format_left(spent, share, left, sizeof left), what);
    }
}

void cli_on_progress(void *progress, double share, const char *what) {
    cli_progress_show(progress, share, what);
}

void cli_progress_end(cli_progress *p) {
    if (p->visible) fputs("\r\033[K", stderr);
    p->visible = false;
}
