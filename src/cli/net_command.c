/* bough net: describe a network, or export it. */
#include "api/network_export.h"
#include "base/files/output.h"
#include "base/json/json_writer.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/escape.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "cli/network_argument.h"
#include "document/narrow_table.h"
#include "extension/network_handle.h"
#include "fabric/check/check_rates.h"
#include "network/families/xgft_tree.h"
#include "network/faults/faults.h"
#include "network/network_object.h"
#include "routing/routing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

const cli_usage net_usage = {"net",
                             "NETWORK [-o FILE]",
                             "Describes, exports or draws a network.",
                             NULL,
                             "NETWORK is a spec such as fattree:n=1024, or a fabric file (ibnet:FILE).\n"
                             "FILE.svg is a drawing on one page, for networks of any size: bough net "
                             "bft:n=64 --routing random -o bft.svg\n",
                             {{"NETWORK", "FAMILIES|FILE", 0}},
                             keys};

static void print_parts(bough_text *out, const bough_net *net) {
    const bough_packaging *p = net->packaging;
    if (!p) return;
    bough_text_printf(out, "parts      ");
    for (unsigned s = 0; s < p->stages; s++)
        bough_text_printf(out, "%s %" PRIu64 " %s", s ? "," : "", bough_packaging_stacks(p, s),
                          p->stage[s].name);
    bough_text_printf(out, ", from the endpoints up\n");
}

static void put_count(bough_text *out, const char *before, uint64_t count, const char *noun,
                      const char *plural) {
    bough_text_printf(out, "%s%" PRIu64 " %s%s", before, count, noun, count == 1 ? "" : plural);
}

/* Dead and remaining parts. */
static void describe_faults(bough_text *out, const bough_net *net) {
    const bough_fault_report *r = net->faults;
    char bytes[32];
    uint64_t connected = 0, pairs = bough_mul(net->endpoints, net->addresses) - net->addresses;
    bough_text_put_line(out, "faults      %s", r->spec);
    put_count(out, "dead        ", r->switches, "switch", "es");
    put_count(out, " (", r->chips, "whole chip", "s");
    put_count(out, "), ", r->cables, "cable", "s");
    if (r->links) put_count(out, ", ", r->links, "link", "s");
    if (r->lost) bough_text_printf(out, ", %" PRIu64 " more undetected", r->lost);
    bough_text_printf(out, "\n");
    if (r->slow_links) {
        put_count(out, "slow        ", r->slow_cables, "cable", "s");
        put_count(out, ", ", r->slow_links, "link", "s");
        bough_text_printf(out, " of them, down to %g %% of their rate\n", 100 * r->rate_least);
    }
    if (r->slow_hosts) {
        put_count(out, "slow        ", r->slow_hosts, "host", "s");
        bough_text_printf(out, ", computations up to %g times as long\n", r->compute_most);
    }
    if (r->endpoints) {
        put_count(out, "isolated    ", r->endpoints, "endpoint", "s");
        bough_text_put(out, "\n");
    }
    for (uint64_t e = 0; e < net->endpoints; e++) connected += net->ops->reached(net, e);
    bough_text_printf(out, "connected   %" PRIu64 " of %" PRIu64 " ordered pairs, %.4f %%, %s\n", connected,
                      pairs, 100 * (double)connected / (double)(pairs ? pairs : 1),
                      r->rerouted ? "by rerouted paths" : "by routes that avoid dead links locally");
    bough_text_printf(out, "state       %s of faults and routes\n",
                      bough_format_bytes(r->bytes, bytes, sizeof bytes));
}

/* Wrapped: trees with two children per switch have many levels. */
static void print_capacity(bough_text *out, const bough_net *net) {
    size_t begin = out->length; /* start of the line */
    bough_text_put(out, "capacity   ");
    for (unsigned l = 0; l <= net->levels; l++) {
        char word[64];
        if (l < net->levels)
            snprintf(word, sizeof word, "%" PRIu64,
                     net->ops->channel_capacity(net, l, net->ops->subtree(net, l, 0)));
        else
            snprintf(word, sizeof word, "cables above %s, level 0 up",
                     net->fabric ? "the subtrees of endpoint 0" : "a subtree");
        if (out->length - begin + 1 + strlen(word) > cli_line_width()) {
            bough_text_put(out, "\n");
            begin = out->length;
            bough_text_put(out, "           ");
        }
        bough_text_printf(out, " %s", word);
    }
    bough_text_put(out, "\n");
}

static void print_rates(bough_text *out, const bough_net *net, const bough_link_rates *rates) {
    enum { LABEL = 12 };
    bough_text line = {0};
    bough_text_printf(&line, "%-*s", LABEL, "rates");
    check_rates_words(&line, net, rates);
    if (line.failed)
        out->failed = true;
    else
        put_wrapped_at(out, line.data, cli_line_width(), LABEL);
    bough_text_fini(&line);
}

