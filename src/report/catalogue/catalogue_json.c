#include "base/json/json_writer.h"
#include "fabric/check/check_keys.h"
#include "method/method.h"
#include "report/catalogue/catalogue.h"
#include "study/study_keys.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Names of types, and the unit in which bounds are given. */
static const struct {
    const char *name, *unit;
} types[] = {
    [BOUGH_INT] = {"integer", ""},  [BOUGH_REAL] = {"number", ""},     [BOUGH_SHARE] = {"share", ""},
    [BOUGH_BYTES] = {"bytes", "B"}, [BOUGH_TIME] = {"time", "ps"},     [BOUGH_RATE] = {"rate", "b/s"},
    [BOUGH_FLAG] = {"flag", ""},    [BOUGH_CHOICE] = {"choice", ""},   [BOUGH_TEXT] = {"text", ""},
    [BOUGH_LIST] = {"list", ""},    [BOUGH_LENGTH] = {"length", "nm"},
};

/* "a|b|c" as an array. */
static void put_choices(json_writer *w, const char *choices) {
    char word[64];
    json_begin_array(w, "choices", true);
    for (const char *at = choices; *at;) {
        size_t length = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        json_put_text(w, NULL, word);
        at += length + (at[length] == '|');
    }
    json_end_array(w);
}

static void put_param(json_writer *w, const bough_param *p) {
    json_begin_object(w, NULL, true);
    json_put_text(w, "key", p->key);
    json_put_text(w, "type", types[p->type].name);
    if (*types[p->type].unit) json_put_text(w, "unit", types[p->type].unit);
    if (p->min != 0 || p->max != 0) {
        json_put_real(w, "min", p->min);
        json_put_real(w, "max", p->max);
    }
    if (p->type == BOUGH_CHOICE) put_choices(w, p->choices);
    json_put_flag(w, "required", !p->fallback);
    json_put_text(w, "default", p->fallback && *p->fallback ? p->fallback : NULL);
    json_put_text(w, "summary", p->summary);
    json_end_object(w);
}

static void put_lists(json_writer *w, const catalogue_entry *e) {
    if (e->aliases) {
        json_begin_array(w, "aliases", true);
        for (const char *const *a = e->aliases; *a; a++) json_put_text(w, NULL, *a);
        json_end_array(w);
    }
    if (e->params) {
        json_begin_array(w, "parameters", false);
        for (const bough_param *p = e->params; p->key; p++) put_param(w, p);
        json_end_array(w);
    }
    if (!e->assumes) return;
    json_begin_array(w, "assumes", true);
    for (unsigned i = 0; i < BOUGH_PREMISES; i++)
        if (e->assumes >> i & 1) json_put_text(w, NULL, bough_premise_text(i));
    json_end_array(w);
}

static void put_entry(json_writer *w, const catalogue_entry *e) {
    json_begin_object(w, NULL, false);
    json_put_text(w, "name", e->name);
    json_put_text(w, "summary", e->summary);
    if (e->source && *e->source) json_put_text(w, "source", e->source);
    if (e->extra && *e->extra) {
        char key[32];
        snprintf(key, sizeof key, "%s", e->what);
        for (char *at = key; *at; at++)
            if (*at == ' ') *at = '_';
        json_put_text(w, key, e->extra);
    }
    if (e->pattern) json_put_flag(w, "pattern", true);
    if (e->index && *e->index) json_put_text(w, "index", e->index);
    put_lists(w, e);
    json_end_object(w);
}

/* ---- keys of questions ---- */

void catalogue_put_values(json_writer *w, const char *values) {
    static const char *const keys[] = {"choices", "takes"};
    char value[KEY_VALUE_MAX];
    for (int words = 1; words >= 0; words--) {
        bool any = false;
        for (const char *at = values; key_next_value(&at, value);) {
            if (key_value_is_word(value) != words) continue;
            if (!any) json_begin_array(w, keys[!words], true);
            any = true;
            for (char *c = value; !words && *c; c++) *c = (char)tolower((unsigned char)*c);
            json_put_text(w, NULL, value);
        }
        if (any) json_end_array(w);
    }
}

/* What programs and the package for Python have to know beside what the help says. */
static void put_type(json_writer *w, const question_key *key) {
    const bool whole = key->kind == KEY_WHOLE || key->kind == KEY_SMALL;
    json_put_text(w, "type",
                  whole                   ? "integer"
                  : key->kind == KEY_REAL ? "number"
                  : key->kind == KEY_FLAG ? "flag"
                                          : "text");
    if (!whole) return;
    json_put_whole(w, "min", (int64_t)key->bounds.low);
    json_put_whole(w, "max", (int64_t)key->bounds.high);
}

void catalogue_put_line(json_writer *w, const char *key, bough_text *text) {
    for (size_t i = 0; i < text->length; i++)
        if (text->data[i] == '\n') text->data[i] = ' ';
    if (text->failed) w->out->failed = true;
    if (text->length) json_put_text(w, key, text->data);
    bough_text_fini(text);
}

void catalogue_put_key(json_writer *w, const question_key *key, bool program) {
    const char letter[2] = {key->letter};
    json_begin_object(w, NULL, true);
    json_put_text(w, "name", key->name);
    if (key->letter) json_put_text(w, "letter", letter);
    if (key->argument) json_put_text(w, "argument", key->argument);
    if (program) put_type(w, key);
    bough_text help = {0};
    bough_text_put(&help, key->help);
    catalogue_put_line(w, "summary", &help);
    json_put_flag(w, "repeat", key->flags & KEY_REPEAT);
    if (key->flags & KEY_LISTED) json_put_flag(w, "list", true);
    catalogue_put_values(w, key->values);
    json_end_object(w);
}

static void put_questions(json_writer *w) {
    static const struct {
        const char *name;
        const question_key *keys;
    } question[] = {{"point", point_keys}, {"study", grid_keys}, {"check", check_keys}};
    json_begin_object(w, "questions", false);
    for (size_t i = 0; i < sizeof question / sizeof *question; i++) {
        json_begin_array(w, question[i].name, false);
        for (const question_key *k = question[i].keys; k->name; k++)
            if (!(k->flags & KEY_COMMAND)) catalogue_put_key(w, k, true);
        json_end_array(w);
    }
    json_end_object(w);
}

bough_status catalogue_json_with(const bough_registry *registry, void (*more)(json_writer *w), char **text,
                                 bough_error *error) {
    bough_text out = {0};
    json_writer w = {.out = &out};
    catalogue_entry e;
    json_begin_document(&w);
    for (const catalogue_kind *k = catalogue; k->name; k++) {
        json_begin_array(&w, k->name, false);
        for (size_t i = 0; k->at(registry, i, &e); i++) put_entry(&w, &e);
        json_end_array(&w);
    }
    put_questions(&w);
    if (more) more(&w);
    json_end_document(&w);
    return bough_text_finish(&out, text, error);
}

bough_status catalogue_json(const bough_registry *registry, char **text, bough_error *error) {
    return catalogue_json_with(registry, NULL, text, error);
}
