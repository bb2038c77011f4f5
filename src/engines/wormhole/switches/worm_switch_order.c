/* credit = 0: a flit that leaves a buffer makes room in the same cycle, so a group is served after those that
 * it depends on. Tarjan's algorithm (Depth-first search and linear graph algorithms, 1972) yields the
 * strongly connected components in this order. A component is served as a unit, and its credits arrive when
 * all of it is done. Searches start at groups that have work; groups that become ready meanwhile have not
 * been served yet. */
#include "base/status/try.h"
#include "engines/wormhole/switches/worm_switch_state.h"

#include "base/memory/memory.h"

#include <string.h>

typedef struct frame {
    uint32_t group, channel, end; /* the channels of its links not examined yet */
} frame;

typedef struct place {
    uint64_t seen;       /* 1 + the last cycle in which it was found */
    uint32_t index, low; /* as in Tarjan's algorithm */
    bool open;           /* its component is incomplete */
} place;

struct switch_order {
    place *place; /* by group */
    frame *frame;
    uint32_t *open, frames, opened, index;
    uint64_t groups;
};

uint64_t switch_order_bytes(uint64_t groups) {
    return bough_mul(groups, sizeof(place) + sizeof(frame) + 4);
}

bough_status switch_order_make(uint64_t groups, switch_order **out, bough_error *error) {
    switch_order *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    *out = status ? NULL : s;
    TRY(bough_alloc(&s->place, groups, sizeof *s->place, error));
    TRY(bough_alloc(&s->frame, groups, sizeof *s->frame, error));
    TRY(bough_alloc(&s->open, groups, sizeof *s->open, error));
    if (!status) s->groups = groups;
    return status;
}

void switch_order_start(switch_order *s) {
    memset(s->place, 0, s->groups * sizeof *s->place);
}

void switch_order_free(switch_order *s) {
    if (!s) return;
    FREE_ALL(s->place, s->frame, s->open, s);
}

/* The group where the flits in a channel's buffer go next, or SWITCH_NONE. */
static uint32_t depends_on(const worm_switch *w, uint32_t channel) {
    const switch_channel *c = &w->channel[channel];
    if (c->message == SWITCH_NONE || c->to == SWITCH_SINK || c->to == SWITCH_NEW) return SWITCH_NONE;
    if (c->to == SWITCH_NONE) return (uint32_t)w->message[c->message].route.group;
    if (w->channel[c->to].at_start == 0) return SWITCH_NONE;
    return (uint32_t)w->net->ops->link_group(w->net, switch_link_of(w, c->to));
}

static void enter(worm_switch *w, uint32_t group) {
    switch_order *s = w->sequence;
    bough_range links = w->net->ops->group_links(w->net, group);
    uint32_t first = (uint32_t)links.first << w->shift, index = s->index++;
    s->place[group] = (place){w->base.now + 1, index, index, true};
    s->open[s->opened++] = group;
    s->frame[s->frames++] = (frame){group, first, first + ((uint32_t)links.count << w->shift)};
}

/* Steps 4 and 5 for the groups of a component, which are those opened since `since`. */
static bough_status serve_component(worm_switch *w, uint32_t since, bough_error *error) {
    switch_order *s = w->sequence;
    for (uint32_t i = since; i < s->opened; i++) {
        uint32_t g = s->open[i];
        bough_range links = w->net->ops->group_links(w->net, g);
        s->place[g].open = false;
        bough_status status = w->group[g].busy ? switch_serve(w, g, error) : BOUGH_OK;
        if (status) return status;
        for (uint64_t l = links.first; l < links.first + links.count; l++)
            if (w->link[l].ready) switch_cross(w, (uint32_t)l);
    }
    s->opened = since;
    switch_take_credits(w);
    return BOUGH_OK;
}

/* Examines the next channel of the topmost group; true if there is none. */
static bool examine_next(worm_switch *w) {
    switch_order *s = w->sequence;
    frame *f = &s->frame[s->frames - 1];
    if (f->channel == f->end) return true;
    uint32_t next = depends_on(w, f->channel++);
    if (next == SWITCH_NONE) return false;
    if (s->place[next].seen != w->base.now + 1)
        enter(w, next);
    else if (s->place[next].open && s->place[next].index < s->place[f->group].low)
        s->place[f->group].low = s->place[next].index;
    return false;
}

static bough_status search(worm_switch *w, uint32_t group, bough_error *error) {
    switch_order *s = w->sequence;
    bough_status status = BOUGH_OK;
    if (s->place[group].seen == w->base.now + 1) return BOUGH_OK;
    enter(w, group);
    while (s->frames > 0 && !status) {
        if (!examine_next(w)) continue;
        place *done = &s->place[s->frame[--s->frames].group];
        if (s->frames > 0) {
            place *below = &s->place[s->frame[s->frames - 1].group];
            if (done->low < below->low) below->low = done->low;
        }
        if (done->low < done->index) continue;
        uint32_t since = s->opened;
        while (s->place[s->open[since - 1]].index > done->index) since--;
        status = serve_component(w, since - 1, error);
    }
    return status;
}

static bough_status search_word(worm_switch *w, uint64_t word, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint64_t bits = w->active[word]; bits && !status; bits &= bits - 1) {
        uint64_t l = word << 6 | (uint64_t)__builtin_ctzll(bits);
        status = search(w, (uint32_t)w->net->ops->link_group(w->net, l), error);
    }
    return status;
}

/* Starts at the groups of active links. Groups that become ready during service append themselves. */
static bough_status search_active(worm_switch *w, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < w->words; i++)
        for (uint64_t some = w->some[i]; some && !status; some &= some - 1)
            status = search_word(w, i << 6 | (uint64_t)__builtin_ctzll(some), error);
    return status;
}

/* Groups that received work after they were served wait for the next cycle. */
static void tidy(worm_switch *w) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->busy_count; i++)
        if (w->group[w->busy[i]].busy)
            w->busy[kept++] = w->busy[i];
        else
            w->group[w->busy[i]].listed = false;
    w->busy_count = kept;
    switch_tidy_active(w);
}

bough_status switch_in_order(worm_switch *w, bough_error *error) {
    w->sequence->index = w->sequence->frames = w->sequence->opened = 0;
    bough_status status = search_active(w, error);
    for (uint32_t i = 0; i < w->busy_count && !status; i++) status = search(w, w->busy[i], error);
    tidy(w);
    return status;
}
