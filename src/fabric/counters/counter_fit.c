/* Predicted loads are in flows or bytes of the job, and measured traffic is in bytes. One factor converts
 * them: the median over links of measured over predicted traffic, weighted by the prediction. Half of the
 * predicted traffic may be elsewhere before links that are as predicted look hot or idle; with the factor of
 * the totals, or of least squares, one hot link changes the factor for all. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/counters/counters_internal.h"

#include <math.h>
#include <stdlib.h>

#define EQUAL 1e-9

/* A link with what it is sorted by. */
typedef struct keyed {
    double key;
    uint64_t link;
} keyed;

static int by_key(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key > y->key ? -1 : 1;
    return (x->link > y->link) - (x->link < y->link);
}

typedef struct fitting {
    const bough_net *net;
    const bough_counters *counters;
    bough_counters_fit *fit;
    keyed *row; /* [links]: scratch */
    size_t rows;
    bough_error *error;
} fitting;

static bool is_counted(const fitting *f, uint64_t link) {
    return bough_link_alive(f->net, link) && f->counters->state[link] == BOUGH_LINK_COUNTED;
}

static void add_row(fitting *f, uint64_t link, double key) {
    f->row[f->rows++] = (keyed){key, link};
}

static void sort_rows(fitting *f) {
    if (f->rows) qsort(f->row, f->rows, sizeof *f->row, by_key);
}

/* ---- the factor ---- */

static void find_factor(fitting *f) {
    bough_counters_fit *fit = f->fit;
    const double *bytes = f->counters->bytes;
    double passed = 0, all = 0;
    f->rows = 0;
    for (uint64_t l = 0; l < f->net->links; l++) {
        if (bough_link_alive(f->net, l)) all += fit->load[l];
        if (!is_counted(f, l)) continue;
        fit->total += fit->load[l];
        if (fit->load[l] > 0) add_row(f, l, bytes[l] / fit->load[l]);
    }
    fit->factor = fit->factor_mean = NAN;
    fit->covered = all > 0 ? fit->total / all : NAN;
    if (!(fit->covered >= BOUGH_COUNTERS_COVERED) || !(f->counters->total > 0)) return;
    sort_rows(f);
    for (size_t i = 0; i < f->rows && isnan(fit->factor); i++) {
        passed += fit->load[f->row[i].link];
        if (passed >= fit->total / 2) fit->factor = f->row[i].key;
    }
    fit->factor_mean = f->counters->total / fit->total;
}

static void find_elsewhere(fitting *f) {
    bough_counters_fit *fit = f->fit;
    const double bytes = f->counters->total;
    double sum = 0;
    fit->elsewhere = NAN;
    if (isnan(fit->factor)) return;
    for (uint64_t l = 0; l < f->net->links; l++)
        if (is_counted(f, l)) sum += fabs(f->counters->bytes[l] / bytes - fit->load[l] / fit->total);
    fit->elsewhere = sum / 2;
}

/* ---- lists ---- */

static bough_status take_rows(fitting *f, uint64_t **link, size_t *count) {
    sort_rows(f);
    bough_status status = arena_alloc(f->counters->memory, link, f->rows, sizeof **link, f->error);
    if (status) return status;
    for (size_t i = 0; i < f->rows; i++) (*link)[i] = f->row[i].link;
    *count = f->rows;
    f->rows = 0;
    return BOUGH_OK;
}

static bough_status list_hot(fitting *f, double mean) {
    bough_counters_fit *fit = f->fit;
    f->rows = 0;
    for (uint64_t l = 0; l < f->net->links && mean > 0; l++) {
        if (!is_counted(f, l)) continue;
        const double predicted = fit->load[l] * fit->factor, excess = f->counters->bytes[l] - predicted;
        if (excess > BOUGH_COUNTERS_HOT * predicted && excess > BOUGH_COUNTERS_FLOOR * mean)
            add_row(f, l, excess);
    }
    return take_rows(f, &fit->hot, &fit->hots);
}

static bough_status list_idle(fitting *f, double mean) {
    bough_counters_fit *fit = f->fit;
    f->rows = 0;
    for (uint64_t l = 0; l < f->net->links && mean > 0; l++) {
        if (!is_counted(f, l)) continue;
        const double predicted = fit->load[l] * fit->factor, bytes = f->counters->bytes[l];
        if (predicted >= BOUGH_COUNTERS_FLOOR * mean && bytes < BOUGH_COUNTERS_IDLE * predicted)
            add_row(f, l, predicted - bytes);
    }
    return take_rows(f, &fit->idle, &fit->idles);
}

static double time_of(const fitting *f, uint64_t link) {
    const double rate = (double)bough_net_link_rate(f->net, link);
    return rate > 0 ? f->fit->load[link] / rate : f->fit->load[link];
}

static bough_status list_waits(fitting *f) {
    double most = 0;
    f->rows = 0;
    for (uint64_t l = 0; l < f->net->links; l++)
        if (bough_link_alive(f->net, l) && bough_link_of_endpoint(f->net, l) && time_of(f, l) > most)
            most = time_of(f, l);
    for (uint64_t l = 0; l < f->net->links; l++)
        if (bough_link_alive(f->net, l) && f->counters->wait[l] > 0 && time_of(f, l) <= most * (1 + EQUAL))
            add_row(f, l, f->counters->wait[l]);
    return take_rows(f, &f->fit->wait, &f->fit->waits);
}

bough_status counter_fit_find(const bough_net *net, const bough_counters *counters, bough_counters_fit *fit,
                              bough_error *error) {
    fitting f = {.net = net, .counters = counters, .fit = fit, .error = error};
    bough_status status = bough_alloc(&f.row, net->links, sizeof *f.row, error);
    if (status) return status;
    find_factor(&f);
    find_elsewhere(&f);
    const uint64_t counted = counters->count[BOUGH_LINK_COUNTED];
    const double mean = counted ? fit->factor * fit->total / (double)counted : 0;
    status = list_hot(&f, mean);
    TRY(list_idle(&f, mean));
    TRY(list_waits(&f));
    free(f.row);
    return status;
}
