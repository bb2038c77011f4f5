/* bough list: the available networks, routings, traffic, methods, ... Everything printed comes from the
 * descriptors. */
#include "base/json/json_writer.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "document/narrow_table.h"
#include "method/method.h"
#include "network/spec_or_file.h"
#include "report/catalogue/catalogue.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS      "families|routings|traffic|methods|faults|physical|nodes|formats|metrics|studies"
#define KIND_NAMES "families, routings, traffic, methods, faults, physical, nodes, formats, metrics, studies"

static const question_key options[] = {
    {"for", 0, "NETWORK", "print only entries that fit this network", 0, "FAMILIES|FILE"},
    {"source", 0, NULL, "print sources, too: citation key and section (docs/references.md)", 0},
    {"json", 0, NULL, "print everything, with all parameters, as one JSON object", 0},
    KEYS_END,
};

const cli_usage list_usage = {"list",
                              "[KIND] [NAME]",
                              "Lists networks, routings, traffic, methods, ...",
                              options,
                              "KIND: families, routings, traffic, methods, faults, physical, "
                              "nodes,\nformats, metrics or studies. Without it: "
                              "everything, one line per entry.\n",
                              {{"KIND", KINDS "|NAMES", CLI_OPTIONAL}, {"NAME", "NAMES", CLI_OPTIONAL}}};

/* Integers in full, large powers of two as such. */
static const char *bound(bough_type type, double value, char *buffer, size_t size) {
    int exponent;
    if (type == BOUGH_TIME || type == BOUGH_RATE || type == BOUGH_LENGTH)
        bough_format_measure(type, (int64_t)value, buffer, size);
    else if (value >= 0x1p20 && frexp(value, &exponent) == 0.5)
        snprintf(buffer, size, "2^%d", exponent - 1);
    else
        snprintf(buffer, size, fabs(value) < 1e15 && value == floor(value) ? "%.0f" : "%g", value);
    return buffer;
}

typedef struct asked {
    const bough_net *net; /* that entries must fit; NULL: any */
    const char *network;  /* its spec; NULL: none */
    bool source;
    const bough_registry *registry;
} asked;

/* A line as wide as the terminal, with continuation lines that start at a column. Frees it. */
static void put_folded(bough_text *out, bough_text *line, size_t column) {
    if (line->failed)
        out->failed = true;
    else if (line->length)
        put_wrapped_at(out, line->data, cli_line_width(), column);
    bough_text_fini(line);
}

enum { PARAMETER = 17 }; /* column of what is said of a parameter */

/* "[whole number, 1 to 2^20, default 1]" */
static void put_range(bough_text *out, const bough_param *p) {
    static const char *const type[] = {"whole number", "number", "share", "bytes",       "time",  "rate",
                                       "0 or 1",       "",       "text",  "list, 16x16", "length"};
    bough_text_printf(out, "[%s", p->type == BOUGH_CHOICE ? p->choices : type[p->type]);
    if (p->min != 0 || p->max != 0) {
        char low[40], high[40];
        bough_text_printf(out, ", %s to %s", bound(p->type, p->min, low, sizeof low),
                          bound(p->type, p->max, high, sizeof high));
    }
    if (!p->fallback)
        bough_text_put(out, ", required]");
    else if (*p->fallback)
        bough_text_printf(out, ", default %s]", p->fallback);
    else
        bough_text_put(out, "]");
}

static void print_params(bough_text *out, const bough_param *params) {
    for (const bough_param *p = params; p && p->key; p++) {
        bough_text line = {0}, range = {0};
        bough_text_printf(&line, "    %-12s %s", p->key, p->summary);
        put_range(&range, p);
        if (line.length + 1 + range.length <= cli_line_width()) {
            bough_text_put(&line, " ");
            bough_text_join(&line, &range);
        }
        put_folded(out, &line, PARAMETER);
        if (!range.length && !range.failed) continue;
        bough_text_printf(&line, "%*s", PARAMETER, "");
        bough_text_join(&line, &range);
        put_folded(out, &line, PARAMETER);
    }
}

