/* YAML to texts. The order of top-level keys is free; axes keep theirs. */
#include "study/files/study_file.h"

#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "base/text/spec.h"
#include "base/text/text.h"
#include "base/text/yaml_tree.h"
#include "study/files/axis_expression.h"

#include <stdio.h>
#include <string.h>

/* ---- yaml reader ---- */

typedef struct reader {
    raw_study *raw;
    yaml_tree tree;
    const char *file, *text;
    size_t size;
    char place[256];
    bough_error *error;
    bool setting; /* the text is the value of --set: one line */
} reader;

/* "file.yaml:12" for messages; overwritten by the next call. */
static const char *reader_place(reader *r, unsigned line) {
    if (r->setting) return r->file;
    snprintf(r->place, sizeof r->place, "%.240s:%u", r->file, line);
    return r->place;
}

/* A YAML syntax error is often caused by an unquoted spec: true if a line nearby contains its characters. */
static bool line_has_spec(const reader *r, unsigned line) {
    const char *p = r->text, *end = r->text + r->size;
    for (; line > 1 && p && p < end; line--) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (p) p++;
    }
    if (!p || p >= end) return false;
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop) stop = end;
    const char *colon = memchr(p, ':', (size_t)(stop - p));
    return (colon && memchr(colon + 1, ':', (size_t)(stop - colon - 1))) ||
           memchr(p, '{', (size_t)(stop - p)) || memchr(p, ',', (size_t)(stop - p));
}

/* Advice to quote, if an unquoted spec is the likely cause. */
static bough_status syntax_error(reader *r) {
    const char *problem = r->tree.problem;
    const unsigned line = r->tree.bad_line;
    bool other = strstr(problem, "end of stream") || strstr(problem, "tab character");
    unsigned spec = other                                    ? 0
                    : line_has_spec(r, line)                 ? line
                    : line > 1 && line_has_spec(r, line - 1) ? line - 1
                                                             : 0;
    if (!spec)
        return bough_fail(r->error, BOUGH_INVALID, reader_place(r, line), "not valid YAML: %s", problem);
    return bough_fail(r->error, BOUGH_INVALID, reader_place(r, spec),
                      "not valid YAML: %s; quote specs that contain {, a comma in brackets, or a colon and a "
                      "space, as in \"fattree:n={n}\"",
                      problem);
}

/* The caller calls yaml_tree_fini. */
static bough_status reader_load(reader *r) {
    const bough_status status = yaml_tree_read(r->file, r->text, r->size, &r->tree, r->error);
    if (status && r->tree.bad_line) return syntax_error(r);
    if (status || r->tree.root) return status;
    return bough_fail(r->error, BOUGH_INVALID, r->file,
                      "the file is empty; a study needs network and methods");
}

/* ---- study file ---- */

typedef struct key_kind {
    const char *name;
    raw_key key;
    bool list; /* lists are allowed */
    bool spec; /* contains spec strings */
    bool map;  /* names and values; no lists */
} key_kind;

static const key_kind top_keys[] = {
    {"study", RAW_STUDY, false, false, false},
    {"network", RAW_NETWORK, true, true, false},
    {"routing", RAW_ROUTING, true, true, false},
    {"traffic", RAW_TRAFFIC, true, true, false},
    {"faults", RAW_FAULTS, true, true, false},
    {"methods", RAW_METHODS, true, true, false},
    {"method", RAW_METHODS, true, true, false},
    {"only", RAW_ONLY, true, false, false},
    {"trials", RAW_TRIALS, false, false, false},
    {"precision", RAW_PRECISION, false, false, false},
    {"seed", RAW_SEED, false, false, false},
    {"compare", RAW_COMPARE, false, false, false},
    {"pool", RAW_POOL, false, false, false},
    {"physical", RAW_PHYSICAL, false, true, false},
    {"unsupported", RAW_UNSUPPORTED, false, false, false},
    {"above", RAW_ABOVE, true, false, false},
    {"quantiles", RAW_QUANTILES, true, false, false},
};
static const key_kind plot_keys[] = {
    {"x", RAW_PLOT_X, false, false, false},
    {"xscale", RAW_PLOT_XSCALE, false, false, false},
    {"y", RAW_PLOT_Y, true, false, false},
    {"series", RAW_PLOT_SERIES, true, false, false},
    {"facet", RAW_PLOT_FACET, false, false, false},
    {"yscale", RAW_PLOT_YSCALE, false, false, false},
    {"bars", RAW_PLOT_BARS, false, false, false},
    {"overlay", RAW_PLOT_OVERLAY, true, false, false},
    {"ratio", RAW_PLOT_RATIO, true, false, false},
    {"curves", RAW_PLOT_CURVES, false, false, true},
    {"verticals", RAW_PLOT_VERTICALS, false, false, true},
    {"join", RAW_PLOT_JOIN, false, false, false},
    {"title", RAW_PLOT_TITLE, false, false, false},
    {"xlabel", RAW_PLOT_XLABEL, false, false, false},
    {"ylabel", RAW_PLOT_YLABEL, true, false, false},
    {"labels", RAW_PLOT_LABELS, false, false, true},
    {"order", RAW_PLOT_ORDER, true, false, false},
    {"size", RAW_PLOT_SIZE, false, false, false},
    {"font", RAW_PLOT_FONT, false, false, false},
};
enum {
    TOP_KEYS = sizeof top_keys / sizeof *top_keys,
    PLOT_KEYS = sizeof plot_keys / sizeof *plot_keys,
    KEYS_MAX = TOP_KEYS + 64,
    SIZE_LIMIT = 16 << 20
};

