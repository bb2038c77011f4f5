/* What lists of cables say in another way than one line for each cable: cables that are listed from both
 * ends, and patch panels, through which a cable goes on. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/utf8.h"
#include "formats/fabrics/cable_list.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int compare_slices(bough_slice a, bough_slice b) {
    const size_t least = a.length < b.length ? a.length : b.length;
    const int order = least ? memcmp(a.text, b.text, least) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_ends(const struct bough_cable_end *a, const struct bough_cable_end *b) {
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    return compare_slices(a->port, b->port);
}

/* ---- both ends ---- */

/* A cable with its lower end first. */
typedef struct turned_cable {
    const struct bough_cable_end *low, *high;
    uint32_t index;
    bool turned; /* the lower end is the second one of its line */
} turned_cable;

static bool is_same_cable(const turned_cable *a, const turned_cable *b) {
    return compare_ends(a->low, b->low) == 0 && compare_ends(a->high, b->high) == 0;
}

static int by_ends(const void *x, const void *y) {
    const turned_cable *a = x, *b = y;
    int order = compare_ends(a->low, b->low);
    if (!order) order = compare_ends(a->high, b->high);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static turned_cable turn(const bough_cable *cable, uint32_t index) {
    const struct bough_cable_end *a = &cable->end[0], *b = &cable->end[1];
    const bool turned = compare_ends(a, b) > 0;
    return (turned_cable){turned ? b : a, turned ? a : b, index, turned};
}

/* Cables that are the same but for their direction. */
typedef struct cable_group {
    const turned_cable *first;
    size_t count, turned;
} cable_group;

static cable_group group_at(const turned_cable *list, size_t count, size_t i) {
    cable_group g = {.first = &list[i]};
    for (; i < count && is_same_cable(&list[i], g.first); i++, g.count++) g.turned += list[i].turned;
    return g;
}

static size_t less(const cable_group *g) {
    return g->turned < g->count - g->turned ? g->turned : g->count - g->turned;
}

/* Whether no cable names a port, and all are listed as often in one direction as in the other. */
static bool all_are_there_twice(const turned_cable *list, size_t count) {
    for (size_t i = 0; i < count;) {
        const cable_group g = group_at(list, count, i);
        if (g.first->low->port.length || g.first->high->port.length || 2 * g.turned != g.count) return false;
        i += g.count;
    }
    return true;
}

/* Removes as many cables of a group, from its end, as the rarer direction has. */
static size_t drop_group(bough_cables *c, const cable_group *g, bool *dropped) {
    size_t drop = less(g), done = 0;
    const bool turned = !g->first->turned; /* of those that are dropped */
    for (size_t i = g->count; i-- > 0 && done < drop;) {
        const uint32_t index = g->first[i].index;
        if (g->first[i].turned != turned) continue;
        dropped[index] = true;
        for (int k = 0; k < 2; k++) c->node[c->cable[index].end[k].node].cables--;
        if (!c->cable[g->first->index].rate) c->cable[g->first->index].rate = c->cable[index].rate;
        done++;
    }
    return done;
}

static size_t drop_groups(bough_cables *c, const turned_cable *list, bool *dropped) {
    const bool twice = c->neighbours && all_are_there_twice(list, c->count);
    size_t done = 0;
    for (size_t i = 0; i < c->count;) {
        const cable_group g = group_at(list, c->count, i);
        if (twice || (g.first->low->port.length && g.first->high->port.length))
            done += drop_group(c, &g, dropped);
        i += g.count;
    }
    return done;
}

static void keep_others(bough_cables *c, const bool *dropped) {
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!dropped[i]) c->cable[kept++] = c->cable[i];
    c->count = kept;
}

bough_status bough_cables_once(bough_cables *c) {
    bough_parsed_fabric *parsed = c->parsed;
    turned_cable *list = NULL;
    bool *dropped = NULL;
    bough_status status = arena_alloc(&parsed->memory, &list, c->count, sizeof *list, parsed->error);
    TRY(arena_alloc(&parsed->memory, &dropped, c->count, sizeof *dropped, parsed->error));
    if (status) return status;
    for (size_t i = 0; i < c->count; i++) list[i] = turn(&c->cable[i], (uint32_t)i);
    if (c->count) qsort(list, c->count, sizeof *list, by_ends);
    const size_t done = drop_groups(c, list, dropped);
    if (!done) return BOUGH_OK;
    keep_others(c, dropped);
    bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_INFO, "both-ends"},
                      "cables that are listed from both ends, and count once: %zu", done);
    return BOUGH_OK;
}

/* ---- ports with several neighbours ---- */

/* A port, at an end of a cable. */
typedef struct sighted_port {
    const struct bough_cable_end *end;
    uint32_t cable;
} sighted_port;

static int by_port(const void *x, const void *y) {
    const sighted_port *a = x, *b = y;
    const int order = compare_ends(a->end, b->end);
    return order ? order : (a->cable > b->cable) - (a->cable < b->cable);
}

