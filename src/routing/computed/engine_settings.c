#include "routing/computed/engine_settings.h"

#include "base/files/input.h"
#include "base/memory/index_map.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/scanner.h"
#include "base/text/terminal_text.h"
#include "network/node_identifiers.h"
#include "routing/routing_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void engine_settings_fini(engine_settings *s) {
    FREE_ALL(s->root, s->place);
    *s = (engine_settings){0};
}

/* ---- lists of nodes ---- */

typedef struct node_list {
    const bough_net *net;
    const char *param, *one, *are_not; /* "roots", "a switch", "roots are not switches" */
    bool (*take)(struct node_list *list, const char *word, size_t length, const uint64_t *guid);
    engine_settings *settings;
    bough_index_map port; /* port GUID -> endpoint */
    uint64_t count, unknown;
    char example[64]; /* the first word that is unknown */
} node_list;

/* A line of OpenSM's files is a GUID, which may be followed by more text; or it is a name. */
static void add_word(node_list *l, const char *word, size_t length) {
    uint64_t guid = 0;
    while (length && (*word == ' ' || *word == '\t')) word++, length--;
    while (length && strchr(" \t\r", word[length - 1])) length--;
    if (length == 0 || *word == '#') return;
    size_t first = 0;
    while (first < length && word[first] != ' ' && word[first] != '\t' && word[first] != '#') first++;
    const bool is_guid = net_guid_read(word, first, &guid);
    if (!l->take(l, word, length, is_guid ? &guid : NULL) && !l->unknown++)
        snprintf(l->example, sizeof l->example, "%.*s", length < 60 ? (int)length : 60, word);
}

static void add_lines(node_list *l, const bough_input *input) {
    for (size_t i = 0; i < input->count; i++) {
        scanner s = scan_piece(&input->piece[i], NULL);
        while (scan_line(&s)) add_word(l, s.at, (size_t)(s.stop - s.at));
    }
}

static void add_list(node_list *l, const char *text) {
    for (size_t length; *text; text += length + (text[length] == ',')) {
        length = strcspn(text, ",");
        add_word(l, text, length);
    }
}

/* A file, or words separated by commas. */
static bough_status read_list(node_list *l, const char *text, bough_routing *routing, bough_error *error) {
    bough_input input;
    bough_error why = {0};
    const char *engine = routing->kind->name;
    const bool file = bough_input_read(text, &input, &why) == BOUGH_OK;
    if (file) {
        terminal_clean_all(&input);
        add_lines(l, &input);
        routing->input_hash = routing->input_hash * 31 + input.hash; /* of one file: its hash */
        bough_input_fini(&input);
    } else {
        add_list(l, text);
    }
    if (l->count == 0 && !file && access(text, F_OK) == 0) { /* an existing but unreadable file */
        if (error) *error = why;
        return why.status;
    }
    if (l->count == 0)
        return file ? bough_fail(error, BOUGH_INVALID, NULL, "%s: no line of %s is the GUID or name of %s",
                                 engine, text, l->one)
                    : bough_fail(error, BOUGH_INVALID, NULL,
                                 "%s: '%s' is neither a readable file nor the name of %s", engine, text,
                                 l->one);
    return l->unknown
               ? bough_findings_add(&routing->findings, &(bough_finding_head){BOUGH_WARN, l->param, text},
                                    error, "%" PRIu64 " %s of the network (the first is '%s')", l->unknown,
                                    l->are_not, l->example)
               : BOUGH_OK;
}

/* ---- roots ---- */

static bool take_root(node_list *l, const char *word, size_t length, const uint64_t *guid) {
    bool found = false;
    for (uint64_t v = 0; v < l->net->nodes; v++) {
        if (!bough_is_switch(l->net, v)) continue;
        if (!(guid && net_node_guid(l->net, v) == *guid) && !net_node_has_name(l->net, v, word, length))
            continue;
        found = true;
        l->count += !l->settings->root[v];
        l->settings->root[v] = true;
    }
    return found;
}

bough_status engine_roots_read(const char *text, bough_routing *routing, engine_settings *settings,
                               bough_error *error) {
    node_list l = {.net = routing->net,
                   .take = take_root,
                   .settings = settings,
                   .param = "roots",
                   .one = "a switch",
                   .are_not = "roots are not switches"};
    if (!*text) return BOUGH_OK;
    settings->roots = text;
    bough_status status = bough_alloc(&settings->root, l.net->nodes, sizeof *settings->root, error);
    return status ? status : read_list(&l, text, routing, error);
}

/* ---- order of destinations ---- */

static bool take_place(node_list *l, const char *word, size_t length, const uint64_t *guid) {
    char name[160];
    uint64_t endpoint = guid ? bough_index_map_get(&l->port, *guid) : BOUGH_NO_INDEX;
    if (endpoint == BOUGH_NO_INDEX && length < sizeof name) {
        memcpy(name, word, length);
        name[length] = 0;
        endpoint = net_node_named(l->net, name);
    }
    if (endpoint >= l->net->endpoints) return false;
    if (!l->settings->place[endpoint]) l->settings->place[endpoint] = (uint32_t)++l->count;
    return true;
}

bough_status engine_order_read(const char *text, bough_routing *routing, engine_settings *settings,
                               bough_error *error) {
    node_list l = {.net = routing->net,
                   .take = take_place,
                   .settings = settings,
                   .param = "order",
                   .one = "an endpoint",
                   .are_not = "entries are no endpoints"};
    if (!*text) return BOUGH_OK;
    bough_status status = bough_alloc(&settings->place, l.net->endpoints, sizeof *settings->place, error);
    for (uint64_t e = 0; e < l.net->endpoints && !status; e++)
        status = bough_index_map_put(&l.port, net_port_guid(l.net, e), (uint32_t)e, error);
    TRY(read_list(&l, text, routing, error));
    bough_index_map_fini(&l.port);
    return status;
}

/* ---- routings ---- */

bough_status engine_routing_make(const bough_net *net, const bough_routing_kind *kind,
                                 const engine_settings *settings, bough_routing **out, bough_error *error) {
    bough_routing *r;
    *out = NULL;
    bough_status status = bough_alloc(&r, 1, sizeof *r, error);
    if (status) return status;
    r->net = net;
    r->kind = kind;
    r->spec = bough_strdup(kind->name);
    if (!r->spec) status = bough_fail_memory(error, 16);
    if (!status)
        status =
            kind == &bough_routing_updn ? updn_fill(r, settings, error) : minhop_fill(r, settings, error);
    if (status)
        bough_routing_destroy(r);
    else
        *out = r;
    return status;
}