/* The keys of a mapping; more: those that are not read as lists. */
typedef struct key_table {
    const key_kind *key;
    size_t count;
    const char *more[3];
} key_table;
static const key_table top_table = {top_keys, TOP_KEYS, {"grid", "plot"}};
static const key_table plot_table = {plot_keys, PLOT_KEYS, {NULL}};

static const char *kind_of(const yaml_node_t *node) {
    return node->type == YAML_SEQUENCE_NODE  ? "a list"
           : node->type == YAML_MAPPING_NODE ? "a mapping"
                                             : "a text";
}

/* "file.yaml:12", or "--set n" for values set on the command line; returns buffer. */
static char *place_of(const raw_study *raw, const raw_list *list, unsigned line, char *buffer, size_t size) {
    if (list->setting)
        snprintf(buffer, size, "--set %.200s", list->setting);
    else
        snprintf(buffer, size, "%.240s:%u", raw->file, line);
    return buffer;
}

void raw_add_place(const raw_study *raw, const raw_list *list, const raw_text *item, const char *what,
                   bough_error *error) {
    if (!error) return;
    char place[256], reason[sizeof error->reason];
    snprintf(reason, sizeof reason, "%s", error->reason);
    place_of(raw, list, item->line, place, sizeof place);
    bough_fail(error, error->status, place, "%s%s%s", what, *what ? ": " : "", reason);
}

/* An error at the line of a node. */
#define FAIL_AT(node, ...)                                                                                   \
    bough_fail(r->error, BOUGH_INVALID, reader_place(r, yaml_tree_line(node)), __VA_ARGS__)

/* ---- scalars and lists ---- */

