#include "cli/check/check_formats.h"

#include "base/files/output.h"
#include "base/status/try.h"
#include "base/text/escape.h"
#include "base/text/text.h"

#include <string.h>

void check_formats_begin(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--nagios") == 0) cli_answer_errors("FABRIC UNKNOWN - ", BOUGH_MONITOR_UNKNOWN);
}

static bough_monitor_options monitor_options(const cli_args *args) {
    const char *from = cli_value(args, "fail-on");
    return (bough_monitor_options){.warning = cli_value(args, "warning"),
                                   .critical = cli_value(args, "critical"),
                                   .from = from && strcmp(from, "error") == 0 ? BOUGH_ERROR : BOUGH_WARN};
}

bough_status check_formats_test(const cli_args *args, bough_error *error) {
    static const char *const formats[] = {"json", "prometheus", "markdown", "nagios"};
    const char *chosen = NULL, *file = cli_value(args, "output");
    const bough_monitor_options monitor = monitor_options(args);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!cli_has(args, formats[i])) continue;
        if (chosen)
            return bough_fail(error, BOUGH_INVALID, NULL, "--%s and --%s are mutually exclusive", chosen,
                              formats[i]);
        chosen = formats[i];
    }
    const bool nagios = chosen && strcmp(chosen, "nagios") == 0;
    if (!nagios && (monitor.warning || monitor.critical))
        return bough_fail(error, BOUGH_INVALID, NULL, "--%s needs --nagios",
                          monitor.warning ? "warning" : "critical");
    if (nagios && file)
        return bough_fail(error, BOUGH_INVALID, NULL, "--nagios prints its line; it has no --output");
    bough_status status = nagios ? bough_monitor_check(&monitor, error) : BOUGH_OK;
    if (!status && file) status = bough_output_check(file, error);
    return status;
}

static bough_status make(const cli_args *args, const bough_check_report *report,
                         const bough_check_text_options *how, char **text, bough_error *error) {
    bough_check_text_options plain = *how;
    if (cli_has(args, "output") && !cli_has(args, "color")) plain.colours = false;
    if (cli_has(args, "json")) return bough_report_check_json(report, text, error);
    if (cli_has(args, "prometheus")) return bough_report_check_prometheus(report, text, error);
    if (cli_has(args, "markdown")) return bough_report_check_markdown(report, how->findings, text, error);
    return bough_report_check_text(report, &plain, text, error);
}

static bough_status print_line(const cli_args *args, const bough_check_report *report, int *code,
                               bough_error *error) {
    const bough_monitor_options options = monitor_options(args);
    bough_monitor_state state;
    char *text = NULL;
    bough_status status = bough_report_check_monitor(report, &options, &state, &text, error);
    if (status) return status;
    bough_text out = bough_text_own(text);
    *code = (int)state;
    return cli_print_text(&out, error);
}

bough_status check_formats_print(const cli_args *args, const bough_check_report *report,
                                 const bough_check_text_options *how, int *code, bough_error *error) {
    const char *file = cli_value(args, "output");
    char *text = NULL;
    if (cli_has(args, "nagios")) return print_line(args, report, code, error);
    bough_status status = make(args, report, how, &text, error);
    if (status) return status;
    bough_text out = bough_text_own(text);
    const bool coloured =
        !cli_has(args, "json") && !cli_has(args, "prometheus") && !cli_has(args, "markdown");
    if (!file) return coloured ? cli_print_coloured(&out, error) : cli_print_text(&out, error);
    if (!coloured) out.length = bough_show_lines(out.data, out.length);
    status = bough_output_write_text(file, &out, error);
    bough_text_fini(&out);
    return status;
}
