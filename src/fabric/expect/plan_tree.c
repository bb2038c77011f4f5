/* A fabric against a tree: that of a spec, or the regular one that is nearest to the fabric. Groups of
 * switches and the hosts of leaves have no names in a spec, so they are matched by size, the largest first.
 */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "fabric/expect/deviations.h"
#include "fabric/expect/tree_report.h"
#include "network/hosts.h"
#include "network/node_identifiers.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_NAME = 128 };

/* A leaf with its hosts, or a group with its lower and upper switches. */
typedef struct sized {
    uint32_t a, b;
    uint32_t node; /* the leaf, or the first lower switch */
} sized;

typedef struct sizes {
    sized *item;
    size_t count;
} sizes;

typedef struct compare {
    tree now, plan; /* plan: not made for the nearest tree */
    bool planned;
    bough_expected *e;
    bough_error *error;
} compare;

/* ---- sizes ---- */

static int compare_sizes(const sized *x, const sized *y) {
    if (x->a != y->a) return x->a > y->a ? -1 : 1;
    return (x->b < y->b) - (x->b > y->b);
}

static int largest_first(const void *x, const void *y) {
    int order = compare_sizes(x, y);
    uint32_t a = ((const sized *)x)->node, b = ((const sized *)y)->node;
    return order ? order : (a > b) - (a < b);
}

static bough_status list_groups(const tree *t, unsigned level, sizes *s, bough_error *error) {
    const tree_layer *layer = &t->layer[level];
    *s = (sizes){0};
    bough_status status = bough_alloc(&s->item, layer->groups, sizeof *s->item, error);
    for (uint32_t k = 0; k < layer->groups && !status; k++)
        s->item[s->count++] = (sized){layer->group[k].lowers, layer->group[k].uppers, layer->group[k].first};
    if (s->count) qsort(s->item, s->count, sizeof *s->item, largest_first);
    return status;
}

static bough_status list_leaves(const tree *t, sizes *s, bough_error *error) {
    *s = (sizes){0};
    bough_status status = bough_alloc(&s->item, t->net->nodes, sizeof *s->item, error);
    for (uint64_t v = 0; v < t->net->nodes && !status; v++)
        if (t->level[v] == 1) s->item[s->count++] = (sized){tree_links_to(t, (uint32_t)v, 0), 0, (uint32_t)v};
    if (s->count) qsort(s->item, s->count, sizeof *s->item, largest_first);
    return status;
}

/* The commonest size of a sorted list. */
static sized usual_size(const sizes *s) {
    size_t best = 0, most = 0;
    for (size_t i = 0, k; i < s->count; i = k) {
        for (k = i; k < s->count && compare_sizes(&s->item[i], &s->item[k]) == 0;) k++;
        if (k - i > most) {
            most = k - i;
            best = i;
        }
    }
    return s->count ? s->item[best] : (sized){0};
}

/* ---- the host that a leaf lacks, by its name ---- */

/* Names of the hosts of a leaf that differ in the number at their end only. */
typedef struct numbered_hosts {
    char stem[NODE_NAME];
    int digits; /* of all numbers, padded with zeros; 0: numbers are not padded */
    uint64_t least, most, sum, count;
} numbered_hosts;

static bool add_name(numbered_hosts *h, char name[NODE_NAME]) {
    size_t length = strlen(name), stem = length;
    while (stem && isdigit((unsigned char)name[stem - 1])) stem--;
    const uint64_t number = strtoull(name + stem, NULL, 10);
    const int digits = name[stem] == '0' ? (int)(length - stem) : 0;
    if (length == stem || length - stem > 9) return false;
    name[stem] = 0;
    if (!h->count++) {
        *h = (numbered_hosts){.digits = digits, .least = number, .count = 1};
        memcpy(h->stem, name, stem + 1);
    }
    if (digits) h->digits = digits;
    h->sum += number;
    if (number < h->least) h->least = number;
    if (number > h->most) h->most = number;
    return strcmp(h->stem, name) == 0;
}