static bough_status copy_scalar(reader *r, const yaml_node_t *node, char **text) {
    const char *value = (const char *)node->data.scalar.value;
    if (strlen(value) != node->data.scalar.length) return FAIL_AT(node, "a text contains a NUL character");
    for (const char *c = value; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return FAIL_AT(node, "a text contains a line break or another control character: '%s'", value);
    return arena_copy(&r->raw->memory, text, value, r->error);
}

/* Error for a mapping in place of a spec or a value, with the most likely intention. */
static bough_status found_mapping(reader *r, const yaml_node_t *node, const char *key) {
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    const yaml_node_t *left = NULL, *right = NULL;
    if (pair < node->data.mapping.pairs.top) {
        left = yaml_document_get_node(&r->tree.document, pair->key);
        right = yaml_document_get_node(&r->tree.document, pair->value);
    }
    if (node->data.mapping.style == YAML_FLOW_MAPPING_STYLE)
        return FAIL_AT(node, "%s: in YAML a leading { starts a mapping; quote the value: \"{...}\"", key);
    if (left && right && left->type == YAML_SCALAR_NODE && right->type == YAML_SCALAR_NODE)
        return FAIL_AT(node,
                       "%s: YAML reads '%.60s: %.60s' as a mapping; a spec has no space after its colon "
                       "(%.60s:%.60s), or quote it",
                       key, left->data.scalar.value, right->data.scalar.value, left->data.scalar.value,
                       right->data.scalar.value);
    return FAIL_AT(node, "%s: expected a value, found a mapping", key);
}

/* `[xgft:down=2x2,up=1x2, b]`: YAML splits at every comma, which yields `up=1x2`. */
static bool cut_by_comma(const char *text) {
    size_t equals = strcspn(text, "=");
    return text[equals] && equals < strcspn(text, ":{(") && is_axis_name(text, equals);
}

/* flow: in a list in brackets. */
static bough_status add_item(reader *r, raw_list *list, const yaml_node_t *node, const key_kind *k,
                             bool flow) {
    if (node->type == YAML_MAPPING_NODE) return found_mapping(r, node, k->name);
    if (node->type != YAML_SCALAR_NODE)
        return FAIL_AT(node, "%s: expected a single value, found %s", k->name, kind_of(node));
    bough_status status =
        arena_grow(&r->raw->memory, &list->item, list->count + 1, sizeof *list->item, r->error);
    raw_text item = {NULL, NULL, node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE, yaml_tree_line(node)};
    TRY(copy_scalar(r, node, &item.text));
    if (status) return status;
    list->item[list->count++] = item;
    if (k->spec && flow && !item.quoted && cut_by_comma(item.text))
        return bough_fail(
            r->error, BOUGH_INVALID, reader_place(r, item.line),
            "%s: '%.80s' is not a spec: YAML split it at its commas; quote it, as in [\"name:a=1,b=2\"]",
            k->name, item.text);
    if (k->spec && !*item.text)
        return bough_fail(r->error, BOUGH_INVALID, reader_place(r, item.line), "%s: the spec is empty",
                          k->name);
    return BOUGH_OK;
}

static bough_status read_map(reader *r, raw_list *list, const yaml_node_t *node, const key_kind *k);

static bough_status read_list(reader *r, raw_list *list, const yaml_node_t *node, const key_kind *k) {
    if (k->map) return read_map(r, list, node, k);
    if (node->type != YAML_SEQUENCE_NODE) return add_item(r, list, node, k, false);
    if (!k->list) return FAIL_AT(node, "%s: expected a single value, found a list", k->name);
    bool flow = node->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE;
    const yaml_node_item_t *item = node->data.sequence.items.start;
    if (item == node->data.sequence.items.top) return FAIL_AT(node, "%s: the list is empty", k->name);
    for (; item < node->data.sequence.items.top; item++) {
        bough_status status = add_item(r, list, yaml_document_get_node(&r->tree.document, *item), k, flow);
        if (status) return status;
    }
    return BOUGH_OK;
}

/* ---- mappings ---- */

/* A key of a mapping and its value. */
typedef struct entry {
    const char *key;
    const yaml_node_t *value;
    unsigned line;
} entry;

static bough_status read_entry(reader *r, const yaml_node_pair_t *pair, entry *e) {
    const yaml_node_t *node = yaml_document_get_node(&r->tree.document, pair->key);
    *e = (entry){"", yaml_document_get_node(&r->tree.document, pair->value), yaml_tree_line(node)};
    if (node->type != YAML_SCALAR_NODE)
        return bough_fail(r->error, BOUGH_INVALID, reader_place(r, e->line),
                          "expected a key, found %s; quote values that start with { or [", kind_of(node));
    e->key = (const char *)node->data.scalar.value;
    return BOUGH_OK;
}

/* names: those of the items. */
static bough_status read_pair(reader *r, raw_list *list, const yaml_node_pair_t *pair, const key_kind *k,
                              bough_name_map *names) {
    entry e;
    bough_status status = read_entry(r, pair, &e);
    if (status) return status;
    if (bough_name_map_get(names, e.key, strlen(e.key)) != UINT32_MAX)
        return bough_fail(r->error, BOUGH_INVALID, reader_place(r, e.line), "%s: duplicate name '%.80s'",
                          k->name, e.key);
    size_t before = list->count;
    status = add_item(r, list, e.value, k, false);
    if (list->count == before) return status;
    char **name = &list->item[before].name;
    TRY(copy_scalar(r, yaml_document_get_node(&r->tree.document, pair->key), name));
    TRY(bough_name_map_add(names, *name, strlen(*name), 0, r->error));
    return status;
}

/* Names and values: the items of the list. */
static bough_status read_map(reader *r, raw_list *list, const yaml_node_t *node, const key_kind *k) {
    if (node->type != YAML_MAPPING_NODE)
        return FAIL_AT(node, "%s: expected names and %s}, found %s", k->name,
                       k->key == RAW_PLOT_LABELS ? "labels, as in {circuit: Circuits"
                                                 : "expressions, as in {\"lg m\": \"lg(m)\"",
                       kind_of(node));
    bough_name_map names = {0};
    bough_status status = BOUGH_OK;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top && !status; pair++)
        status = read_pair(r, list, pair, k, &names);
    bough_name_map_fini(&names);
    return status;
}