static void print_entry(bough_text *out, const catalogue_entry *e, bool detail, bool source) {
    bough_text head = {0};
    bough_text_printf(&head, "  %-20s %s", e->name, e->summary);
    if (e->mark) bough_text_printf(&head, " (%s)", e->mark);
    put_folded(out, &head, 23);
    if (detail) {
        for (const char *const *a = e->aliases; a && *a; a++) bough_text_printf(out, "    alias    %s\n", *a);
        print_params(out, e->params);
        if (e->pattern) bough_text_put(out, "    streams: may use it as their pattern\n");
        if (e->extra && *e->extra) bough_text_printf(out, "    %s: %s\n", e->what, e->extra);
        for (unsigned i = 0; i < BOUGH_PREMISES; i++)
            if (e->assumes >> i & 1) bough_text_printf(out, "    assumes: %s\n", bough_premise_text(i));
    }
    bough_text from = {0};
    if ((source || detail) && e->source && *e->source) bough_text_printf(&from, "    source: %s", e->source);
    put_folded(out, &from, 12);
}

static bool has_name(const catalogue_entry *e, const char *name) {
    if (strcmp(e->name, name) == 0) return true;
    for (const char *const *a = e->aliases; a && *a; a++)
        if (strcmp(*a, name) == 0) return true;
    return false;
}

static int print_kind(const asked *ask, const catalogue_kind *k, const char *name, bough_text *out) {
    catalogue_entry e;
    bool found = false;
    const char *names[128];
    size_t count = 0;
    if (!name) bough_text_printf(out, "%s\n", k->title);
    for (size_t i = 0; k->at(ask->registry, i, &e); i++) {
        bool fits = !ask->net || (!(e.needs & ~ask->net->capabilities) && !(e.lacks && e.lacks(ask->net)));
        if (count < 128) names[count++] = e.name;
        if (name && !has_name(&e, name)) continue;
        if (name && !fits) return cli_wrong("list", "%s does not fit %s", name, ask->network);
        if (!fits) continue;
        print_entry(out, &e, name != NULL, ask->source);
        found = true;
    }
    if (!name || found) return 0;
    if (strcmp(k->name, "families") == 0 && bough_family_elsewhere(name))
        return cli_wrong("list", "%s", bough_family_elsewhere(name));
    char hint[BOUGH_HINT_MAX];
    return cli_wrong("list", "no '%s' among the %s%s", name, k->name, bough_hint(hint, name, names, count));
}

/* A name without a kind is searched in every kind. */
static int print_anywhere(const asked *ask, const char *name, bough_text *out) {
    catalogue_entry e;
    bool found = false;
    const char *names[256];
    size_t count = 0;
    for (const catalogue_kind *k = catalogue; k->name; k++)
        for (size_t i = 0; k->at(ask->registry, i, &e); i++) {
            if (count < 256 && strcmp(k->name, "studies") != 0) names[count++] = e.name;
            if (!has_name(&e, name)) continue;
            bough_text_printf(out, "%s\n", k->title);
            print_entry(out, &e, true, ask->source);
            found = true;
        }
    if (found) return 0;
    if (bough_family_elsewhere(name)) return cli_wrong("list", "%s", bough_family_elsewhere(name));
    for (const catalogue_kind *k = catalogue; k->name; k++) names[count++ % 256] = k->name;
    char hint[BOUGH_HINT_MAX];
    return cli_wrong("list", "no kind and no name '%s'%s; kinds are " KIND_NAMES, name,
                     bough_hint(hint, name, names, count < 256 ? count : 256));
}

/* Returns CLI_GO, or the exit status. */
static int make_network(const cli_args *args, const char *network, bough_net **net) {
    bough_error error = {0};
    char *spec = NULL;
    bough_status status =
        network_argument_spec(&(network_argument){.text = network}, args->registry, NULL, &spec, &error);
    TRY(bough_net_open(spec, args->registry, net, &error));
    free(spec);
    return status ? cli_fail(&error) : CLI_GO;
}

