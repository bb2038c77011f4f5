/* name:key=value,key=value: a spec up to any of its parts. */
#include "base/text/spec.h"
#include "cli/completion/candidates.h"
#include "report/catalogue/catalogue.h"

#include <stdio.h>
#include <string.h>

/* Values of texts, which have no choices of their own. name: NULL for all entries. */
static const struct {
    const char *name, *key, *values;
} texts[] = {
    {NULL, "file", "FILE"},
    {NULL, "place", "linear|random|rail|FILE"},
    {NULL, "pattern", "PATTERNS"},
    {"adversary", "out", "FILE"},
    {"bernoulli", "lengths", "geometric"},
    {"bernoulli", "of", "queueing|worm"},
    {"cube", "order", "left|right"},
    {"ibnet", "order", "lid|guid|name|FILE"},
    {"poisson", "lengths", "geometric"},
    {"poisson", "of", "queueing|worm"},
    {"updn", "roots", "FILE"},
};

/* The arguments before the one that is being written. */
typedef struct written {
    const catalogue_entry *entry;
    bool used[BOUGH_PARAM_MAX];
    unsigned count;      /* complete arguments */
    const char *current; /* the argument that the word ends in */
} written;

/* The parameter of an argument: by its key, or the first one. -1: none. */
static int parameter(const written *w, const char *argument, const char *end) {
    const bough_param *params = w->entry->params;
    const char *equals = memchr(argument, '=', (size_t)(end - argument));
    if (!equals) return w->count || !params || !params->key ? -1 : 0;
    for (int i = 0; params && params[i].key && i < BOUGH_PARAM_MAX; i++)
        if (strlen(params[i].key) == (size_t)(equals - argument) &&
            strncmp(params[i].key, argument, (size_t)(equals - argument)) == 0)
            return i;
    return -1;
}

static void read_arguments(const char *at, written *w) {
    bool quoted = false;
    w->current = at;
    for (; *at; at++) {
        if (quoted && *at == '\\' && at[1])
            at++;
        else if (*at == '"')
            quoted = !quoted;
        if (*at != ',' || quoted) continue;
        int p = parameter(w, w->current, at);
        if (p >= 0) w->used[p] = true;
        w->count++;
        w->current = at + 1;
    }
}

/* Whether another argument may follow the current one. */
static bool more_after(const written *w, int current) {
    const bough_param *params = w->entry->params;
    for (int i = 0; params[i].key && i < BOUGH_PARAM_MAX; i++)
        if (!w->used[i] && i != current) return true;
    return false;
}

static void add_choices(candidates *c, const char *choices) {
    char value[64];
    while (*choices) {
        size_t length = strcspn(choices, "|");
        const char *colon = memchr(choices, ':', length); /* a file follows */
        snprintf(value, sizeof value, "%.*s", (int)(colon ? colon - choices + 1 : (ptrdiff_t)length),
                 choices);
        candidates_add(c, value, NULL, !colon);
        choices += length + (choices[length] == '|');
    }
}

static void add_texts(candidates *c, const catalogue_entry *e, const char *key) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].key, key) == 0 && (!texts[i].name || strcmp(texts[i].name, e->name) == 0))
            candidates_add_values(c, texts[i].values, NULL);
}

static void add_parameter_values(candidates *c, const written *w, int p) {
    const bough_param *param = &w->entry->params[p];
    c->open = more_after(w, p);
    if (param->type == BOUGH_CHOICE) add_choices(c, param->choices);
    if (param->type == BOUGH_FLAG) add_choices(c, "0|1");
    if (param->type == BOUGH_TEXT) add_texts(c, w->entry, param->key);
}

static void add_keys(candidates *c, const written *w) {
    const bough_param *params = w->entry->params;
    for (int i = 0; params[i].key && i < BOUGH_PARAM_MAX; i++) {
        if (w->used[i]) continue;
        bough_text key = {0}, summary = {0};
        bough_text_printf(&key, "%s=", params[i].key);
        bough_text_put(&summary, params[i].summary);
        if (!params[i].fallback)
            bough_text_put(&summary, " [required]");
        else if (*params[i].fallback)
            bough_text_printf(&summary, " [%s]", params[i].fallback);
        if (key.failed || summary.failed)
            c->out.failed = true;
        else
            candidates_add(c, key.data, summary.data, false);
        bough_text_fini(&key);
        bough_text_fini(&summary);
    }
}

static void add_arguments(candidates *c, const catalogue_entry *e, const char *arguments) {
    written w = {.entry = e};
    if (!e->params) return;
    read_arguments(arguments, &w);
    const char *end = w.current + strlen(w.current), *equals = strchr(w.current, '=');
    int p = parameter(&w, w.current, end);
    c->kept = (size_t)((equals ? equals + 1 : w.current) - c->word);
    if (!equals) add_keys(c, &w);
    if (p >= 0) add_parameter_values(c, &w, p); /* a value without a key, too */
}

static void add_name(candidates *c, const catalogue_entry *e, const char *name) {
    bool required = false;
    for (const bough_param *p = e->params; p && p->key; p++) required |= !p->fallback;
    bough_text text = {0};
    bough_text_printf(&text, "%s%s", name, required ? ":" : "");
    if (text.failed)
        c->out.failed = true;
    else
        candidates_add(c, text.data, e->summary, !e->params || !e->params->key);
    bough_text_fini(&text);
}

static bool is_named(const catalogue_entry *e, const char *name, size_t length) {
    const char *const none[] = {NULL}, *const *alias = e->aliases ? e->aliases : none;
    const char *called = e->name;
    for (; called; called = *alias++)
        if (strlen(called) == length && strncmp(called, name, length) == 0) return true;
    return false;
}

bool candidates_is_spec(const candidates *c, const char *word, const catalogue_kind *kind) {
    catalogue_entry e;
    for (size_t i = 0; kind->at(c->registry, i, &e); i++)
        if (is_named(&e, word, strcspn(word, ":"))) return true;
    return false;
}

void candidates_add_specs(candidates *c, const catalogue_kind *kind) {
    catalogue_entry e;
    const char *begun = c->word + c->kept;
    size_t length = strcspn(begun, ":");
    for (size_t i = 0; kind->at(c->registry, i, &e); i++) {
        if (!begun[length])
            add_name(c, &e, e.name);
        else if (is_named(&e, begun, length)) {
            add_arguments(c, &e, begun + length + 1);
            return;
        }
    }
}