static bough_status unknown_key(reader *r, const entry *e, const key_table *table) {
    const char *names[KEYS_MAX];
    size_t n = 0;
    bough_text reason = {0};
    for (size_t i = 0; i < table->count; i++) names[n++] = table->key[i].name;
    for (const char *const *more = table->more; *more; more++) names[n++] = *more;
    char hint[BOUGH_HINT_MAX];
    bough_text_printf(&reason, "unknown key '%.80s'%s; keys: ", e->key, bough_hint(hint, e->key, names, n));
    bough_text_put_list(&reason, names, n);
    return bough_fail_text(r->error, BOUGH_INVALID, reader_place(r, e->line), &reason);
}

static const key_kind *find_key(const key_table *table, const char *name) {
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->key[i].name, name) == 0) return &table->key[i];
    return NULL;
}

static bough_status duplicate_key(reader *r, const entry *e, unsigned first) {
    return bough_fail(r->error, BOUGH_INVALID, reader_place(r, e->line),
                      "duplicate key '%s' (first in line %u)", e->key, first);
}

static bough_status read_keyed(reader *r, const entry *e, const key_table *table) {
    const key_kind *k = find_key(table, e->key);
    if (!k) return unknown_key(r, e, table);
    raw_list *list = &r->raw->key[k->key];
    if (list->line) return duplicate_key(r, e, list->line);
    list->line = e->line;
    return read_list(r, list, e->value, k);
}

static bough_status read_plot(reader *r, const yaml_node_t *node) {
    if (node->type != YAML_MAPPING_NODE)
        return FAIL_AT(node, "plot: expected a mapping, as in {x: n, y: rounds}");
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
         pair++) {
        entry e;
        bough_status status = read_entry(r, pair, &e);
        TRY(read_keyed(r, &e, &plot_table));
        if (status) return status;
    }
    return BOUGH_OK;
}

static bough_status add_axis(reader *r, const entry *e) {
    static const char *const reserved[] = {
        "network", "routing", "traffic",  "faults", "method",    "methods",   "metric",
        "index",   "unit",    "mean",     "ci95",   "min",       "max",       "trials",
        "status",  "grid",    "plot",     "seed",   "precision", "study",     "only",
        "compare", "pool",    "physical", "above",  "quantile",  "quantiles", "unsupported"};
    raw_study *raw = r->raw;
    const char *name = e->key;
    if (!is_axis_name(name, strlen(name)) || strlen(name) > 40)
        return bough_fail(
            r->error, BOUGH_INVALID, reader_place(r, e->line),
            "grid: '%.80s' is not a valid axis name; use letters, digits and _, with a letter first", name);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], name) == 0)
            return bough_fail(r->error, BOUGH_INVALID, reader_place(r, e->line),
                              "grid: '%s' is reserved and cannot be the name of an axis", name);
    for (size_t i = 0; i < raw->axes; i++)
        if (strcmp(raw->axis[i].name, name) == 0)
            return bough_fail(r->error, BOUGH_INVALID, reader_place(r, e->line),
                              "grid: duplicate axis '%s' (first in line %u)", name, raw->axis[i].values.line);
    bough_status status = arena_grow(&raw->memory, &raw->axis, raw->axes + 1, sizeof *raw->axis, r->error);
    if (status) return status;
    raw_axis *axis = &raw->axis[raw->axes++];
    *axis = (raw_axis){.values = {.line = e->line}};
    status = arena_copy(&raw->memory, &axis->name, name, r->error);
    if (status) return status;
    char key[64];
    snprintf(key, sizeof key, "axis %.40s", name);
    return read_list(r, &axis->values, e->value, &(key_kind){.name = key, .list = true});
}

static bough_status read_axes(reader *r, const yaml_node_t *node) {
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
         pair++) {
        entry e;
        bough_status status = read_entry(r, pair, &e);
        TRY(add_axis(r, &e));
        if (status) return status;
    }
    return BOUGH_OK;
}

static bough_status read_grid(reader *r, const yaml_node_t *node) {
    if (node->type == YAML_MAPPING_NODE) return read_axes(r, node);
    if (node->type != YAML_SEQUENCE_NODE)
        return FAIL_AT(node, "grid: expected a list of axes, as in `- n: 2^4..2^20 times 2`");
    for (const yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top;
         i++) {
        const yaml_node_t *axis = yaml_document_get_node(&r->tree.document, *i);
        if (axis->type != YAML_MAPPING_NODE)
            return FAIL_AT(axis, "grid: expected an axis and its values, as in `- m: [n/8, n]`");
        bough_status status = read_axes(r, axis);
        if (status) return status;
    }
    return BOUGH_OK;
}