/* Sets name to that of the one number that the hosts of a leaf leave out: node57 of node49 .. node60. */
static bool name_missing(const tree *t, uint32_t leaf, char name[NODE_NAME]) {
    numbered_hosts h = {0};
    if (!t->net->fabric) return false;
    for (tree_bundle b = tree_bundles(t, leaf); tree_bundle_next(&b);)
        if (t->level[b.node] == 0 && !add_name(&h, net_host_name(t->net, b.node, name, NODE_NAME)))
            return false;
    const uint64_t all = (h.least + h.most) * (h.most - h.least + 1) / 2, left_out = all - h.sum;
    if (h.most - h.least != h.count || left_out <= h.least || left_out >= h.most) return false;
    snprintf(name, NODE_NAME, "%.100s%0*" PRIu64, h.stem, h.digits, left_out);
    return net_node_named(t->net, name) == BOUGH_NONE;
}

/* ---- deviations of size ---- */

static bough_status report_leaf(compare *c, const sized *is, const sized *usual) {
    char name[NODE_NAME], host[NODE_NAME];
    deviation_head head = {BOUGH_DEVIATION_SIZE, c->planned ? BOUGH_WARN : BOUGH_INFO, {0}, {0}, NULL};
    const bool known = is->a + 1 == usual->a && name_missing(&c->now, is->node, host);
    head.node = bough_node_name(c->now.net, is->node, name, sizeof name);
    return deviation_add(c->e, &head, c->error, "%" PRIu32 " host%s, %s %" PRIu32 "%s%s", is->a,
                         is->a == 1 ? "" : "s", c->planned ? "planned" : "most leaves have", usual->a,
                         known ? "; by the names of the others it lacks " : "", known ? host : "");
}

static bough_status report_group(compare *c, unsigned level, const sized *is, const sized *usual) {
    char name[NODE_NAME];
    deviation_head head = {BOUGH_DEVIATION_SIZE, c->planned ? BOUGH_WARN : BOUGH_INFO, {0}, {0}, NULL};
    head.node = bough_node_name(c->now.net, is->node, name, sizeof name);
    return deviation_add(c->e, &head, c->error,
                         "the group of this switch has %" PRIu32 " switch%s of level %u below %" PRIu32
                         ", %s %" PRIu32 " below %" PRIu32,
                         is->a, is->a == 1 ? "" : "es", level, is->b,
                         c->planned ? "planned" : "most groups have", usual->a, usual->b);
}

/* How many there are of something without names. */
static bough_status compare_number(compare *c, const char *place, const char *what, uint64_t is,
                                   uint64_t planned) {
    deviation_head head = {BOUGH_DEVIATION_SIZE, BOUGH_WARN, {0}, {0}, place};
    if (is == planned) return BOUGH_OK;
    return deviation_add(c->e, &head, c->error, "%" PRIu64 " %s, planned %" PRIu64, is, what, planned);
}

static uint64_t switches_of(const tree *t, unsigned level) {
    uint64_t count = 0;
    for (uint64_t v = 0; v < t->net->nodes; v++) count += t->level[v] == level;
    return count;
}

static bough_status compare_leaves(compare *c) {
    sizes is, plan = {0};
    bough_status status = list_leaves(&c->now, &is, c->error);
    if (c->planned) TRY(list_leaves(&c->plan, &plan, c->error));
    sized usual = usual_size(&is);
    for (size_t i = 0; i < is.count && !status; i++) {
        const sized *to = !c->planned ? &usual : i < plan.count ? &plan.item[i] : NULL;
        if (to && compare_sizes(&is.item[i], to) != 0) status = report_leaf(c, &is.item[i], to);
    }
    FREE_ALL(is.item, plan.item);
    return status;
}