/* Writes the requested entries to out; returns 0, or the exit status. */
static int list(const cli_args *args, const asked *ask, bough_text *out) {
    const char *first = args->positionals > 0 ? args->positional[0] : NULL;
    const char *second = args->positionals > 1 ? args->positional[1] : NULL;
    const catalogue_kind *k = catalogue;
    while (first && k->name && !catalogue_is(k, first)) k++;
    if (args->positionals > 2) return cli_wrong("list", "list takes at most a kind and a name");
    for (; !first && k->name; k++) {
        if (k != catalogue) bough_text_put(out, "\n");
        print_kind(ask, k, NULL, out);
    }
    if (!first) return 0;
    if (k->name) return print_kind(ask, k, second, out);
    if (second)
        return cli_wrong("list", "'%s' is not a kind, so '%s' is unexpected; kinds are " KIND_NAMES, first,
                         second);
    return print_anywhere(ask, first, out);
}

/* ---- JSON: the catalogue, and the commands with their options ---- */

/* The paragraphs of a help text, or its examples, which begin with a blank. A full stop ends a paragraph. */
static void put_notes(json_writer *w, const char *key, const char *notes, bool examples) {
    json_begin_array(w, key, false);
    bough_text text = {0};
    while (notes && *notes) {
        size_t length = strcspn(notes, "\n"), blanks = strspn(notes, " ");
        bool ends = !length || examples || notes[length - 1] == '.';
        if (length && examples == (blanks > 0)) {
            bough_text_put(&text, text.length ? " " : "");
            bough_text_add(&text, notes + blanks, length - blanks);
        }
        notes += length + (notes[length] == '\n');
        if (ends) catalogue_put_line(w, NULL, &text);
    }
    catalogue_put_line(w, NULL, &text);
    json_end_array(w);
}

static void put_command(json_writer *w, const cli_command *c) {
    json_begin_object(w, NULL, false);
    json_put_text(w, "name", c->usage->command);
    json_put_text(w, "summary", c->summary);
    json_put_text(w, "synopsis", c->usage->synopsis);
    json_put_text(w, "description", c->usage->summary);
    put_notes(w, "notes", c->usage->notes, false);
    put_notes(w, "examples", c->usage->notes, true);
    json_begin_array(w, "operands", false);
    for (const cli_operand *o = c->usage->operands; o->name; o++) {
        json_begin_object(w, NULL, true);
        json_put_text(w, "name", o->name);
        json_put_flag(w, "required", !(o->flags & CLI_OPTIONAL));
        json_put_flag(w, "repeat", o->flags & KEY_REPEAT);
        catalogue_put_values(w, o->values);
        json_end_object(w);
    }
    json_end_array(w);
    json_begin_array(w, "options", false);
    const question_key *o;
    for (size_t i = 0; (o = cli_option_at(c->usage, i)); i++)
        if (strcmp(o->name, "help") != 0) catalogue_put_key(w, o, false);
    json_end_array(w);
    json_end_object(w);
}

static void put_commands(json_writer *w) {
    json_begin_array(w, "commands", false);
    for (const cli_command *c = cli_commands; c->usage; c++) put_command(w, c);
    json_end_array(w);
}

static int list_json(const cli_args *args) {
    bough_error error = {0};
    char *text = NULL;
    if (args->positionals || cli_has(args, "for") || cli_has(args, "source"))
        return cli_wrong("list", "--json lists everything; it takes no kind, no name and no other option");
    bough_status status = catalogue_json_with(args->registry, put_commands, &text, &error);
    if (!status) {
        bough_text out = bough_text_own(text);
        status = cli_print_text(&out, &error);
    }
    return status ? cli_fail(&error) : 0;
}

int list_command(int argc, char **argv) {
    cli_args args;
    bough_error error = {0};
    bough_text out = {0};
    int code = cli_parse(&list_usage, argc, argv, &args);
    if (code != CLI_GO) return code;
    if (cli_has(&args, "json")) {
        code = list_json(&args);
        cli_args_fini(&args);
        return code;
    }
    asked ask = {NULL, cli_value(&args, "for"), cli_has(&args, "source"), args.registry};
    bough_net *net = NULL;
    if (ask.network) code = make_network(&args, ask.network, &net);
    ask.net = net;
    if (code == CLI_GO) code = list(&args, &ask, &out);
    if (code == 0 && cli_print_text(&out, &error)) code = cli_fail(&error);
    bough_text_fini(&out);
    bough_net_destroy(net);
    cli_args_fini(&args);
    return code;
}
