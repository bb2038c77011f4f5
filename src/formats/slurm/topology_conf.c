/* Lines of keys and values, as in all files of Slurm: keys in any case, # starts a comment, and a line that
 * ends with \ goes on in the next one. */
#include "base/status/try.h"
#include "base/text/utf8.h"
#include "formats/slurm/conf_parser.h"

#include <string.h>
#include <strings.h>

typedef enum conf_key { SWITCH_NAME, NODES, SWITCHES, LINK_SPEED, LEVEL, CONF_KEYS } conf_key;
static const char *const key_names[] = {"SwitchName", "Nodes", "Switches", "LinkSpeed", "Level"};

typedef conf_parser parser;

/* The message is: before, the word, after. */
bough_status conf_fail(const conf_parser *p, const char *before, bough_slice word, const char *after) {
    return scan_fail_line(&p->scan, p->line, "%s%s%s", before, bough_shown(word, (char[72]){0}, 72), after);
}

static bough_slice name_of(const host_list *list, uint32_t i) {
    const char *name = list->name[i];
    return (bough_slice){name, strlen(name)};
}

/* ---- lines ---- */

/* Joins the next lines; false at the end of the file. */
static bool next_line(parser *p) {
    bool more = true, any = false;
    p->joined.length = 0;
    while (more && scan_line(&p->scan)) {
        const char *comment = memchr(p->scan.at, '#', (size_t)(p->scan.stop - p->scan.at));
        const char *end = comment ? comment : p->scan.stop;
        while (end > p->scan.at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
        if (!any) p->line = p->scan.line;
        any = true;
        more = end > p->scan.at && end[-1] == '\\';
        bough_text_add(&p->joined, p->scan.at, (size_t)(end - p->scan.at) - more);
    }
    return any;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* Takes "Key=Value" or Key="a value" off a line; false at its end. */
static bool next_pair(bough_slice *line, bough_slice *key, bough_slice *value) {
    const char *at = line->text, *end = at + line->length;
    while (at < end && is_blank(*at)) at++;
    *key = (bough_slice){at, 0};
    while (at < end && *at != '=' && !is_blank(*at)) at++;
    key->length = (size_t)(at - key->text);
    *value = (bough_slice){NULL, 0};
    if (at < end && *at == '=') {
        bool quoted = ++at < end && *at == '"';
        at += quoted;
        value->text = at;
        while (at < end && (quoted ? *at != '"' : !is_blank(*at))) at++;
        value->length = (size_t)(at - value->text);
        at += quoted && at < end;
    }
    *line = (bough_slice){at, (size_t)(end - at)};
    return key->length > 0 || value->text;
}

static bough_status find_key(const parser *p, bough_slice key, conf_key *found) {
    for (conf_key k = 0; k < CONF_KEYS; k++)
        if (strlen(key_names[k]) == key.length && strncasecmp(key.text, key_names[k], key.length) == 0)
            return *found = k, BOUGH_OK;
    if (key.length >= 5 && strncasecmp(key.text, "Block", 5) == 0)
        return conf_fail(
            p, "'", key,
            "' is for topology/block, which has no switches; expected SwitchName=... of topology/tree");
    return conf_fail(p, "unknown key '", key, "'; expected SwitchName, Nodes, Switches or LinkSpeed");
}

static bough_status read_pairs(parser *p, bough_slice *value) {
    bough_slice line = {p->joined.data, p->joined.length}, key, text;
    bough_status status = BOUGH_OK;
    conf_key k = 0;
    while (!status && next_pair(&line, &key, &text)) {
        status = find_key(p, key, &k);
        if (!status && (!text.text || !text.length)) status = conf_fail(p, "'", key, "' has no value");
        if (!status && value[k].text) status = conf_fail(p, "'", key, "' is given twice");
        if (!status) value[k] = text;
    }
    return status;
}

/* ---- switches ---- */

bough_status conf_add_switch(conf_parser *p, bough_slice name, bough_slice nodes, bough_slice children) {
    topology_conf *c = p->conf;
    conf_switch new = {.name = (uint32_t)c->name.count,
                       .line = p->line,
                       .first_node = (uint32_t)c->node.count,
                       .first_child = (uint32_t)c->child.count};
    char where[256];
    const char *place = bough_format_place(where, sizeof where, p->scan.file, p->line);
    if (name.length > HOST_NAME_MAX_ || memchr(name.text, '[', name.length) ||
        memchr(name.text, ',', name.length))
        return conf_fail(p, "the name of switch '", name, "': expected one name of at most 63 bytes");
    if (!nodes.text && !children.text) return conf_fail(p, "", name, p->neither);
    bough_status status = arena_grow(&c->memory, &c->item, c->count + 1, sizeof *c->item, p->scan.error);
    TRY(host_list_add(&c->name, place, name, p->scan.error));
    if (!status)
        status = host_list_expand(children.text ? &c->child : &c->node, place,
                                  children.text ? children : nodes, p->scan.error);
    new.nodes = (uint32_t)c->node.count - new.first_node;
    new.children = (uint32_t)c->child.count - new.first_child;
    if (!status) c->item[c->count++] = new;
    return status;
}

static bough_status read_line(parser *p) {
    bough_slice value[CONF_KEYS] = {{NULL, 0}};
    bough_status status = read_pairs(p, value);
    const bough_slice name = value[SWITCH_NAME];
    if (status || p->joined.length == 0) return status;
    if (!name.text) {
        bough_slice line = {p->joined.data, p->joined.length};
        while (line.length && is_blank(*line.text)) line.text++, line.length--;
        return line.length ? conf_fail(p, "expected SwitchName=NAME, not '", line, "'") : BOUGH_OK;
    }
    if (name.length == 7 && strncasecmp(name.text, "DEFAULT", 7) == 0) return BOUGH_OK; /* of LinkSpeed */
    /* scontrol prints all nodes below a switch beside its children */
    if (value[NODES].text && value[SWITCHES].text && !value[LEVEL].text)
        return conf_fail(p, "", name, " has both Nodes and Switches; a switch has one of them");
    return conf_add_switch(p, name, value[NODES], value[SWITCHES]);
}

/* ---- the whole ---- */

static bough_status name_switches(parser *p) {
    topology_conf *c = p->conf;
    bough_status status = BOUGH_OK;
    for (uint32_t i = 0; i < c->count && !status; i++) {
        bough_slice name = name_of(&c->name, c->item[i].name);
        p->line = c->item[i].line;
        if (bough_name_map_get(&p->names, name.text, name.length) != UINT32_MAX)
            return conf_fail(p, "switch ", name, " is described twice");
        status = bough_name_map_add(&p->names, name.text, name.length, i, p->scan.error);
    }
    return status;
}

static bough_status find_children(parser *p) {
    topology_conf *c = p->conf;
    bough_status status =
        arena_alloc(&c->memory, &c->child_item, c->child.count, sizeof *c->child_item, p->scan.error);
    for (size_t i = 0; i < c->count && !status; i++) {
        const conf_switch *s = &c->item[i];
        p->line = s->line;
        for (uint32_t k = s->first_child; k < s->first_child + s->children; k++) {
            bough_slice name = name_of(&c->child, k);
            c->child_item[k] = bough_name_map_get(&p->names, name.text, name.length);
            if (c->child_item[k] == UINT32_MAX) return conf_fail(p, "there is no switch ", name, "");
        }
    }
    return status;
}

/* Switches that remain are in a cycle, or below one. Going up from any of them leads into a cycle. */
static bough_status refuse_cycle(parser *p, const uint32_t *above, uint32_t *parent) {
    const topology_conf *c = p->conf;
    uint32_t at = UINT32_MAX;
    for (uint32_t i = 0; i < c->count; i++) {
        const conf_switch *s = &c->item[i];
        if (above[i]) at = i;
        for (uint32_t k = s->first_child; above[i] && k < s->first_child + s->children; k++)
            parent[c->child_item[k]] = i;
    }
    if (at == UINT32_MAX) return BOUGH_OK;
    for (size_t i = 0; i < c->count; i++) at = parent[at];
    p->line = c->item[at].line;
    return conf_fail(p, "switch ", name_of(&c->name, c->item[at].name), " is below itself");
}

/* Removes switches that are below no other one, again and again; what remains is not a tree. */
static bough_status refuse_cycles(parser *p) {
    topology_conf *c = p->conf;
    uint32_t *above = NULL, *parent = NULL, *queue = NULL;
    size_t from = 0, to = 0;
    bough_status status = arena_alloc(&c->memory, &above, c->count, sizeof *above, p->scan.error);
    TRY(arena_alloc(&c->memory, &parent, c->count, sizeof *parent, p->scan.error));
    TRY(arena_alloc(&c->memory, &c->order, c->count, sizeof *c->order, p->scan.error));
    queue = c->order;
    for (size_t k = 0; k < c->child.count && !status; k++) above[c->child_item[k]]++;
    for (uint32_t i = 0; i < c->count && !status; i++)
        if (above[i] == 0) queue[to++] = i;
    while (from < to) {
        const conf_switch *s = &c->item[queue[from++]];
        for (uint32_t k = s->first_child; k < s->first_child + s->children; k++)
            if (--above[c->child_item[k]] == 0) queue[to++] = c->child_item[k];
    }
    TRY(refuse_cycle(p, above, parent));
    return status;
}

/* By the first line that is no comment. */
static bool is_yaml(const scanner *start) {
    scanner s = *start;
    while (scan_line(&s))
        if (!scan_done(&s) && *s.at != '#') return topology_yaml_starts(&s);
    return false;
}

bough_status topology_conf_parse(const char *name, const char *data, size_t size, topology_conf *conf,
                                 bough_error *error) {
    parser p = {.conf = conf, .names.memory = &conf->memory, .neither = " has neither Nodes nor Switches"};
    bough_status status = scan_start(&p.scan, name, data, size, error);
    if (!status && is_yaml(&p.scan)) status = topology_yaml_read(&p);
    while (!status && next_line(&p))
        status = p.joined.failed ? bough_fail_memory(error, size) : read_line(&p);
    if (!status && conf->count == 0)
        status =
            bough_fail(error, BOUGH_INVALID, name, "describes no switch; expected SwitchName=NAME Nodes=...");
    TRY(name_switches(&p));
    TRY(find_children(&p));
    TRY(refuse_cycles(&p));
    bough_text_fini(&p.joined);
    return status;
}

void topology_conf_fini(topology_conf *c) {
    arena_fini(&c->memory);
    arena_fini(&c->name.memory);
    arena_fini(&c->node.memory);
    arena_fini(&c->child.memory);
    *c = (topology_conf){.count = 0};
}