static bough_status compare_layer(compare *c, unsigned level) {
    sizes is, plan = {0};
    char place[64];
    bough_status status = list_groups(&c->now, level, &is, c->error);
    if (c->planned) TRY(list_groups(&c->plan, level, &plan, c->error));
    sized usual = usual_size(&is);
    snprintf(place, sizeof place, "levels %u and %u", level, level + 1);
    if (!status && c->planned) status = compare_number(c, place, "groups of switches", is.count, plan.count);
    for (size_t i = 0; i < is.count && !status; i++) {
        const sized *to = !c->planned ? &usual : i < plan.count ? &plan.item[i] : NULL;
        if (to && compare_sizes(&is.item[i], to) != 0) status = report_group(c, level, &is.item[i], to);
    }
    FREE_ALL(is.item, plan.item);
    return status;
}

/* ---- single switches ---- */

static bough_status report_switch(compare *c, uint32_t v, const char *text) {
    char name[NODE_NAME];
    deviation_head head = {BOUGH_DEVIATION_SIZE, BOUGH_WARN, {0}, {0}, NULL};
    head.node = bough_node_name(c->now.net, v, name, sizeof name);
    return deviation_add(c->e, &head, c->error, "%s", text);
}

/* Switches without cables to a neighbouring level, and hosts above the leaves. */
static bough_status compare_switches(compare *c) {
    const tree *t = &c->now;
    bough_status status = BOUGH_OK;
    for (uint64_t i = t->net->endpoints; i < t->net->nodes && !status; i++) {
        const uint32_t v = (uint32_t)i;
        char text[96];
        uint32_t hosts = t->level[v] > 1 ? tree_links_to(t, v, 0) : 0;
        if (t->level[v] == TREE_NO_LEVEL)
            status = report_switch(c, v,
                                   rows_count(&t->out, v) ? "this switch is not cabled to the tree"
                                                          : "this switch has no cable");
        else if (t->level[v] < t->levels && t->up[v] == TREE_NONE)
            status = report_switch(c, v, "no cable leads up from this switch");
        if (status || !hosts || t->level[v] == TREE_NO_LEVEL) continue;
        snprintf(text, sizeof text, "%" PRIu32 " host%s at a switch of level %u", hosts,
                 hosts == 1 ? "" : "s", t->level[v]);
        status = report_switch(c, v, text);
    }
    return status;
}

static bough_status compare_levels(compare *c) {
    const tree *t = &c->now, *p = &c->plan;
    bough_status status = BOUGH_OK;
    if (c->planned) status = compare_number(c, t->net->spec, "levels of switches", t->levels, p->levels);
    for (unsigned k = 1; k <= t->levels && k <= p->levels && c->planned && !status; k++) {
        char place[32];
        snprintf(place, sizeof place, "level %u", k);
        status = compare_number(c, place, "switches", switches_of(t, k), switches_of(p, k));
    }
    TRY(compare_switches(c));
    TRY(compare_leaves(c));
    for (unsigned k = 1; k < t->levels && !status; k++)
        if (!c->planned || k < p->levels) status = compare_layer(c, k);
    return status;
}

/* ---- the shape in words ---- */

static bough_status describe(const tree *t, bough_expected *e, bough_error *error) {
    bough_text out = {0};
    sizes s;
    bough_status status = list_leaves(t, &s, error);
    sized usual = usual_size(&s);
    const bool same = s.count && compare_sizes(&s.item[0], &s.item[s.count - 1]) == 0;
    if (!status)
        bough_text_printf(&out, "%zu leaves%s with %" PRIu32 " host%s", s.count, same ? "" : ", most",
                          usual.a, usual.a == 1 ? "" : "s");
    free(s.item);
    for (unsigned k = 1; k < t->levels && !status; k++) {
        status = list_groups(t, k, &s, error);
        usual = usual_size(&s);
        if (!status)
            bough_text_printf(&out,
                              "; levels %u and %u: %zu group%s of %" PRIu32 " below %" PRIu32 ", %" PRIu32
                              " cable%s a pair",
                              k, k + 1, s.count, s.count == 1 ? "" : "s", usual.a, usual.b,
                              t->layer[k].cables, t->layer[k].cables == 1 ? "" : "s");
        free(s.item);
    }
    TRY(bough_text_keep(&out, &e->memory, &e->shape, error));
    bough_text_fini(&out);
    return status;
}

