/* Specs change along axes (fattree:n={n}), so a spec does not identify its entry in a list. Lists of
 * networks, faults and traffics are outside all axes: the points of one entry of each form a block, all
 * blocks have the same values of the axes, and the specs of a block's first point identify its entries.
 *
 * Axes may depend on each other (m: [n/8, n]). If an axis has more values than any of its rows, and the
 * values divided by another axis are no more than that, these ratios are used as the varying values. */
#include "report/charts/chart_axes.h"

#include "base/status/try.h"
#include "base/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS_MAX = 4096 }; /* searched linearly; further labels share the last one */

/* ---- specs ---- */

/* The end of the piece that starts at text: a comma outside quotes. */
static const char *piece_end(const char *text) {
    bool quoted = false;
    for (; *text && (quoted || *text != ','); text++) {
        if (*text == '\\' && text[1]) text++;
        if (*text == '"') quoted = !quoted;
    }
    return text;
}

static bool has_piece(const char *pieces, const char *piece, size_t length) {
    for (const char *p = pieces; *p;) {
        const char *end = piece_end(p);
        if ((size_t)(end - p) == length && strncmp(p, piece, length) == 0) return true;
        p = *end ? end + 1 : end;
    }
    return false;
}

bough_status chart_common_spec(arena *memory, const char *a, const char *b, char **common,
                               bough_error *error) {
    if (strcmp(a, b) == 0) return arena_copy(memory, common, a, error);
    size_t head = strcspn(a, ":");
    bough_text out = {0};
    /* nothing in common: the first one represents all */
    if (head != strcspn(b, ":") || strncmp(a, b, head) != 0) {
        size_t length = strlen(a);
        bough_text_put(&out, a);
        if (length < 4 || strcmp(a + length - 4, " ...") != 0) bough_text_put(&out, " ...");
        return bough_text_keep(&out, memory, common, error);
    }
    const char *rest = b + head + (b[head] == ':');
    bough_text_add(&out, a, head);
    char before = ':';
    for (const char *p = a + head + (a[head] == ':'); *p;) {
        const char *end = piece_end(p);
        if (has_piece(rest, p, (size_t)(end - p))) {
            bough_text_add(&out, &before, 1);
            bough_text_add(&out, p, (size_t)(end - p));
            before = ',';
        }
        p = *end ? end + 1 : end;
    }
    return bough_text_keep(&out, memory, common, error);
}

/* Reduces *label, which may be empty, to the part that it has in common with spec. */
static bough_status fold_spec(arena *memory, char **label, const char *spec, bough_error *error) {
    if (strcmp(*label, spec) == 0) return BOUGH_OK;
    return chart_common_spec(memory, **label ? *label : spec, spec, label, error);
}

/* ---- labels ---- */

static bough_status add_label(arena *memory, chart_dim *d, const char *label, bough_error *error) {
    char *copy = NULL;
    bough_status status = arena_grow(memory, &d->label, d->labels + 1, sizeof *d->label, error);
    TRY(arena_copy(memory, &copy, label, error));
    if (!status) d->label[d->labels++] = copy;
    return status;
}

/* Finds or adds a label and returns its number. *guess: where the last one was found. */
static bough_status intern(arena *memory, chart_dim *d, const char *label, uint32_t *at, bough_error *error) {
    for (size_t i = 0, k = *at < d->labels ? *at : 0; i < d->labels; i++, k = k + 1 < d->labels ? k + 1 : 0)
        if (strcmp(d->label[k], label) == 0) {
            *at = (uint32_t)k;
            return BOUGH_OK;
        }
    *at = (uint32_t)(d->labels < LABELS_MAX ? d->labels : LABELS_MAX - 1);
    return d->labels < LABELS_MAX ? add_label(memory, d, label, error) : BOUGH_OK;
}

/* Numbers the entries of a list that differ only in what changes along axes. */
static bough_status number_equals(arena *memory, chart_dim *d, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 1; i < d->labels; i++)
        for (size_t k = 0; k < i; k++) {
            if (strcmp(d->label[i], d->label[k]) != 0) continue;
            TRY(arena_printf(memory, &d->label[i], error, "%s (%zu)", d->label[i], i + 1));
            break;
        }
    return status;
}

/* ---- methods and routings ---- */

static bough_status fill_methods(chart_dims *dims, bough_error *error) {
    chart_dim *d = &dims->dim[DIM_METHOD], *r = &dims->dim[DIM_ROUTING];
    arena *m = &dims->memory;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < dims->study->points && !status; i++) {
        const bough_study_point *p = &dims->study->point[i];
        for (size_t k = 0; k < p->answers && !status; k++) {
            while (d->labels <= p->answer[k].asked && !status) status = add_label(m, d, "", error);
            if (!status) status = fold_spec(m, &d->label[p->answer[k].asked], p->answer[k].method, error);
        }
        for (size_t k = 0; k < p->routings && !status; k++) {
            if (k >= r->labels)
                status = add_label(m, r, p->routing[k].spec, error);
            else
                status = fold_spec(m, &r->label[k], p->routing[k].spec, error);
        }
    }
    d->varies = d->labels > 1;
    r->varies = r->labels > 1;
    TRY(number_equals(m, d, error));
    TRY(number_equals(m, r, error));
    return status;
}

