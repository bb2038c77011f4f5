#include "study/study.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/threads.h"
#include "study/run/point_binding.h"
#include "study/trial_statistics.h"

#include <stdlib.h>
#include <string.h>

/* ---- output files ---- */

/* Files that methods write: two answers of a study must not write the same one. */

/* Zero-initialise. */
typedef struct output_book {
    struct output *item;
    size_t count, capacity;
} output_book;

struct output {
    char *path;
    size_t point, answer;
};

/* Records the files that an answer's method writes. */
static bough_status outputs_note(output_book *book, const bough_run *run, size_t point, size_t answer,
                                 bough_error *error) {
    const bough_param *params = run->method->params;
    for (size_t i = 0; params[i].key; i++) {
        if (!params[i].output || !run->args.value[i].set) continue;
        bough_status status =
            bough_grow(&book->item, &book->capacity, book->count + 1, sizeof *book->item, error);
        if (status) return status;
        char *path = bough_strdup(run->args.value[i].text);
        if (!path) return bough_fail_memory(error, strlen(run->args.value[i].text));
        book->item[book->count++] = (struct output){path, point, answer};
    }
    return BOUGH_OK;
}

static int by_path(const void *a, const void *b) {
    const struct output *p = a, *q = b;
    int c = strcmp(p->path, q->path);
    if (c) return c;
    if (p->point != q->point) return p->point < q->point ? -1 : 1;
    return (p->answer > q->answer) - (p->answer < q->answer);
}

/* Errors: INVALID with the second of two points that name the same file. */
static bough_status outputs_check(output_book *book, const bough_study *study, bough_error *error) {
    if (book->count) qsort(book->item, book->count, sizeof *book->item, by_path);
    for (size_t i = 1; i < book->count; i++) {
        const struct output *o = &book->item[i];
        if (strcmp(o->path, o[-1].path) != 0) continue;
        const bough_study_point *p = &study->point[o->point];
        const bough_answer *a = &p->answer[o->answer];
        bough_status status = bough_fail(
            error, BOUGH_INVALID, NULL, "%s%s%s would write %s again; give every answer its own file",
            a->method, a->routed ? " under " : "", a->routed ? p->routing[a->routing].spec : "", o->path);
        return point_fail(study, o->point, p->method[a->asked].line, status, error);
    }
    return BOUGH_OK;
}

static void outputs_fini(output_book *book) {
    for (size_t i = 0; i < book->count; i++) free(book->item[i].path);
    free(book->item);
    *book = (output_book){0};
}

/* ---- study ---- */

bough_status bough_effort_precision(bough_effort *effort, const char *text, bough_error *error) {
    const char *number = text, *colon = strchr(text, ':');
    effort->watch = BOUGH_METRIC_COUNT;
    if (colon) {
        bough_status status =
            trial_statistic_metric("precision", text, (size_t)(colon - text), &effort->watch, error);
        if (status) return status;
        if (!bough_metric_estimates(effort->watch))
            return bough_fail(
                error, BOUGH_INVALID, NULL,
                "precision: %s is a property of a trial without an interval; name another metric",
                bough_metrics[effort->watch].name);
        number = colon + 1;
    }
    char digits[64] = "";
    size_t length = strlen(number);
    bool percent = length && number[length - 1] == '%';
    if (length < sizeof digits) memcpy(digits, number, length - percent);
    double value = 0;
    if (bough_parse_real(digits, "precision", &value, NULL) || !(value > 0) ||
        !(value / (percent ? 100 : 1) < 1))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "precision: '%s' is not a fraction between 0 and 1; write 1%%, 0.01, or rounds:1%% "
                          "to name the metric",
                          text);
    effort->precision = percent ? value / 100 : value;
    return BOUGH_OK;
}

const char *bough_plot_label(const bough_plot *plot, const char *value) {
    for (unsigned i = 0; i < plot->labels; i++)
        if (strcmp(plot->label[i].name, value) == 0) return plot->label[i].expression;
    return value;
}

