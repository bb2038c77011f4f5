/* Specs of jitter: lognormal:5%, exponential:5%, spike:share=1%,time=1ms. */
#include "base/status/try.h"
#include "network/physical/physical.h"

#include <stdio.h>
#include <string.h>

/* A table for each kind: parameters of other kinds are unknown. */
static const bough_param none_params[] = {BOUGH_PARAMS_END};
static const bough_param lognormal_params[] = {
    {"share", "standard deviation over the time", BOUGH_SHARE, NULL, 0, 10, .echo = true},
    BOUGH_PARAMS_END,
};
static const bough_param exponential_params[] = {
    {"share", "mean of what is added, over the time", BOUGH_SHARE, NULL, 0, 10, .echo = true},
    BOUGH_PARAMS_END,
};
static const bough_param spike_params[] = {
    {"share", "probability", BOUGH_SHARE, NULL, 0, 1, .echo = true},
    {"time", "what is added", BOUGH_TIME, NULL, 0, 1e15, .echo = true},
    BOUGH_PARAMS_END,
};

static const struct {
    const char *name;
    const bough_param *params;
} kinds[] = {
    [BOUGH_JITTER_NONE] = {"none", none_params},
    [BOUGH_JITTER_LOGNORMAL] = {"lognormal", lognormal_params},
    [BOUGH_JITTER_EXPONENTIAL] = {"exponential", exponential_params},
    [BOUGH_JITTER_SPIKE] = {"spike", spike_params},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bough_status unknown_kind(const char *name, bough_error *error) {
    const char *names[KINDS];
    char hint[BOUGH_HINT_MAX];
    for (unsigned i = 0; i < KINDS; i++) names[i] = kinds[i].name;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "jitter: no distribution '%s'%s; there are lognormal:SHARE, exponential:SHARE and "
                      "spike:share=,time=",
                      name, bough_hint(hint, name, names, KINDS));
}

bough_status bough_jitter_read(const char *text, bough_jitter *jitter, bough_error *error) {
    bough_spec spec = {0};
    bough_args args = {0};
    unsigned kind = 0;
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    while (kind < KINDS && strcmp(kinds[kind].name, spec.name) != 0) kind++;
    status = kind == KINDS ? unknown_kind(spec.name, error)
                           : bough_args_bind(&spec, kinds[kind].params, "jitter", &args, error);
    if (!status) {
        *jitter = (bough_jitter){.kind = kind};
        if (kind) jitter->share = args.value[0].real;
        if (kind == BOUGH_JITTER_SPIKE) jitter->time = (uint64_t)args.value[1].integer;
        if (jitter->share == 0) jitter->kind = BOUGH_JITTER_NONE;
    }
    bough_args_fini(&args);
    bough_spec_fini(&spec);
    return status;
}

char *bough_jitter_text(const bough_jitter *j, char *buffer, size_t size) {
    char time[40];
    if (j->kind == BOUGH_JITTER_NONE)
        snprintf(buffer, size, "none");
    else if (j->kind == BOUGH_JITTER_SPIKE)
        snprintf(buffer, size, "spike:share=%g%%,time=%s", 100 * j->share,
                 bough_format_measure(BOUGH_TIME, (int64_t)j->time, time, sizeof time));
    else
        snprintf(buffer, size, "%s:%g%%", kinds[j->kind].name, 100 * j->share);
    return buffer;
}