static bough_status read_top(reader *r, const yaml_node_t *root) {
    unsigned grid = 0, plot = 0;
    if (root->type != YAML_MAPPING_NODE)
        return FAIL_AT(root,
                       "a study file must be a mapping with the keys network, methods, grid, ..., not %s",
                       kind_of(root));
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top;
         pair++) {
        entry e;
        bough_status status = read_entry(r, pair, &e);
        if (status) return status;
        unsigned *once = strcmp(e.key, "grid") == 0 ? &grid : strcmp(e.key, "plot") == 0 ? &plot : NULL;
        if (once && *once)
            status = duplicate_key(r, &e, *once);
        else if (once)
            *once = e.line, status = once == &grid ? read_grid(r, e.value) : read_plot(r, e.value);
        else
            status = read_keyed(r, &e, &top_table);
        if (status) return status;
    }
    return BOUGH_OK;
}

/* ---- the file ---- */

bough_status raw_parse(raw_study *raw, const char *file, const char *text, size_t size, bough_error *error) {
    raw->file = file;
    reader r = {.raw = raw, .file = file, .text = text, .size = size, .error = error};
    if (size > SIZE_LIMIT)
        return bough_fail(error, BOUGH_TOO_LARGE, file, "a study file of more than 16 MiB");
    bough_status status = reader_load(&r);
    TRY(read_top(&r, r.tree.root));
    yaml_tree_fini(&r.tree);
    return status;
}

/* ---- --set ---- */

#define PLOT "plot."

static bool is_plot_key(const char *key) {
    return strncmp(key, PLOT, sizeof PLOT - 1) == 0;
}

static bough_status no_such_plot_key(const char *key, const char *place, bough_error *error) {
    const char *names[PLOT_KEYS];
    bough_text reason = {0};
    for (size_t i = 0; i < PLOT_KEYS; i++) names[i] = plot_keys[i].name;
    char hint[BOUGH_HINT_MAX];
    key += sizeof PLOT - 1;
    bough_text_printf(&reason, "plot has no key '%.80s'%s; it has: ", key,
                      bough_hint(hint, key, names, PLOT_KEYS));
    bough_text_put_list(&reason, names, PLOT_KEYS);
    return bough_fail_text(error, BOUGH_INVALID, place, &reason);
}

static bough_status no_such_setting(const raw_study *raw, const char *key, const char *place,
                                    bough_error *error) {
    if (is_plot_key(key)) return no_such_plot_key(key, place, error);
    const char *names[KEYS_MAX];
    size_t n = 0;
    bough_text reason = {0};
    for (size_t i = 0; i < TOP_KEYS; i++) names[n++] = top_keys[i].name;
    for (size_t i = 0; i < raw->axes && n < KEYS_MAX; i++) names[n++] = raw->axis[i].name;
    char hint[BOUGH_HINT_MAX];
    bough_text_printf(&reason, "the study has no key or axis '%s'%s; it has: ", key,
                      bough_hint(hint, key, names, n));
    bough_text_put_list(&reason, names, n);
    return bough_fail_text(error, BOUGH_INVALID, place, &reason);
}

/* A value in brackets is a YAML list, of a key that is a mapping it is one; everything else is one plain
 * text, so that specs need no extra quotes. */
bough_status raw_set(raw_study *raw, const bough_override *setting, bough_error *error) {
    char place[256];
    snprintf(place, sizeof place, "--set %.200s", setting->key);
    const key_kind *k = is_plot_key(setting->key) ? find_key(&plot_table, setting->key + sizeof PLOT - 1)
                                                  : find_key(&top_table, setting->key);
    raw_list *list = k ? &raw->key[k->key] : NULL;
    for (size_t i = 0; i < raw->axes && !list; i++)
        if (strcmp(raw->axis[i].name, setting->key) == 0) list = &raw->axis[i].values;
    if (!list) return no_such_setting(raw, setting->key, place, error);
    *list = (raw_list){.setting = setting->key};
    if (*setting->value != '[' && !(k && k->map)) {
        bough_status status = arena_alloc(&raw->memory, &list->item, 1, sizeof *list->item, error);
        TRY(arena_copy(&raw->memory, &list->item->text, setting->value, error));
        if (status) return status;
        list->count = 1;
        if (k && k->spec && !*setting->value)
            return bough_fail(error, BOUGH_INVALID, place, "the spec is empty");
        return BOUGH_OK;
    }
    reader r = {.raw = raw,
                .file = place,
                .text = setting->value,
                .size = strlen(setting->value),
                .error = error,
                .setting = true};
    bough_status status = reader_load(&r);
    const key_kind axis = {.name = setting->key, .list = true};
    TRY(read_list(&r, list, r.tree.root, k ? k : &axis));
    yaml_tree_fini(&r.tree);
    return status;
}
