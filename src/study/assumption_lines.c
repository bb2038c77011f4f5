#include "study/assumption_lines.h"

#include "document/narrow_table.h"

#include <stdio.h>
#include <string.h>

enum { KINDS_MAX = 16, VALUES_MAX = 8 };

/* A value, and the methods that assume it. */
typedef struct assumed_value {
    const char *value;
    char methods[120];
} assumed_value;

typedef struct assumed_kind {
    const char *what;
    assumed_value value[VALUES_MAX];
    size_t values, answers; /* answers: those that state it */
    bool more;              /* than VALUES_MAX */
} assumed_kind;

typedef struct assumed {
    assumed_kind kind[KINDS_MAX];
    size_t kinds, answers; /* answers with assumptions other than what the routing means */
} assumed;

static assumed_kind *find_kind(assumed *all, const char *what) {
    for (size_t i = 0; i < all->kinds; i++)
        if (strcmp(all->kind[i].what, what) == 0) return &all->kind[i];
    if (all->kinds == KINDS_MAX) return NULL;
    all->kind[all->kinds] = (assumed_kind){.what = what};
    return &all->kind[all->kinds++];
}

/* True if another answer of the study has the same method with other parameters. */
static bool has_variants(const bough_study *study, const char *spec) {
    size_t length = strcspn(spec, ":");
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            const char *other = study->point[i].answer[k].method;
            if (strcspn(other, ":") == length && strncmp(other, spec, length) == 0 &&
                strcmp(other, spec) != 0)
                return true;
        }
    return false;
}

static bool has_method(const char *methods, const char *spec, size_t length) {
    for (const char *at = methods; *at; at += strspn(at, "; ")) {
        size_t word = strcspn(at, ";");
        if (word == length && strncmp(at, spec, word) == 0) return true;
        at += word;
    }
    return false;
}

/* Adds a method, as far as it fits: without its parameters, unless they tell it from others. */
static void add_method(assumed_value *v, const bough_study *study, const char *spec) {
    size_t used = strlen(v->methods), length = has_variants(study, spec) ? strlen(spec) : strcspn(spec, ":");
    if (has_method(v->methods, spec, length)) return;
    snprintf(v->methods + used, sizeof v->methods - used, "%s%.*s", used ? "; " : "", (int)length, spec);
}

static void add(assumed *all, const bough_study *study, const bough_answer *answer) {
    bool others = false;
    for (unsigned i = 0; i < answer->assumptions; i++) {
        const bough_assumption *a = &answer->assumption[i];
        others |= strcmp(a->what, "routing") != 0;
        assumed_kind *kind = find_kind(all, a->what);
        size_t v = 0;
        if (!kind) continue;
        kind->answers++;
        while (v < kind->values && strcmp(kind->value[v].value, a->value) != 0) v++;
        if (v == VALUES_MAX) {
            kind->more = true;
            continue;
        }
        if (v == kind->values) kind->value[kind->values++] = (assumed_value){.value = a->value};
        add_method(&kind->value[v], study, answer->method);
    }
    all->answers += others;
}

typedef enum assumed_by { BY_ALL, BY_POINTS, BY_METHODS } assumed_by;

/* The same methods assume each of the values, at different points. */
static bool same_methods(const assumed_kind *kind) {
    for (size_t v = 1; v < kind->values; v++)
        if (strcmp(kind->value[v].methods, kind->value[0].methods) != 0) return false;
    return kind->values > 1;
}

static assumed_by what_differs(const assumed *all, const assumed_kind *kind) {
    if (kind->values == 1 && !kind->more && kind->answers >= all->answers) return BY_ALL;
    return same_methods(kind) ? BY_POINTS : BY_METHODS;
}

static void put_kind(bough_text *out, const assumed_kind *kind, bool methods) {
    bough_text_printf(out, "%s ", kind->what);
    for (size_t v = 0; v < kind->values; v++) {
        bough_text_printf(out, "%s%s", v ? " | " : "", kind->value[v].value);
        if (methods) bough_text_printf(out, " (%s)", kind->value[v].methods);
    }
    if (kind->more) bough_text_put(out, " | others");
}

static void put_line(bough_text *out, const assumed *all, assumed_by by, size_t line) {
    static const char *const head[] = {"assumes: ", "points differ: ", "methods differ: "};
    bough_text text = {0};
    for (size_t i = 0; i < all->kinds; i++) {
        if (what_differs(all, &all->kind[i]) != by) continue;
        bough_text_put(&text, text.length ? "; " : head[by]);
        put_kind(&text, &all->kind[i], by == BY_METHODS);
    }
    if (text.length || text.failed) put_wrapped_text(out, &text, line);
}

void assumption_lines_put(bough_text *out, const bough_study *study, size_t line) {
    assumed all = {0};
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) add(&all, study, &study->point[i].answer[k]);
    put_line(out, &all, BY_ALL, line);
    put_line(out, &all, BY_POINTS, line);
    put_line(out, &all, BY_METHODS, line);
    if (all.kinds) bough_text_put(out, "\n");
}

void assumption_lines_json(json_writer *w, const bough_study_point *p) {
    size_t count = 0;
    for (size_t i = 0; i < p->answers; i++) count += p->answer[i].assumptions;
    if (!count) return;
    json_begin_array(w, "assumptions", false);
    for (size_t i = 0; i < p->answers; i++) {
        const bough_answer *a = &p->answer[i];
        if (!a->assumptions) continue;
        json_begin_object(w, NULL, true);
        json_put_text(w, "method", a->method);
        json_put_text(w, "routing", a->routed ? p->routing[a->routing].spec : NULL);
        json_begin_object(w, "assumes", true);
        for (unsigned k = 0; k < a->assumptions; k++)
            json_put_text(w, a->assumption[k].what, a->assumption[k].value);
        json_end_object(w);
        json_end_object(w);
    }
    json_end_array(w);
}