/* ---- networks, faults, traffic ---- */

static bool same_values(const bough_study *study, size_t a, size_t b) {
    for (size_t i = 0; i < study->axes; i++)
        if (strcmp(study->point[a].value[i], study->point[b].value[i]) != 0) return false;
    return true;
}

static const char *spec_of(const bough_study_point *p, size_t dim) {
    const bough_asked *asked = dim == DIM_NETWORK  ? &p->network
                               : dim == DIM_FAULTS ? &p->faults
                                                   : &p->traffic;
    return asked->spec ? asked->spec : "none";
}

static bough_status fill_list(chart_dims *dims, size_t dim, size_t block, bough_error *error) {
    const bough_study *study = dims->study;
    chart_dim first = {0}, *d = &dims->dim[dim];
    arena *m = &dims->memory;
    bough_status status = arena_alloc(m, &d->at, study->points, sizeof *d->at, error);
    for (size_t i = 0; i < study->points && !status; i += block) {
        uint32_t at = 0;
        status = intern(m, &first, spec_of(&study->point[i], dim), &at, error);
        for (size_t k = i; k < i + block && k < study->points && !status; k++) d->at[k] = at;
    }
    for (size_t i = 0; i < study->points && !status; i++) {
        uint32_t at = d->at[i];
        if (at >= d->labels)
            status = add_label(m, d, spec_of(&study->point[i], dim), error);
        else
            status = fold_spec(m, &d->label[at], spec_of(&study->point[i], dim), error);
    }
    d->varies = d->labels > 1;
    return status ? status : number_equals(m, d, error);
}

static bough_status fill_lists(chart_dims *dims, bough_error *error) {
    const bough_study *study = dims->study;
    size_t block = 1;
    while (block < study->points && !same_values(study, 0, block)) block++;
    bough_status status = BOUGH_OK;
    for (size_t dim = DIM_NETWORK; dim <= DIM_TRAFFIC && !status; dim++)
        status = fill_list(dims, dim, block, error);
    return status;
}

/* ---- axes ---- */

static bool number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return *text && !*end && isfinite(*value);
}

/* The maximum number of values of the axis for fixed values of the earlier ones. */
static size_t widest_row(const bough_study *study, size_t axis) {
    size_t widest = 1, row = 1;
    for (size_t i = 1; i < study->points; i++) {
        bool same = true;
        for (size_t k = 0; k < axis && same; k++)
            same = strcmp(study->point[i].value[k], study->point[i - 1].value[k]) == 0;
        if (!same)
            row = 1;
        else if (strcmp(study->point[i].value[axis], study->point[i - 1].value[axis]) != 0)
            row++;
        if (row > widest) widest = row;
    }
    return widest;
}

/* "m = n/8", "m = 2 n". */
static void ratio_label(char *out, size_t size, const char *axis, const char *of, double ratio) {
    char real[40];
    double inverse = 1 / ratio;
    if (ratio == 1)
        snprintf(out, size, "%s = %s", axis, of);
    else if (ratio < 1 && fabs(inverse - round(inverse)) < 1e-9 * inverse)
        snprintf(out, size, "%s = %s/%.0f", axis, of, inverse);
    else
        snprintf(out, size, "%s = %s %s", axis, bough_format_real(ratio, real, sizeof real), of);
}

/* Fills the dimension of an axis with the ratios to an earlier axis; leaves it empty if these are more than
 * the values in a row of the grid. */
static bough_status fill_ratios(chart_dims *dims, size_t axis, size_t of, bough_error *error) {
    const bough_study *study = dims->study;
    chart_dim *d = &dims->dim[DIM_AXES + axis];
    size_t most = widest_row(study, axis);
    bough_status status = BOUGH_OK;
    uint32_t at = 0;
    for (size_t i = 0; i < study->points && !status; i++) {
        double value, base;
        char label[200];
        bool positive = number(study->point[i].value[axis], &value) &&
                        number(study->point[i].value[of], &base) && base > 0 && value > 0;
        if (positive) {
            ratio_label(label, sizeof label, study->axis[axis], study->axis[of], value / base);
            status = intern(&dims->memory, d, label, &at, error);
            d->at[i] = at;
        }
        if (positive && d->labels <= most) continue;
        d->labels = 0;
        break;
    }
    return status;
}

