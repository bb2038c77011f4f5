#include "study/run/relative_load.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "traffic/streams/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The load while the saturation is determined, which does not depend on it. */
static const double SOME_LOAD = 0.001;

void saturation_book_fini(saturation_book *book) {
    for (size_t i = 0; i < book->count; i++) free(book->known[i].key);
    free(book->known);
    *book = (saturation_book){0};
}

/* True for methods that need find= to report a saturation; `data` provides the number directly. */
static bool wants_find(const bough_registry *registry, const bough_spec *spec) {
    for (unsigned i = 0; i < spec->count; i++)
        if (spec->arg[i].key && strcmp(spec->arg[i].key, "find") == 0) return false;
    const bough_method *m = bough_method_find(registry, spec->name, strlen(spec->name));
    for (const bough_param *p = m ? m->params : NULL; p && p->key; p++)
        if (strcmp(p->key, "find") == 0) return true;
    return false;
}

static bough_status method_spec(const bough_registry *registry, const char *of, char **out,
                                bough_error *error) {
    bough_spec spec;
    bough_text text = {0};
    bough_status status = bough_spec_parse(of, &spec, error);
    if (status) return status;
    bough_text_put(&text, of);
    if (wants_find(registry, &spec)) bough_text_printf(&text, "%cfind=saturation", spec.count ? ',' : ':');
    bough_spec_fini(&spec);
    return bough_text_finish(&text, out, error);
}

/* ---- one saturation ---- */

static bough_status read_saturation(const bough_run *run, const bough_rows *rows, double *load,
                                    bough_error *error) {
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->row[i].metric != BOUGH_METRIC_SATURATION || rows->row[i].index != BOUGH_NO_ROW_INDEX)
            continue;
        *load = rows->row[i].value;
        if (*load > 0 && isfinite(*load)) return BOUGH_OK;
        return bough_fail(error, BOUGH_INVALID, NULL, "%s found no saturation for %s on %s", run->spec,
                          run->point.traffic->spec, run->point.net->spec);
    }
    return bough_fail(error, BOUGH_INVALID, NULL, "method %s does not report %s", run->spec,
                      bough_metrics[BOUGH_METRIC_SATURATION].name);
}

static bough_status find_saturation(const char *method, const bough_point *point, uint64_t seed, double *load,
                                    bough_error *error) {
    bough_run *run;
    bough_rows rows = {0};
    void *workspace = NULL;
    bough_status status = bough_run_create(method, point, &run, error);
    if (status) return status;
    status = bough_memory_check(run->bytes, run->spec, error);
    TRY(bough_run_trial(run, bough_key_make(seed, 0), &workspace, &rows, error));
    TRY(read_saturation(run, &rows, load, error));
    bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    return status;
}

static char *book_key(const char *method, const bough_point *p) {
    bough_text key = {0};
    bough_text_printf(&key, "%s\n%s\n%s\n%s", method, p->net->spec, p->routing->spec, p->traffic->spec);
    return bough_text_take(&key);
}

/* Points that differ only in the relative load are adjacent, so the latest entry is checked first. */
static bough_status find_or_run(saturation_book *book, const char *method, const bough_point *point,
                                double *load, bough_error *error) {
    char *key = book_key(method, point);
    if (!key) return bough_fail_memory(error, strlen(method));
    for (size_t i = book->count; i-- > 0;)
        if (strcmp(book->known[i].key, key) == 0) {
            *load = book->known[i].load;
            free(key);
            return BOUGH_OK;
        }
    bough_status status = find_saturation(method, point, book->seed, load, error);
    TRY(bough_grow(&book->known, &book->capacity, book->count + 1, sizeof *book->known, error));
    if (status) {
        free(key);
        return status;
    }
    book->known[book->count].key = key;
    book->known[book->count++].load = *load;
    return BOUGH_OK;
}

/* ---- a traffic ---- */

static bough_text note_of(const bough_point *point, const stream_relload *asked, double saturation) {
    char share[40];
    double load = asked->share * saturation;
    bough_text note = {0};
    bough_text_printf(&note,
                      "%s under %s: relload %s of the saturation of %s, %.4g: load=%.4g flits/cycle/endpoint "
                      "= %.4g messages/cycle/endpoint",
                      point->net->spec, point->routing->spec,
                      bough_format_real(asked->share, share, sizeof share), asked->of, saturation, load,
                      load / bough_law_mean_flits(point->traffic->law));
    return note;
}

bough_status relload_resolve(const char *spec, const bough_point *where, saturation_book *book,
                             relload_result *result, bough_error *error) {
    stream_relload asked;
    bough_point point = *where;
    bough_traffic *traffic = NULL;
    char *some = NULL, *method = NULL, number[40];
    double saturation = 0;
    *result = (relload_result){0};
    bough_status status = stream_relload_read(spec, &asked, error);
    if (status || !asked.of) return status;
    status = stream_relload_replace(spec, SOME_LOAD, &some, error);
    TRY(bough_traffic_create(point.net, some, &traffic, error));
    point.traffic = traffic;
    TRY(method_spec(point.net->registry, asked.of, &method, error));
    TRY(find_or_run(book, method, &point, &saturation, error));
    TRY(stream_relload_replace(spec, asked.share * saturation, &result->spec, error));
    if (!status) result->note = note_of(&point, &asked, saturation);
    if (status && error) {
        bough_error inner = *error;
        bough_fail(error, status, inner.place, "relload=%s of %.80s: %s",
                   bough_format_real(asked.share, number, sizeof number), asked.of, inner.reason);
    }
    bough_traffic_destroy(traffic);
    FREE_ALL(some, method, asked.of);
    return status;
}
