/* Up/down routing as a table. Where its roots come from; the ways themselves are in up_down.c. */
#include "base/input.h"
#include "base/memory.h"
#include "routing/next_table.h"
#include "routing/up_down.h"
#include "topology/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const bough_param params[] = {
    {"roots",
     "a file of switch GUIDs (0x..) or names, one a line, or names joined by commas; default: the switches "
     "of "
     "the highest level",
     BOUGH_TEXT, ""},
    BOUGH_PARAMS_END,
};

/* ---- roots ---- */

typedef struct roots {
    const bough_net *net;
    bool *root; /* per node */
    uint64_t count, unknown;
    char example[64]; /* the first word that names no switch */
} roots;

static bool is_switch(const bough_net *net, uint64_t node) {
    return net->ops->node_roles(net, node) & BOUGH_SWITCH;
}

static bool names(const bough_net *net, uint64_t node, const char *word, size_t length) {
    char name[160];
    bough_node_name(net, node, name, sizeof name);
    return strlen(name) == length && memcmp(name, word, length) == 0;
}

/* One name or GUID. */
static void add_root(roots *r, const char *word, size_t length) {
    uint64_t guid = 0;
    char digits[24];
    while (length && (*word == ' ' || *word == '\t')) word++, length--;
    while (length && strchr(" \t\r", word[length - 1])) length--;
    if (length == 0 || *word == '#') return;
    if (length > 2 && length < sizeof digits && word[0] == '0' && (word[1] | 32) == 'x') {
        memcpy(digits, word, length);
        digits[length] = 0;
        guid = strtoull(digits, NULL, 16);
    }
    bool found = false;
    for (uint64_t v = 0; v < r->net->nodes; v++) {
        if (!is_switch(r->net, v)) continue;
        if (guid ? net_node_guid(r->net, v) != guid : !names(r->net, v, word, length)) continue;
        found = true;
        r->count += !r->root[v];
        r->root[v] = true;
    }
    if (!found && !r->unknown++)
        snprintf(r->example, sizeof r->example, "%.*s", length < 60 ? (int)length : 60, word);
}

static void roots_from_lines(roots *r, const bough_input *input) {
    for (size_t i = 0; i < input->count; i++) {
        const char *cursor = input->piece[i].data, *end = cursor + input->piece[i].size, *line;
        size_t length;
        while ((line = bough_next_line(&cursor, end, &length))) add_root(r, line, length);
    }
}

static void roots_from_list(roots *r, const char *text) {
    for (size_t length; *text; text += length + (text[length] == ',')) {
        length = strcspn(text, ",");
        add_root(r, text, length);
    }
}

static void roots_from_levels(roots *r) {
    const bough_net *net = r->net;
    for (uint64_t v = 0; v < net->nodes; v++)
        if (is_switch(net, v) && net->ops->node_level(net, v) == net->levels) r->root[v] = true, r->count++;
}

static bough_status find_roots(roots *r, const char *text, bough_routing *routing, bough_error *error) {
    bough_input input;
    bough_error why = {0};
    bool file = false;
    if (!*text) {
        roots_from_levels(r);
    } else if (bough_input_read(text, &input, &why) == BOUGH_OK) {
        file = true;
        roots_from_lines(r, &input);
        routing->input_hash = input.hash;
        bough_input_fini(&input);
    } else {
        roots_from_list(r, text);
    }
    if (r->count == 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          file ? "updn: no line of %s names a switch by GUID or name"
                               : "updn: '%s' is no file that can be read, and names no switch",
                          text);
    return r->unknown
               ? bough_findings_add(&routing->findings, BOUGH_WARN, "roots", text, error,
                                    "%" PRIu64 " roots are no switches of the network (the first is '%s')",
                                    r->unknown, r->example)
               : BOUGH_OK;
}

/* ---- the table ---- */

static void fill(next_table *t, up_down *w, uint32_t *links) {
    const bough_net *net = t->net;
    for (uint64_t i = 0; i < t->destinations; i++) {
        const struct next_table_destination *d = &t->order[i];
        up_down_search(w, d->node);
        for (uint64_t v = t->first_row; v < net->nodes; v++) {
            uint32_t count = up_down_links(w, v, links);
            uint32_t link = count ? next_table_take(t, links, count) : BOUGH_NO_INDEX;
            if (!d->counted_only) *next_table_entry(t, v, d->address) = link;
        }
    }
}

static bough_status open_updn(bough_args *args, bough_routing *r, bough_error *error) {
    roots found = {.net = r->net};
    up_down ways = {0};
    uint32_t *links = NULL;
    next_table *t;
    bough_status status = bough_alloc(&t, 1, sizeof *t, error);
    if (status) return status;
    r->data = t;
    status = next_table_make(t, r->net, error);
    if (!status) status = bough_alloc(&found.root, r->net->nodes, sizeof *found.root, error);
    if (!status) status = find_roots(&found, args->value[0].set ? args->value[0].text : "", r, error);
    if (!status) status = up_down_make(&ways, r->net, found.root, error);
    if (!status) status = bough_alloc(&links, r->net->links, sizeof *links, error);
    if (!status) {
        fill(t, &ways, links);
        next_table_filled(t);
    }
    up_down_fini(&ways);
    free(found.root);
    free(links);
    return status;
}

const bough_routing_kind bough_routing_updn = {
    .name = "updn",
    .summary =
        "a table of up*/down* ways: towards the roots, then away from them, free of deadlocks on any network",
    .source = "Schroeder et al.: Autonet, 1991; OpenSM: the updn routing engine",
    .params = params,
    .needs = BOUGH_GIVES_ROUTES,
    .oblivious = true,
    .by_address = true,
    .own_ways = true,
    .open = open_updn,
    .route = next_table_route,
    .fini = next_table_free,
};