static bough_status fill_axis(chart_dims *dims, size_t axis, bough_error *error) {
    const bough_study *study = dims->study;
    chart_dim *d = &dims->dim[DIM_AXES + axis];
    bough_status status = arena_alloc(&dims->memory, &d->at, study->points, sizeof *d->at, error);
    d->numeric = true;
    uint32_t at = 0;
    for (size_t i = 0; i < study->points && !status; i++) {
        double value;
        char label[400];
        d->numeric = d->numeric && number(study->point[i].value[axis], &value);
        snprintf(label, sizeof label, "%s = %s", study->axis[axis], study->point[i].value[axis]);
        status = intern(&dims->memory, d, label, &at, error);
        d->at[i] = at;
    }
    d->varies = d->labels > 1;
    size_t most = d->varies && d->numeric && axis > 0 ? widest_row(study, axis) : d->labels;
    if (status || most >= d->labels) return status;
    chart_dim plain = *d;
    d->label = NULL, d->labels = 0;
    status = arena_alloc(&dims->memory, &d->at, study->points, sizeof *d->at, error);
    for (size_t of = 0; of < axis && !d->labels && !status; of++) status = fill_ratios(dims, axis, of, error);
    if (!d->labels && !status) *d = plain; /* else ratios replace the values */
    return status;
}

/* ---- all of them ---- */

bough_status chart_dims_make(const bough_study *study, const char *merged, chart_dims *dims,
                             bough_error *error) {
    static const char *const names[DIM_AXES] = {"method", "routing", "network", "faults", "traffic"};
    *dims = (chart_dims){.study = study};
    bough_status status =
        arena_alloc(&dims->memory, &dims->dim, DIM_AXES + study->axes, sizeof *dims->dim, error);
    if (status) return status;
    dims->count = DIM_AXES + study->axes;
    for (size_t i = 0; i < dims->count; i++)
        dims->dim[i].name = i < DIM_AXES ? names[i] : study->axis[i - DIM_AXES];
    status = fill_methods(dims, error);
    TRY(fill_lists(dims, error));
    for (size_t i = 0; i < study->axes && !status; i++) {
        status = fill_axis(dims, i, error);
        if (merged && strcmp(merged, study->axis[i]) == 0) dims->dim[DIM_AXES + i].varies = false;
    }
    /* A spec that changes only along an axis does not count as varying. */
    dims->dim[DIM_NETWORK].varies = dims->dim[DIM_NETWORK].varies && study->network_varies;
    dims->dim[DIM_FAULTS].varies = dims->dim[DIM_FAULTS].varies && study->faults_vary;
    dims->dim[DIM_TRAFFIC].varies = dims->dim[DIM_TRAFFIC].varies && study->traffic_varies;
    return status;
}

static bough_status check_renamed(const chart_dim *d, const char *label, bough_error *error) {
    size_t found = 0;
    for (size_t i = 0; i < d->labels; i++) found += strcmp(d->label[i], label) == 0;
    if (found < 2) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, "plot", "labels: two values of %s would be called '%.80s'",
                      d->name, label);
}

static bough_status rename_labels(arena *memory, chart_dim *d, const bough_plot *plot, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < d->labels && plot->labels; i++) {
        const char *label = bough_plot_label(plot, d->label[i]);
        if (label == d->label[i]) continue;
        TRY(arena_copy(memory, &d->label[i], label, error));
        TRY(check_renamed(d, label, error));
    }
    return status;
}

bough_status chart_dims_rename(chart_dims *dims, const bough_plot *plot, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < dims->count; i++) TRY(rename_labels(&dims->memory, &dims->dim[i], plot, error));
    return status;
}

/* True if two points agree in all dimensions except one. */
static bool same_but(const chart_dims *dims, size_t p, size_t q, size_t but) {
    for (size_t i = 0; i < dims->count; i++) {
        const chart_dim *d = &dims->dim[i];
        if (i != but && d->at && d->varies && !d->follows && d->at[p] != d->at[q]) return false;
    }
    return true;
}

static bool follows(const chart_dims *dims, size_t dim) {
    const uint32_t *at = dims->dim[dim].at;
    for (size_t p = 0; p < dims->study->points; p++)
        for (size_t q = 0; q < p; q++)
            if (at[p] != at[q] && same_but(dims, p, q, dim)) return false;
    return true;
}

void chart_dims_follow(chart_dims *dims, const size_t *kept, size_t count) {
    enum { POINTS_MAX = 2048 };
    if (dims->study->points > POINTS_MAX) return;
    for (size_t i = dims->count; i-- > DIM_AXES;) {
        bool keep = !dims->dim[i].varies || !dims->dim[i].at;
        for (size_t k = 0; k < count; k++) keep = keep || kept[k] == i;
        dims->dim[i].follows = !keep && follows(dims, i);
    }
}

size_t chart_dims_find(const chart_dims *dims, const char *name) {
    /* an axis with the name of a dimension takes precedence */
    for (size_t i = dims->count; name && i > 0; i--)
        if (strcmp(dims->dim[i - 1].name, name) == 0) return i - 1;
    return DIM_NONE;
}

const char *chart_dims_label(const chart_dims *dims, size_t dim, size_t point, const bough_answer *answer) {
    const chart_dim *d = &dims->dim[dim];
    if (dim == DIM_METHOD) return d->label[answer->asked];
    if (dim == DIM_ROUTING) return answer->routed ? d->label[answer->routing] : "";
    return d->label[d->at[point]];
}
