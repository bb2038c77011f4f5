/* The terminal that standard output may be: its width and its colours. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { NARROWEST = 40, WIDEST = 1000, TERMINAL = 80, FILE_OR_PIPE = 100 };

static bool behind_launcher;

/* mpirun of Open MPI gives ranks terminals of its own, also if what they print goes to a file. */
void cli_expect_launcher(void) {
    behind_launcher = true;
    for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++) {
        struct termios t;
        if (tcgetattr(file, &t) != 0) continue;
        t.c_oflag &= ~(tcflag_t)OPOST; /* a line ends with \n, not with \r\n */
        tcsetattr(file, TCSANOW, &t);
    }
}

bool cli_is_terminal(int file) {
    return !behind_launcher && isatty(file);
}

static size_t within(unsigned long columns, size_t otherwise) {
    if (columns == 0) return otherwise;
    return columns < NARROWEST ? NARROWEST : columns > WIDEST ? WIDEST : columns;
}

size_t cli_line_width(void) {
    struct winsize size = {0};
    const char *columns = getenv("COLUMNS");
    bool terminal = cli_is_terminal(STDOUT_FILENO);
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return within(size.ws_col, TERMINAL);
    char *end = NULL;
    unsigned long given = columns && *columns >= '0' && *columns <= '9' ? strtoul(columns, &end, 10) : 0;
    return within(end && !*end ? given : 0, terminal ? TERMINAL : FILE_OR_PIPE);
}

/* Standard output is a terminal with colours, and neither NO_COLOR nor TERM=dumb is set. */
static bool in_colours(void) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return cli_is_terminal(STDOUT_FILENO) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

int cli_colours(const cli_args *args, bool *colours) {
    const char *when = cli_value(args, "color");
    *colours = when && strcmp(when, "always") == 0;
    if (!when || strcmp(when, "auto") == 0)
        *colours = in_colours();
    else if (!*colours && strcmp(when, "never") != 0)
        return cli_wrong(args->usage->command, "--color %s: it is auto, always or never", when);
    return 0;
}
