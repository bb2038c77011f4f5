/* bough net: describe a network, or export it. */
#include "api/network_export.h"
#include "base/files/output.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "cli/network_argument.h"
#include "extension/network_handle.h"
#include "fabric/network/network_report.h"

#include <stdio.h>
#include <string.h>

/* What is asked. */
typedef struct asked {
    network_asked network;
    net_export_options export;
    const char *output;
    bool check, json;
} asked;

static const question_key keys[] = {
    {"output", 'o', "FILE", "write the network to FILE, in the format of its ending (`bough list formats`)",
     0, "FILE", KEY_TEXT, offsetof(asked, output)},
    FAULTS_KEY(asked, network),
    {"routing", 0, "R",
     "FILE.svg: colour links by the load of all-to-all under R; FILE.lfts, FILE.xml: the routes of R", 0,
     "ROUTINGS", KEY_TEXT, offsetof(asked, export.routing)},
    {"mark", 0, "WHAT",
     "FILE.svg: mark a shortest path, FROM:TO, or an embedded network: pruned in butterfly, meshoftrees in "
     "pruned",
     0, NULL, KEY_TEXT, offsetof(asked, export.mark)},
    ENDPOINT_KEYS_OF_NETWORKS(asked, network.argument),
    {"check", 0, NULL, "verify the network (`bough_net_check`), up to 100000 pairs", 0, NULL, KEY_FLAG,
     offsetof(asked, check)},
    {"json", 0, NULL, "print the description as one JSON object, also with -o", 0, NULL, KEY_FLAG,
     offsetof(asked, json)},
    KEYS_END,
};

static const cli_help_group groups[] = {
    {"most used", "output routing faults mark json"},
    {"recorded fabrics", "names order endpoints"},
    {"verification", "check"},
    {NULL, NULL},
};

const cli_usage net_usage = {"net",
                             "NETWORK [-o FILE]",
                             "Describes, exports or draws a network.",
                             NULL,
                             "NETWORK is a spec such as fattree:n=1024, or a fabric file (ibnet:FILE).\n"
                             "FILE.svg is a drawing on one page, for networks of any size: bough net "
                             "bft:n=64 --routing random -o bft.svg\n",
                             {{"NETWORK", "FAMILIES|FILE", 0}},
                             keys,
                             groups};

/* What can be refused before the network is read. */
static bough_status check_output(const asked *a, bough_error *error) {
    if (a->output) return net_export_check(&a->export, a->output, error);
    if (a->export.routing)
        return bough_fail(error, BOUGH_INVALID, "--routing",
                          "needs a file that contains routes: -o FILE.svg, FILE.lfts, FILE.xml");
    return a->export.mark ? bough_fail(error, BOUGH_INVALID, "--mark", "needs a drawing: -o FILE.svg")
                          : BOUGH_OK;
}

static bough_status check_network(const bough_net *net, bough_error *error) {
    const bough_net_check_options how = {
        .pairs = 100000, .progress = cli_on_progress, .stop = cli_catch_signals()};
    bough_status status = bough_memory_check(bough_mul(net->links, 16), "checking every link", error);
    return status ? status : bough_net_check_with(net, &how, error);
}

static bough_status print(const asked *a, const bough_net *net, bough_error *error) {
    char *text = NULL;
    bough_status status = a->json ? bough_network_report_json(net, &text, error)
                                  : bough_network_report_text(net, cli_line_width(), &text, error);
    if (status) return status;
    bough_text out = bough_text_own(text);
    return cli_print_text(&out, error);
}

/* Formats refuse networks before they are checked. */
static bough_status answer(const asked *a, const bough_net *net, bough_error *error) {
    bough_text file = {0};
    bough_status status = a->output ? net_export(net, &a->export, a->output, &file, error) : BOUGH_OK;
    if (a->check) TRY(check_network(net, error));
    if (a->output) TRY(bough_output_write_text(a->output, &file, error));
    bough_text_fini(&file);
    if (!status && (a->json || !a->output)) status = print(a, net, error);
    return status;
}

int net_command(int argc, char **argv) {
    cli_args args;
    bough_error error = {0};
    asked a = {0};
    arena memory = {0};
    bough_network *network = NULL;
    int code = cli_parse(&net_usage, argc, argv, &args);
    if (code != CLI_GO) return code;
    if (args.positionals != 1) {
        code = cli_wrong("net", "net needs exactly one network");
    } else {
        a.network.argument.text = args.positional[0];
        bough_status status = keys_read(keys, &args.given, &memory, &a, &error);
        TRY(check_output(&a, &error));
        TRY(cli_network_open(&args, &a.network, &network, &error));
        TRY(answer(&a, network->net, &error));
        code = status ? cli_fail(&error) : 0;
    }
    bough_network_destroy(network);
    arena_fini(&memory);
    cli_args_fini(&args);
    return code;
}
