#include "traffic/workload.h"

#include "base/input.h"
#include "base/memory.h"
#include "traffic/endpoints.h"
#include "traffic/schedule_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    bough_workload w; /* its pointers are owned */
    match_plan match;
} work;

void workload_fini(bough_traffic *t) {
    work *k = t->data;
    if (!k) return;
    bough_schedule_destroy((bough_schedule *)k->w.schedule);
    free((uint32_t *)k->w.endpoint);
    match_fini(&k->match);
    free(k);
}

/* ---- placement ---- */

static bough_status too_many_ranks(const bough_schedule *s, const bough_net *net, bough_error *error) {
    return bough_fail(error, BOUGH_INVALID, s->name,
                      "%" PRIu32 " ranks, and %s has %" PRIu64
                      " endpoints; take a larger network, or place=FILE to put several ranks on one",
                      s->ranks, net->spec, net->endpoints);
}

static bough_status place_random(const bough_net *net, uint64_t key, uint32_t ranks, uint32_t *endpoint,
                                 bough_error *error) {
    uint32_t *all;
    bough_status status = bough_alloc(&all, net->endpoints, sizeof *all, error);
    if (status) return status;
    bough_stream stream = bough_stream_make(bough_key_make(key, 0), BOUGH_DRAW_PLACE, 0, 0);
    for (uint64_t e = 0; e < net->endpoints; e++) all[e] = (uint32_t)e;
    for (uint32_t r = 0; r < ranks; r++) {
        uint64_t other = r + bough_stream_below(&stream, net->endpoints - r);
        endpoint[r] = all[other];
        all[other] = all[r];
    }
    free(all);
    return BOUGH_OK;
}

typedef struct placer {
    endpoints all;
    const char *file;
    uint64_t line;
    uint32_t ranks, *endpoint;
    bough_error *error;
} placer;

static bough_status place_fails(placer *p, bough_status status) {
    if (status && p->error)
        snprintf(p->error->place, sizeof p->error->place, "%.230s:%" PRIu64, p->file, p->line);
    return status;
}

/* "17 node003" */
static bough_status place_line(placer *p, const char *line, size_t length) {
    char text[200], what[40];
    if (length >= sizeof text || memchr(line, 0, length))
        return place_fails(p, bough_fail(p->error, BOUGH_INVALID, NULL, "expected a rank and an endpoint"));
    memcpy(text, line, length);
    text[length] = 0;
    char *rank_text = text + strspn(text, " \t"), *stop;
    if (!*rank_text || *rank_text == '#') return BOUGH_OK;
    uint64_t rank = strtoull(rank_text, &stop, 10), endpoint = 0;
    char *name = stop + strspn(stop, " \t,"), *end = text + length;
    while (end > name && (end[-1] == ' ' || end[-1] == '\t')) *--end = 0;
    if (*rank_text < '0' || *rank_text > '9' || name == stop || !*name)
        return place_fails(p, bough_fail(p->error, BOUGH_INVALID, NULL,
                                         "'%.60s': expected a rank and an endpoint, as 17 node003", text));
    if (rank >= p->ranks)
        return place_fails(p, bough_fail(p->error, BOUGH_INVALID, NULL,
                                         "rank %" PRIu64 "; there are %" PRIu32 ", counted from 0", rank,
                                         p->ranks));
    if (p->endpoint[rank] != UINT32_MAX)
        return place_fails(
            p, bough_fail(p->error, BOUGH_INVALID, NULL, "rank %" PRIu64 " is placed twice", rank));
    snprintf(what, sizeof what, "rank %" PRIu64 ":", rank);
    bough_status status = endpoints_find(&p->all, name, what, &endpoint, p->error);
    if (status) return place_fails(p, status);
    p->endpoint[rank] = (uint32_t)endpoint;
    return BOUGH_OK;
}