static void describe(bough_text *out, const bough_net *net, const bough_link_rates *rates) {
    char bytes[32];
    const bough_net *whole = net->faults ? net->faults->base : net;
    const xgft_shape *shape = xgft_populated_shape_of(whole);
    bough_text_put_line(out, "network     %s", whole->spec);
    if (shape && strncmp(whole->spec, "xgft:", 5) != 0) {
        char *canonical = xgft_format(shape);
        if (!canonical) out->failed = true;
        bough_text_printf(out, "as          %s\n", canonical ? canonical : "");
        free(canonical);
    }
    bough_text_printf(
        out,
        "endpoints   %" PRIu64 "\nswitches    %" PRIu64 "\nlinks       %" PRIu64
        " (directed)\ncables      %" PRIu64 " between switches\nlevels      %u\ngroups      %" PRIu64
        ", the largest of %" PRIu64 " links\n",
        net->endpoints, net->switches, net->links, net->cables, net->levels, net->groups, net->group_max);
    if (net->chips && net->chips != net->switches)
        bough_text_printf(out, "chips       %" PRIu64 ", some of them several switches\n", net->chips);
    print_rates(out, net, rates);
    print_parts(out, net);
    if (net->hops_max)
        bough_text_printf(out, "longest     %u link%s\n", net->hops_max, net->hops_max == 1 ? "" : "s");
    if (net->addresses != net->endpoints) bough_text_printf(out, "addresses   %" PRIu64 "\n", net->addresses);
    if ((net->capabilities & BOUGH_HAS_CHANNELS) && net->levels) print_capacity(out, net);
    bough_text_printf(out, "memory      %s of link state in a simulation, about\n",
                      bough_format_bytes(bough_mul(net->links, 8), bytes, sizeof bytes));
    if (net->faults) describe_faults(out, net);
    if (net->fabric)
        bough_text_printf(out, "findings    %zu (`bough check` shows them)\n", net->fabric->findings.count);
}

static bough_status print_description(const bough_net *net, bough_error *error) {
    bough_text out = {0};
    bough_link_rates rates;
    bough_status status = bough_link_rates_find(net, &rates, error);
    if (status) return status;
    describe(&out, net, &rates);
    bough_link_rates_fini(&rates);
    return cli_print_text(&out, error);
}

static void put_faults(json_writer *w, const bough_net *net) {
    const bough_fault_report *r = net->faults;
    uint64_t connected = 0;
    for (uint64_t e = 0; e < net->endpoints; e++) connected += net->ops->reached(net, e);
    json_begin_object(w, "faults", true);
    json_put_text(w, "spec", r->spec);
    json_put_whole(w, "chips", (int64_t)r->chips);
    json_put_whole(w, "switches", (int64_t)r->switches);
    json_put_whole(w, "links", (int64_t)r->links);
    json_put_whole(w, "cables", (int64_t)r->cables);
    json_put_whole(w, "unknown", (int64_t)r->lost);
    json_put_whole(w, "endpoints", (int64_t)r->endpoints);
    json_put_whole(w, "slow_links", (int64_t)r->slow_links);
    json_put_whole(w, "slow_cables", (int64_t)r->slow_cables);
    json_put_whole(w, "slow_hosts", (int64_t)r->slow_hosts);
    json_put_real(w, "rate_least", r->rate_least);
    json_put_real(w, "compute_most", r->compute_most);
    json_put_whole(w, "connected_pairs", (int64_t)connected);
    json_put_whole(w, "bytes", (int64_t)r->bytes);
    json_put_flag(w, "rerouted", r->rerouted);
    json_end_object(w);
}

static bough_status describe_json(const bough_net *net, bough_error *error) {
    const xgft_shape *shape = xgft_populated_shape_of(net->faults ? net->faults->base : net);
    char *canonical = shape ? xgft_format(shape) : NULL;
    bough_text out = {.failed = shape && !canonical};
    bough_link_rates rates;
    if (bough_link_rates_find(net, &rates, error)) out.failed = true;
    json_writer w = {.out = &out};
    json_begin_document(&w);
    network_object_begin(&w, net, network_object_spec(net));
    json_put_whole(&w, "levels", net->levels);
    json_put_whole(&w, "hops_max", net->hops_max);
    json_put_whole(&w, "chips", (int64_t)(net->chips ? net->chips : net->switches));
    json_put_text(&w, "canonical", canonical);
    json_end_object(&w);
    check_put_rates(&w, net, &rates);
    if (net->faults) put_faults(&w, net);
    bough_link_rates_fini(&rates);
    json_end_document(&w);
    free(canonical);
    return cli_print_text(&out, error);
}

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
    const bough_net_check_options how = {.pairs = 100000, .progress = cli_on_progress};
    bough_status status = bough_memory_check(bough_mul(net->links, 16), "checking every link", error);
    return status ? status : bough_net_check_with(net, &how, error);
}

/* Formats refuse networks before they are checked. */
static bough_status answer(const asked *a, const bough_net *net, bough_error *error) {
    bough_text file = {0};
    bough_status status = a->output ? net_export(net, &a->export, a->output, &file, error) : BOUGH_OK;
    if (a->check) TRY(check_network(net, error));
    if (a->output) TRY(bough_output_write_text(a->output, &file, error));
    bough_text_fini(&file);
    if (a->json)
        TRY(describe_json(net, error));
    else if (!a->output)
        TRY(print_description(net, error));
    return status;
}

int net_command(int argc, char **argv) {
    cli_args args;
    bough_error error = {0};
    asked a = {0};
    bough_network *network = NULL;
    int code = cli_parse(&net_usage, argc, argv, &args);
    if (code != CLI_GO) return code;
    if (args.positionals != 1) {
        code = cli_wrong("net", "net needs exactly one network");
    } else {
        a.network.argument.text = args.positional[0];
        bough_status status = keys_read(keys, &args.given, &a, &error);
        TRY(check_output(&a, &error));
        TRY(cli_network_open(&args, &a.network, &network, &error));
        TRY(answer(&a, network->net, &error));
        code = status ? cli_fail(&error) : 0;
    }
    bough_network_destroy(network);
    keys_free(keys, &a);
    cli_args_fini(&args);
    return code;
}