/* ---- cables ---- */

static uint64_t total(const uint64_t count[]) {
    return count[BOUGH_DEVIATION_EXTRA] + count[BOUGH_DEVIATION_MOVED] + 2 * count[BOUGH_DEVIATION_SWAPPED];
}

static bough_status note_skipped(compare *c, const odd_cables *odd) {
    bough_status status = BOUGH_OK;
    for (unsigned k = 1; k < c->now.levels && !status; k++) {
        char place[64];
        snprintf(place, sizeof place, "levels %u and %u", k, k + 1);
        deviation_head head = {BOUGH_DEVIATION_SIZE, c->planned ? BOUGH_WARN : BOUGH_INFO, {0}, {0}, place};
        if (odd->skipped[k])
            status = deviation_add(c->e, &head, c->error,
                                   c->planned
                                       ? "more than a quarter of the cables are not as planned; they are not "
                                         "listed: the fabric is another tree"
                                       : "no regular pattern: more than a quarter of the cables would "
                                         "deviate; they are not listed");
    }
    return status;
}

static bough_status compare_cables(compare *c) {
    odd_cables odd = {0};
    uint32_t cables[TREE_LEVELS] = {0};
    for (unsigned k = 1; k < c->now.levels; k++)
        cables[k] = c->planned && k < c->plan.levels ? c->plan.layer[k].cables : c->now.layer[k].cables;
    bough_status status = odd_cables_find(&c->now, cables, &odd, c->error);
    TRY(tree_report_cables(&c->now, &odd, c->planned, c->e, c->error));
    TRY(note_skipped(c, &odd));
    c->e->cables = odd.cables;
    c->e->cables_planned = odd.planned;
    c->e->right = odd.cables - odd.irregular - total(c->e->count);
    arena_fini(&odd.memory);
    return status;
}

/* ---- the whole ---- */

/* A spec has to be such a tree, without any deviation. */
static bough_status open_plan(compare *c, const bough_net *planned) {
    odd_cables odd = {0};
    uint32_t cables[TREE_LEVELS];
    bough_status status = tree_make(planned, &c->plan, c->error);
    for (unsigned k = 0; k < TREE_LEVELS; k++) cables[k] = c->plan.layer[k].cables;
    TRY(odd_cables_find(&c->plan, cables, &odd, c->error));
    if (!status && (odd.missing.count || odd.extra.count || odd.irregular))
        status = bough_fail(
            c->error, BOUGH_UNSUPPORTED, NULL,
            "--expect needs a tree in which each level is joined to the next one in complete groups, "
            "such as xgft, kary or clos, and %s is none",
            planned->spec);
    c->e->cables_planned = odd.cables;
    arena_fini(&odd.memory);
    return status;
}

bough_status expect_tree(const bough_net *net, const bough_net *planned, bough_expected *e,
                         bough_error *error) {
    compare c = {.planned = planned != NULL, .e = e, .error = error};
    bough_status status = planned ? open_plan(&c, planned) : BOUGH_OK;
    uint64_t cables_planned = e->cables_planned;
    TRY(tree_make(net, &c.now, error));
    TRY(compare_cables(&c));
    TRY(compare_levels(&c));
    TRY(describe(planned ? &c.plan : &c.now, e, error));
    if (planned) e->cables_planned = cables_planned;
    e->nodes = net->switches;
    e->nodes_planned = planned ? planned->switches : net->switches;
    arena_fini(&c.now.memory);
    arena_fini(&c.plan.memory);
    return status;
}