static bough_status place_file(const char *path, const bough_net *net, uint32_t ranks, uint32_t *endpoint,
                               bough_error *error) {
    placer p = {.all.net = net, .ranks = ranks, .endpoint = endpoint, .error = error};
    bough_input input;
    bough_status status = bough_input_read(path, &input, error);
    if (status) return status;
    memset(endpoint, 0xff, ranks * sizeof *endpoint);
    for (size_t i = 0; i < input.count && !status; i++) {
        const char *cursor = input.piece[i].data, *end = cursor + input.piece[i].size, *line;
        size_t length;
        p.file = input.piece[i].name;
        p.line = 0;
        while (!status && (line = bough_next_line(&cursor, end, &length))) {
            p.line++;
            status = place_line(&p, line, length);
        }
    }
    for (uint32_t r = 0; r < ranks && !status; r++)
        if (endpoint[r] == UINT32_MAX)
            status =
                bough_fail(error, BOUGH_INVALID, path, "places no rank %" PRIu32 " of %" PRIu32, r, ranks);
    endpoints_fini(&p.all);
    bough_input_fini(&input);
    return status;
}

static bough_status place(const bough_traffic *t, const bough_schedule *s, uint32_t *endpoint,
                          bough_error *error) {
    const char *how = bough_args_get(&t->args, "place")->text;
    uint64_t key = (uint64_t)bough_args_get(&t->args, "key")->integer;
    bool linear = strcmp(how, "linear") == 0, random = strcmp(how, "random") == 0;
    if (!linear && !random) return place_file(how, t->net, s->ranks, endpoint, error);
    if (s->ranks > t->net->endpoints) return too_many_ranks(s, t->net, error);
    if (random) return place_random(t->net, key, s->ranks, endpoint, error);
    for (uint32_t r = 0; r < s->ranks; r++) endpoint[r] = r;
    return BOUGH_OK;
}

/* ---- hosts ---- */

static bough_host host_of(const bough_args *args) {
    return (bough_host){.L = (uint64_t)bough_args_get(args, "L")->integer,
                        .o = (uint64_t)bough_args_get(args, "o")->integer,
                        .g = (uint64_t)bough_args_get(args, "g")->integer,
                        .G = (uint64_t)bough_args_get(args, "G")->integer,
                        .O = (uint64_t)bough_args_get(args, "O")->integer,
                        .S = (uint64_t)bough_args_get(args, "S")->integer};
}

/* No operation may take more than an eighth of the time there is, so that sums of a few fit. */
static bough_status check_times(const bough_workload *w, bough_error *error) {
    const bough_schedule *s = w->schedule;
    uint64_t most = RANKS_TIME_MAX / 8, dear = w->host.G > w->host.O ? w->host.G : w->host.O;
    for (uint32_t o = 0; o < s->ops; o++) {
        uint64_t lasts = bough_mul(s->op[o].size, s->op[o].kind == BOUGH_OP_CALC ? 1000 : dear);
        char place[256], text[96];
        if (lasts <= most) continue;
        return bough_fail(error, BOUGH_INVALID, match_op_place(s, o, place, sizeof place),
                          "%s would take more than 6 days", match_op_text(&s->op[o], text, sizeof text));
    }
    return BOUGH_OK;
}

/* ---- traffic ---- */

bough_status workload_make(bough_schedule *s, uint64_t payload, double bus_factor, bough_traffic *t,
                           bough_error *error) {
    work *k;
    uint32_t *endpoint = NULL;
    bough_status status = bough_alloc(&k, 1, sizeof *k, error);
    if (status) {
        bough_schedule_destroy(s);
        return status;
    }
    t->data = k;
    k->w = (bough_workload){
        .schedule = s, .host = host_of(&t->args), .payload = payload, .bus_factor = bus_factor};
    status = bough_alloc(&endpoint, s->ranks, sizeof *endpoint, error);
    k->w.endpoint = endpoint;
    if (!status) status = place(t, s, endpoint, error);
    if (!status) status = check_times(&k->w, error);
    if (!status) status = match_make(s, &k->match, error);
    if (!status && s->sends > UINT32_MAX)
        status = bough_fail(error, BOUGH_TOO_LARGE, s->name, "more than 2^32 messages");
    if (status) return status; /* the kind's fini frees the rest */
    t->workload = &k->w;
    t->messages = s->sends;
    t->shape = BOUGH_SCHEDULE;
    t->source_bytes = schedule_source_bytes(&k->w, &k->match);
    return BOUGH_OK;
}

const match_plan *workload_match(const bough_traffic *t) {
    return &((const work *)t->data)->match;
}

bough_status workload_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                           bough_source **out, bough_error *error) {
    const work *k = t->data;
    (void)key;
    return schedule_source(t->net, &k->w, &k->match, clock, out, error);
}
