#include "fabric/failures/failure_things.h"

#include "base/memory/bits.h"
#include "base/status/try.h"
#include "fabric/failures/failures.h"

#include <stdlib.h>
#include <string.h>

enum { P_WHAT, P_OF, P_LEVEL };
enum { OF_ALL, OF_LEAF, OF_SPINE };

static const bough_param params[] = {
    [P_WHAT] = {"what", "what dies: a cable, or a switch", BOUGH_CHOICE, NULL, .choices = "cable|switch",
                .echo = true},
    [P_OF] = {"of", "leaf: switches that touch endpoints, cables to those; spine: the others", BOUGH_CHOICE,
              "all", .choices = "all|leaf|spine"},
    [P_LEVEL] = {"level", "only of this level, a cable's being that of its lower end (0: of endpoints)",
                 BOUGH_INT, "", 0, 255},
    BOUGH_PARAMS_END,
};

static bough_status refuse(const bough_args *args, bough_fault_marks *marks, bough_error *error) {
    (void)args;
    (void)marks;
    return bough_fail(error, BOUGH_INVALID, NULL, "each: is no single network; `bough check` takes it");
}

const bough_fault_kind bough_fault_each = {
    .name = "each",
    .summary = "every cable or switch alone, one after the other (bough check only)",
    .source = "",
    .params = params,
    .mark = refuse,
};

bool bough_failures_is_each(const char *spec) {
    return strncmp(spec, "each", 4) == 0 && (spec[4] == ':' || spec[4] == 0);
}

/* ---- candidates ---- */

static bool works(const bough_net *net, uint64_t link) {
    return link != BOUGH_NONE && bough_link_works(net, link);
}

static bool touches_endpoint(const bough_net *net, uint64_t node) {
    for (node_links at = node_links_of(net, node); node_links_next(&at);)
        if (!bough_is_switch(net, net->ops->link_end(net, at.link).node)) return true;
    return node < net->endpoints;
}

static bool is_working_switch(const bough_net *net, uint64_t node) {
    bool any = false;
    for (node_links at = node_links_of(net, node); node_links_next(&at);) any |= works(net, at.link);
    return any && bough_is_switch(net, node);
}

static bool is_cable(const bough_net *net, uint64_t link, const bough_value *level) {
    const uint64_t twin = bough_link_twin(net, link);
    if (twin < link || (!works(net, link) && !works(net, twin))) return false;
    if (level->set) return bough_link_level(net, link) == (uint64_t)level->integer;
    return bough_is_switch(net, bough_link_start(net, link)) &&
           bough_is_switch(net, net->ops->link_end(net, link).node);
}

static bool is_candidate(const failure_things *t, const bough_args *args, uint64_t id) {
    const bough_net *net = t->net;
    const bough_value *level = &args->value[P_LEVEL];
    const int64_t of = args->value[P_OF].integer;
    bool leaf;
    if (t->switches) {
        if (!is_working_switch(net, id)) return false;
        if (level->set && net->ops->node_level(net, id) != (uint64_t)level->integer) return false;
        leaf = touches_endpoint(net, id);
    } else {
        if (!is_cable(net, id, level)) return false;
        leaf = touches_endpoint(net, bough_link_start(net, id)) ||
               touches_endpoint(net, net->ops->link_end(net, id).node);
    }
    return of == OF_ALL || leaf == (of == OF_LEAF);
}

static bough_status list_things(arena *memory, failure_things *t, const bough_args *args, const char *text,
                                bough_error *error) {
    const uint64_t range = t->switches ? t->net->nodes : t->net->links;
    bough_status status = arena_alloc(memory, &t->item, range, sizeof *t->item, error);
    for (uint64_t id = 0; id < range && !status; id++)
        if (is_candidate(t, args, id)) t->item[t->count++] = (uint32_t)id;
    if (!status && !t->count)
        status = bough_fail(error, BOUGH_INVALID, NULL, "%s: %s has no such %s", text, t->net->spec, t->what);
    if (t->switches) TRY(wiring_out(&t->out, t->net, NULL, error));
    if (t->switches) TRY(wiring_in(&t->in, t->net, NULL, error));
    return status;
}

bough_status failure_things_find(const bough_net *net, const char *text, arena *memory, failure_things *t,
                                 bough_error *error) {
    bough_spec spec = {0};
    bough_args args = {0};
    *t = (failure_things){.net = net, .in.memory = memory, .out.memory = memory};
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    status = bough_args_bind(&spec, params, "fault", &args, error);
    if (!status) {
        t->switches = args.value[P_WHAT].integer == 1;
        t->what = t->switches ? "switch" : "cable";
        char *canonical = bough_args_format("each", &args);
        status = canonical ? arena_copy(memory, &t->spec, canonical, error) : bough_fail_memory(error, 256);
        free(canonical);
    }
    TRY(list_things(memory, t, &args, text, error));
    bough_args_fini(&args);
    bough_spec_fini(&spec);
    return status;
}

/* ---- their links ---- */

static void kill_row(const compressed_rows *rows, uint32_t node, uint64_t *dead) {
    for (uint32_t i = rows->first[node]; i < rows->first[node + 1]; i++) set_bit(dead, rows->item[i]);
}

void failure_things_kill(const failure_things *t, uint32_t item, uint64_t *dead) {
    const uint64_t twin = t->switches ? BOUGH_NONE : bough_link_twin(t->net, item);
    if (t->switches) {
        kill_row(&t->out, item, dead);
        kill_row(&t->in, item, dead);
        return;
    }
    set_bit(dead, item);
    if (twin != BOUGH_NONE) set_bit(dead, twin);
}

static bool is_row_among(const compressed_rows *rows, uint32_t node, const uint64_t *bits, uint64_t base) {
    for (uint32_t i = rows->first[node]; i < rows->first[node + 1]; i++)
        if (bit_of(bits, base + rows->item[i])) return true;
    return false;
}

bool failure_things_among(const failure_things *t, uint32_t item, const uint64_t *bits, uint64_t base) {
    const uint64_t twin = t->switches ? BOUGH_NONE : bough_link_twin(t->net, item);
    if (t->switches) return is_row_among(&t->out, item, bits, base) || is_row_among(&t->in, item, bits, base);
    return bit_of(bits, base + item) || (twin != BOUGH_NONE && bit_of(bits, base + twin));
}
