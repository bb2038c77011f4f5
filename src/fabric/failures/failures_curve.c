/* Degradation: growing shares of what can die, drawn by the kinds of faults, with a key for each trial. */
#include "base/memory/memory.h"
#include "base/status/stop.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "base/thread_team.h"
#include "fabric/failures/failures_internal.h"
#include "network/faults/faults.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MAX (UINT64_C(1) << 52)

bool bough_failures_is_curve(const char *spec) {
    const char *share = strstr(spec, "share=");
    return share && strstr(share, "..") && strstr(share, "..") < share + strcspn(share, ",+");
}

/* A spec without its share and key. */
typedef struct drawn {
    bough_spec spec;
    uint64_t key;
} drawn;

static bough_status read_spec(const char *text, drawn *d, bough_error *error) {
    int64_t key = 1;
    *d = (drawn){0};
    if (strchr(text, '+'))
        return bough_fail(error, BOUGH_INVALID, NULL, "'%s': a curve is of one kind of fault, not of several",
                          text);
    bough_status status = bough_spec_parse(text, &d->spec, error);
    for (unsigned i = 0; i < d->spec.count && !status; i++) {
        const char *name = d->spec.arg[i].key;
        if (!name || strcmp(name, "share") == 0 || strcmp(name, "count") == 0)
            status =
                bough_fail(error, BOUGH_INVALID, NULL, "'%s': a curve is over a share, and takes no other %s",
                           text, name ? name : "value");
        else if (strcmp(name, "key") == 0)
            status = bough_parse_int(d->spec.arg[i].value, "key", &key, error);
    }
    if (!status && (key < 0 || (uint64_t)key > KEY_MAX))
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "key=%" PRId64 " is out of range; 0 to 2^52 are there", key);
    d->key = (uint64_t)key;
    if (status) bough_spec_fini(&d->spec);
    return status;
}

static char *spec_at(const drawn *d, double share, uint64_t key) {
    bough_text text = {0};
    char number[40];
    bough_text_printf(&text, "%s:share=%s,key=%" PRIu64, d->spec.name,
                      bough_format_real(share, number, sizeof number), key);
    for (unsigned i = 0; i < d->spec.count; i++) {
        if (strcmp(d->spec.arg[i].key, "key") == 0) continue;
        bough_text_printf(&text, ",%s=", d->spec.arg[i].key);
        bough_text_put_quoted(&text, d->spec.arg[i].value);
    }
    return bough_text_take(&text);
}

/* Links that no flow may take: dead ones, and those that are lost without anybody knowing. */
static bough_status draw(const bough_failures *f, const char *spec, uint64_t *dead, bough_error *error) {
    bough_net *net = NULL;
    bough_status status =
        bough_net_with_faults(f->net->faults ? f->net->faults->base : f->net, spec, &net, error);
    for (uint64_t w = 0; !status && w < words_for(f->links); w++)
        dead[w] = (net->dead ? net->dead[w] : 0) | (net->lost ? net->lost[w] : 0);
    bough_net_destroy(net);
    return status;
}

static double share_of(const bough_failures *f, uint64_t pairs) {
    return f->whole.pairs ? (double)pairs / (double)f->whole.pairs : 0;
}

static void add(const bough_failures *f, bough_degradation_step *step, const bough_failure *r) {
    double left = share_of(f, r->rerouted.pairs);
    if (step->rerouted.count == 0 || left < step->worst) step->worst = left;
    bough_stats_add(&step->as_is, share_of(f, r->as_is.pairs));
    bough_stats_add(&step->rerouted, left);
    bough_stats_add(&step->max, (double)r->rerouted.alltoall_max);
    bough_stats_add(&step->mean, r->rerouted.alltoall_mean);
    if (!isnan(r->rerouted.slowdown)) bough_stats_add(&step->slowdown, r->rerouted.slowdown);
    bough_stats_add(&step->shift, r->rerouted.shift_mean);
}

/* All draws of all shares, in any order; their results are added in theirs. Ranks take draws in turn. */
typedef struct draws {
    bough_failures *f;
    const drawn *d;
    const bough_degradation_ask *ask;
    uint64_t count;
    const bough_failures_options *options;
    bool anew;
    bough_failure *result;
    atomic_size_t done;
} draws;

static bough_status one_draw(void *context, unsigned worker, uint64_t i, bough_error *error) {
    draws *all = context;
    const bough_failures *f = all->f;
    const uint64_t trials = all->ask->trials;
    uint64_t *dead = NULL;
    char *spec = spec_at(all->d, all->ask->share[i / trials], all->d->key + i % trials);
    bough_status status = spec ? BOUGH_OK : bough_fail_memory(error, 256);
    TRY(bough_alloc(&dead, words_for(f->links), sizeof *dead, error));
    TRY(draw(f, spec, dead, error));
    TRY(failures_dead(f, dead, all->anew, &all->result[i], error));
    TRY(stop_check(all->options->stop, error));
    FREE_ALL(dead, spec);
    const double done = (double)(atomic_fetch_add(&all->done, 1) + 1);
    if (worker == 0 && all->options->progress)
        all->options->progress(all->options->progress_context, done / (double)all->count);
    return status;
}

bough_status bough_failures_degrade(bough_failures *f, const bough_degradation_ask *ask,
                                    const bough_failures_options *options, bough_degradation *result,
                                    bough_error *error) {
    drawn d;
    *result = (bough_degradation){.trials = ask->trials};
    bough_status status = read_spec(ask->spec, &d, error);
    if (status) return status;
    draws all = {
        .f = f, .d = &d, .ask = ask, .count = bough_mul(ask->shares, ask->trials), .options = options};
    result->anew = all.anew = failures_anew_wanted(f, all.count);
    status = arena_copy(options->memory, &result->spec, ask->spec, error);
    TRY(bough_net_memory_check(f->net, bough_mul(all.count, sizeof *all.result), "the draws", error));
    TRY(bough_alloc(&all.result, all.count, sizeof *all.result, error));
    TRY(arena_alloc(options->memory, &result->step, ask->shares, sizeof *result->step, error));
    TRY(team_try(f->threads, all.count, one_draw, &all, error));
    result->count = status ? 0 : ask->shares;
    for (size_t i = 0; i < result->count; i++) {
        result->step[i].share = ask->share[i];
        for (uint64_t t = 0; t < ask->trials; t++) add(f, &result->step[i], &all.result[i * ask->trials + t]);
    }
    if (status) *result = (bough_degradation){0};
    free(all.result);
    bough_spec_fini(&d.spec);
    return status;
}