static size_t port_group(const sighted_port *list, size_t count, size_t i) {
    size_t next = i + 1;
    while (list[i].end->port.length && next < count && compare_ends(list[i].end, list[next].end) == 0) next++;
    return next - i;
}

static void drop_port(bough_cables *c, const sighted_port *list, size_t count, bool *dropped) {
    bough_log_finding(
        &c->parsed->log, &(bough_finding_head){BOUGH_WARN, "shared-port"},
        "port %s of %s has %zu neighbours, as on a shared network: their cables to it are left out",
        SHOWN(list->end->port), c->parsed->node[list->end->node].description, count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t index = list[i].cable;
        for (int k = 0; k < 2 && !dropped[index]; k++) c->node[c->cable[index].end[k].node].cables--;
        dropped[index] = true;
    }
}

bough_status bough_cables_drop_shared(bough_cables *c) {
    arena *memory = &c->parsed->memory;
    const size_t ends = 2 * c->count;
    sighted_port *list = NULL;
    bool *dropped = NULL;
    if (!c->sightings || !c->count) return BOUGH_OK;
    bough_status status = arena_alloc(memory, &list, ends, sizeof *list, c->parsed->error);
    TRY(arena_alloc(memory, &dropped, c->count, sizeof *dropped, c->parsed->error));
    if (status) return status;
    for (size_t i = 0; i < ends; i++)
        list[i] = (sighted_port){&c->cable[i / 2].end[i % 2], (uint32_t)(i / 2)};
    qsort(list, ends, sizeof *list, by_port);
    for (size_t i = 0, group; i < ends; i += group) {
        group = port_group(list, ends, i);
        if (group > 1) drop_port(c, &list[i], group, dropped);
    }
    keep_others(c, dropped);
    return BOUGH_OK;
}

/* ---- patch panels ---- */

/* Whether a word of the text begins so. */
static bool has_word(const char *text, const char *word) {
    for (bool inside = false; *text; inside = isalpha((unsigned char)*text++))
        if (!inside && strncasecmp(text, word, strlen(word)) == 0) return true;
    return false;
}

/* A node that is called so is a panel if it joins two cables. */
static bool may_be_panel(const bough_cables *c, uint32_t node) {
    const char *name = c->parsed->node[node].description;
    return c->node[node].panel ||
           (c->node[node].kind == BOUGH_CABLE_OPEN && (has_word(name, "patch") || has_word(name, "panel")));
}

/* "12" of "front12" and "Rear 12": what both sides of a panel have in common. Other names are themselves. */
static bough_slice place_in_panel(bough_slice port) {
    static const char *const sides[] = {"front", "rear", "front port", "rear port", "f", "r"};
    if (!port.length) return port;
    bough_slice number = {port.text + port.length, 0};
    while (number.length < port.length && isdigit((unsigned char)number.text[-1]))
        number.text--, number.length++;
    size_t before = port.length - number.length;
    while (before && strchr(" -_", port.text[before - 1])) before--;
    for (size_t i = 0; i < sizeof sides / sizeof *sides && number.length; i++)
        if (strlen(sides[i]) == before && strncasecmp(port.text, sides[i], before) == 0) return number;
    return port;
}

/* An end of a cable at a panel: twice the cable plus the side. */
typedef struct panel_end {
    uint32_t node, end;
    bough_slice place;
} panel_end;

static int by_place(const void *x, const void *y) {
    const panel_end *a = x, *b = y;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    const int order = compare_slices(a->place, b->place);
    return order ? order : (a->end > b->end) - (a->end < b->end);
}

typedef struct panels {
    bough_cables *c;
    bool *panel;    /* [2 * nodes]: by node; and whether it joins cables */
    uint32_t *next; /* [2 * cables]: of an end at a panel, the end on its other side; BOUGH_NO_INDEX: none */
    panel_end *end;
    size_t ends, loose;
} panels;

static uint32_t node_at(const bough_cables *c, uint32_t end) {
    return c->cable[end / 2].end[end % 2].node;
}

static void list_ends(panels *p) {
    for (uint32_t e = 0; e < 2 * p->c->count; e++) {
        p->next[e] = BOUGH_NO_INDEX;
        if (!p->panel[node_at(p->c, e)]) continue;
        p->end[p->ends++] =
            (panel_end){node_at(p->c, e), e, place_in_panel(p->c->cable[e / 2].end[e % 2].port)};
    }
    if (p->ends) qsort(p->end, p->ends, sizeof *p->end, by_place);
}

static bool is_same_place(const panel_end *a, const panel_end *b) {
    return a->node == b->node && compare_slices(a->place, b->place) == 0;
}

static bough_status refuse_third(const panels *p, const panel_end *end) {
    char place[256], name[64];
    const bough_parsed_fabric *parsed = p->c->parsed;
    const char *description = parsed->node[end->node].description;
    bough_copy_printable(description, strlen(description), name, sizeof name);
    return bough_fail(parsed->error, BOUGH_INVALID,
                      bough_format_place(place, sizeof place, parsed->name, p->c->cable[end->end / 2].line),
                      "%s has a third cable at one place; a patch panel joins two", name);
}

