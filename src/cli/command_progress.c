/* Signals, and the progress line.
 *
 * A thread of its own watches the time: a command also says that it works where no part of it reports. Where
 * no thread can be started, reports watch the time themselves. */
#include "base/clock.h"
#include "base/text/escape.h"
#include "cli/cli.h"
#include "cli/progress_times.h"

#include <math.h>
#include <pthread.h>
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

static struct {
    pthread_t thread;
    pthread_mutex_t lock; /* of all below; recursive: a line of progress is a note */
    pthread_cond_t wake;
    bool runs, threaded, visible; /* progress is shown; by the thread; a bar is on the terminal */
    double begin;                 /* of the command, seconds */
    double start, at;             /* of the step at hand, and of its last report */
    double share;                 /* of the step; negative: not known */
    char what[160];
    progress_times times;
} progress;

/* 0 if unknown. */
static int terminal_columns(int file) {
    struct winsize size = {0};
    return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* "3 min 2 s left, ", or nothing while too little is finished for an estimate. */
static const char *format_left(char *buffer, size_t size) {
    char seconds[32];
    *buffer = 0;
    if (progress.share > 0.005)
        snprintf(buffer, size, "%s left, ",
                 bough_format_seconds((progress.at - progress.start) / progress.share * (1 - progress.share),
                                      seconds, sizeof seconds));
    return buffer;
}

void cli_progress_hide(void) {
    if (!progress.runs) return;
    pthread_mutex_lock(&progress.lock);
    if (progress.visible) fputs("\r\033[K", stderr);
    progress.visible = false;
}

void cli_progress_unhide(void) {
    if (progress.runs) pthread_mutex_unlock(&progress.lock);
}

/* In a narrow terminal the end of `what` is cut, not the time. */
static void show_bar(const char *spent, const char *left) {
    enum { BAR = 20, LINE = 400 };
    char line[LINE], bar[BAR + 1] = "";
    int done = (int)(progress.share * BAR), width = terminal_columns(STDERR_FILENO), length;
    size_t room = (size_t)(width > 1 && width < LINE ? width : 80);
    memset(bar, '.', BAR);
    memset(bar, '#', done < 0 ? 0 : done < BAR ? (size_t)done : BAR);
    if (progress.share < 0)
        length = snprintf(line, room, "%s, %s", spent, progress.what);
    else
        length = snprintf(line, room, "%3.0f %% [%s] %s%s", 100 * progress.share, bar, left, progress.what);
    bough_show_cut(line, length, room);
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    progress.visible = true;
}

/* A bar, or a line of a log, when it is time. */
static void watch(double now) {
    char spent[32], left[48];
    const bool bar = progress_bar_due(&progress.times, now - progress.begin);
    if (!bar && !progress_line_due(&progress.times, now - progress.begin)) return;
    const bool known = progress.share >= 0;
    bough_format_seconds(now - (known ? progress.start : progress.begin), spent, sizeof spent);
    format_left(left, sizeof left);
    if (bar)
        show_bar(spent, left);
    else if (known)
        cli_note("%.0f %% in %s, %s%s", 100 * progress.share, spent, left, progress.what);
    else
        cli_note("%s, %s", spent, progress.what);
}

static void *run_watch(void *unused) {
    pthread_mutex_lock(&progress.lock);
    while (progress.runs) {
        double now = clock_seconds(), next = now + progress_times_pause(&progress.times);
        watch(now);
        const struct timespec until = {.tv_sec = (time_t)next, .tv_nsec = (long)(1e9 * (next - floor(next)))};
        pthread_cond_timedwait(&progress.wake, &progress.lock, &until);
    }
    pthread_mutex_unlock(&progress.lock);
    return unused;
}

static bool make_lock(void) {
    pthread_mutexattr_t recursive;
    pthread_condattr_t monotonic;
    if (pthread_mutexattr_init(&recursive)) return false;
    bool made = !pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE) &&
                !pthread_mutex_init(&progress.lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    if (!made || pthread_condattr_init(&monotonic)) return false;
    made = !pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) &&
           !pthread_cond_init(&progress.wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return made;
}

void cli_progress_begin(void) {
    sigset_t all, before;
    progress.begin = clock_seconds();
    progress_times_init(&progress.times, cli_is_terminal(STDERR_FILENO));
    cli_progress_step("preparing");
    if (progress.runs || cli_is_silent() || !make_lock()) return;
    progress.runs = true;
    sigfillset(&all); /* signals interrupt what the main thread waits for */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    progress.threaded = pthread_create(&progress.thread, NULL, run_watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cli_progress_end(void) {
    if (!progress.runs) return;
    cli_progress_hide();
    progress.runs = false;
    pthread_cond_signal(&progress.wake);
    pthread_mutex_unlock(&progress.lock);
    if (progress.threaded) pthread_join(progress.thread, NULL);
}

static void take(double share, const char *what) {
    progress.at = clock_seconds();
    progress.share = share;
    snprintf(progress.what, sizeof progress.what, "%s", what);
}

void cli_progress_step(const char *what) {
    cli_progress_hide();
    take(-1, what);
    progress.start = progress.at;
    progress.times.suggested = 0;
    cli_progress_unhide();
}

void cli_on_progress(void *unused, double share, const char *what) {
    char first[32], now[32];
    (void)unused;
    if (!progress.runs) return;
    if (share < 0) {
        cli_progress_step(what);
        return;
    }
    pthread_mutex_lock(&progress.lock);
    take(share, what);
    double total = progress_correction(&progress.times, progress.at - progress.start, share);
    if (total > 0)
        cli_note("this takes about %s, not %s as its first part suggested",
                 bough_format_seconds(total, now, sizeof now),
                 bough_format_seconds(progress.times.suggested, first, sizeof first));
    if (!progress.threaded) watch(progress.at);
    pthread_mutex_unlock(&progress.lock);
}