static void free_results(bough_study_point *p) {
    for (size_t i = 0; i < p->answers; i++) free(p->answer[i].cell);
    FREE_ALL(p->comparison, p->statistic);
}

void bough_study_fini(bough_study *study) {
    binding_destroy(study->binding);
    for (size_t i = 0; i < study->points; i++) free_results(&study->point[i]);
    arena_fini(&study->memory);
    *study = (bough_study){0};
}

static bough_status copy_specs(arena *memory, const char *const *spec, size_t count, bough_asked **list,
                               bough_error *error) {
    bough_status status = count ? arena_alloc(memory, list, count, sizeof **list, error) : BOUGH_OK;
    for (size_t i = 0; i < count; i++) TRY(arena_copy(memory, &(*list)[i].spec, spec[i], error));
    return status;
}

bough_status bough_study_add_point(bough_study *study, const bough_point_asked *asked, bough_error *error) {
    arena *memory = &study->memory;
    bough_status status = arena_alloc(memory, &study->point, 1, sizeof *study->point, error);
    if (status) return status;
    bough_study_point *p = &study->point[0];
    study->points = 1;
    status = arena_copy(memory, &p->network.spec, asked->network, error);
    TRY(arena_copy(memory, &p->faults.spec, asked->faults, error));
    TRY(arena_copy(memory, &p->physical.spec, asked->physical, error));
    TRY(arena_copy(memory, &p->traffic.spec, asked->traffic, error));
    TRY(copy_specs(memory, asked->routing, asked->routings, &p->routing, error));
    TRY(copy_specs(memory, asked->method, asked->methods, &p->method, error));
    p->routings = asked->routings;
    p->methods = asked->methods;
    return status;
}

static bough_status resolve_point(bough_study *study, size_t at, output_book *outputs, bough_error *error) {
    bough_status status = bind_point(study, at, error);
    if (status) return status;
    const bough_study_point *p = &study->point[at];
    for (size_t k = 0; k < p->answers && !status; k++) {
        const bough_answer *a = &p->answer[k];
        status = bough_memory_check(a->bytes, a->method, error); /* in addition to the bound objects */
        if (status) return point_fail(study, at, p->method[a->asked].line, status, error);
        status = outputs_note(outputs, study->binding->run[k], at, k, error);
    }
    return status;
}

/* The canonical spec of a method of a point; NULL if there is none. */
static const char *method_spec(const bough_study_point *p, size_t asked) {
    for (size_t k = 0; k < p->answers; k++)
        if (p->answer[k].asked == asked) return p->answer[k].method;
    return NULL;
}

static bool same_everywhere(const bough_study *study, size_t i, size_t k) {
    for (size_t at = 0; at < study->points; at++) {
        const char *a = method_spec(&study->point[at], i), *b = method_spec(&study->point[at], k);
        if (!a || !b || strcmp(a, b) != 0) return false;
    }
    return true;
}

/* Two equal rows would look like an agreement. Methods that are equal only at some points (worm:buffer={b}
 * and worm:buffer=1) stay. */
static bough_status refuse_method_twice(const bough_study *study, bough_error *error) {
    for (size_t k = 1; method_spec(&study->point[0], k); k++)
        for (size_t i = 0; i < k; i++)
            if (same_everywhere(study, i, k))
                return bough_fail(error, BOUGH_INVALID, study->source,
                                  "the method %s is given twice; give it once",
                                  method_spec(&study->point[0], k));
    return BOUGH_OK;
}

bough_status bough_study_resolve(bough_study *study, bough_error *error) {
    if (study->points == 0) return bough_fail(error, BOUGH_INVALID, study->source, "the study has no points");
    output_book outputs = {0};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < study->points && !status; i++) status = resolve_point(study, i, &outputs, error);
    TRY(outputs_check(&outputs, study, error));
    outputs_fini(&outputs);
    TRY(refuse_method_twice(study, error));
    TRY(trial_statistics_check(study, error));
    return status;
}

unsigned bough_default_threads(void) {
    return parallel_processors();
}