static bough_status join_ends(panels *p) {
    for (size_t i = 0; i < p->ends; i++) {
        const panel_end *a = &p->end[i], *b = a + 1;
        if (i + 1 == p->ends || !is_same_place(a, b)) continue;
        if (i + 2 < p->ends && is_same_place(b, b + 1)) return refuse_third(p, b + 1);
        p->next[a->end] = b->end;
        p->next[b->end] = a->end;
        i++;
    }
    return BOUGH_OK;
}

/* What is only called a panel, and joins nothing, is none. Returns how many are left. */
static size_t keep_joining(panels *p) {
    bool *joins = p->panel + p->c->parsed->node_count; /* as many more */
    size_t count = 0;
    for (size_t i = 0; i < p->ends; i++)
        if (p->next[p->end[i].end] != BOUGH_NO_INDEX) joins[p->end[i].node] = true;
    for (uint32_t n = 0; n < p->c->parsed->node_count; n++) {
        p->panel[n] = p->panel[n] && (joins[n] || p->c->node[n].panel);
        count += p->panel[n];
    }
    return count;
}

/* Follows a cable from one of its ends through panels; BOUGH_NO_INDEX: it ends at one. */
static uint32_t far_end(const panels *p, uint32_t end) {
    uint32_t at = end ^ 1;
    while (at != BOUGH_NO_INDEX && p->panel[node_at(p->c, at)]) {
        at = p->next[at];
        if (at != BOUGH_NO_INDEX) at ^= 1;
    }
    return at;
}

/* Replaces the cables by those between the nodes beyond the panels, at the line of their first part. */
static bough_status replace_cables(panels *p) {
    bough_cables *c = p->c;
    bough_cable *made = NULL;
    size_t count = 0;
    bough_status status = arena_alloc(&c->parsed->memory, &made, c->count, sizeof *made, c->parsed->error);
    for (uint32_t e = 0; e < 2 * c->count && !status; e++) {
        if (p->panel[node_at(c, e)]) continue;
        const uint32_t other = far_end(p, e);
        if (other == BOUGH_NO_INDEX) p->loose++, c->node[node_at(c, e)].cables--;
        if (other == BOUGH_NO_INDEX || other < e) continue;
        made[count] = c->cable[e / 2];
        made[count].end[0] = c->cable[e / 2].end[e % 2];
        made[count++].end[1] = c->cable[other / 2].end[other % 2];
    }
    if (status) return status;
    c->cable = made;
    c->count = count;
    return BOUGH_OK;
}

/* Removes the panels from the nodes, whose GUIDs follow from their places. */
static bough_status remove_nodes(panels *p) {
    bough_cables *c = p->c;
    bough_parsed_fabric *parsed = c->parsed;
    uint32_t *place = NULL, kept = 0;
    bough_status status =
        arena_alloc(&parsed->memory, &place, parsed->node_count, sizeof *place, parsed->error);
    for (uint32_t n = 0; n < parsed->node_count && !status; n++) {
        place[n] = kept;
        if (p->panel[n]) continue;
        parsed->node[kept] = parsed->node[n];
        parsed->node[kept].guid = 256 * ((uint64_t)kept + 1);
        parsed->line[kept] = parsed->line[n];
        c->node[kept++] = c->node[n];
    }
    if (status) return status;
    for (size_t i = 0; i < 2 * c->count; i++) {
        struct bough_cable_end *end = &c->cable[i / 2].end[i % 2];
        end->node = place[end->node];
    }
    parsed->node_count = kept;
    return BOUGH_OK;
}

bough_status bough_cables_join_panels(bough_cables *c) {
    bough_parsed_fabric *parsed = c->parsed;
    panels p = {.c = c};
    size_t count = 0;
    bough_status status =
        arena_alloc(&parsed->memory, &p.panel, 2 * parsed->node_count, sizeof *p.panel, parsed->error);
    for (uint32_t n = 0; n < parsed->node_count && !status; n++) count += p.panel[n] = may_be_panel(c, n);
    if (status || !count) return status;
    status = arena_alloc(&parsed->memory, &p.next, 2 * c->count, sizeof *p.next, parsed->error);
    TRY(arena_alloc(&parsed->memory, &p.end, 2 * c->count, sizeof *p.end, parsed->error));
    if (status) return status;
    list_ends(&p);
    status = join_ends(&p);
    count = status ? 0 : keep_joining(&p);
    if (!count) return status;
    status = replace_cables(&p);
    TRY(remove_nodes(&p));
    if (status) return status;
    bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_INFO, "patch-panel"},
                      "patch panels, through which cables go on: %zu", count);
    if (p.loose)
        bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_WARN, "loose-cable"},
                          "cables that end at a patch panel, and are left out: %zu", p.loose);
    return BOUGH_OK;
}
