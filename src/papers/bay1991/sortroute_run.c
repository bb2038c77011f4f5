/* The eight steps of one message set, and the memory they need. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "papers/bay1991/bitserial/sorter_bits.h"

#include <stdlib.h>
#include <string.h>

/* Bytes per message: 26 for the set, a key of step 3, places in store and arrival with its wire, and its part
 * of the keys of the levels, where a batch can contain all messages. */
uint64_t sortroute_bytes(const sorting_shape *shape, uint64_t messages, bool verify) {
    uint64_t meshes = UINT64_C(1) << shape->height, of_message = 26 + 8 + 4 + 4 + 4;
    uint64_t bytes = bough_mul(messages, of_message);
    uint64_t levels = bough_mul(bough_mul(messages, 8), shape->height) / shape->lg_n;
    bytes = bough_add(bytes, bough_add(levels, bough_mul(shape->n, 4)));
    bytes = bough_add(bytes, bough_mul(meshes, 4 * shape->lg_n + 40));
    return bough_add(bytes, verify ? bough_mul(4, sortroute_verify_counters(shape)) : 0);
}

static bough_status make_nodes(sortroute *r) {
    uint64_t meshes = sortroute_nodes(r, 0);
    bough_status status = bough_alloc(&r->mesh_first, meshes * r->batches + 1, 4, r->error);
    TRY(bough_alloc(&r->stored, meshes, 4, r->error));
    TRY(bough_alloc(&r->store_first, meshes, 4, r->error));
    TRY(bough_alloc(&r->arrived, meshes, 4, r->error));
    TRY(bough_alloc(&r->arrival_first, meshes + 1, 4, r->error));
    uint64_t first = 0;
    for (unsigned t = 1; t <= r->shape.height && !status; t++) {
        level *l = &r->level[t];
        r->first_node[t] = first;
        first += sortroute_nodes(r, t);
        status = bough_alloc(&l->first, sortroute_nodes(r, t), 4, r->error);
        TRY(bough_alloc(&l->count, sortroute_nodes(r, t), 4, r->error));
        TRY(bough_alloc(&l->go, sortroute_nodes(r, t), 4, r->error));
    }
    return status;
}

static bough_status make(const bough_run *run, const sortroute_options *options, sortroute **out,
                         bough_error *error) {
    uint64_t messages = run->point.traffic->messages;
    sortroute *r;
    bough_status status = bough_alloc(&r, 1, sizeof *r, error);
    if (status) return status;
    *out = r;
    r->shape = *sorting_shape_of(run->point.net);
    r->options = *options;
    r->batches = r->shape.lg_n;
    r->error = error;
    status = sortroute_set_make(&r->set, messages, error);
    TRY(bough_alloc(&r->mesh_key, messages, sizeof *r->mesh_key, error));
    TRY(bough_alloc(&r->store, messages, 4, error));
    TRY(bough_alloc(&r->arrival, messages, 4, error));
    TRY(bough_alloc(&r->arrival_wire, messages, 4, error));
    TRY(bough_alloc(&r->scratch, r->shape.n, 4, error));
    if (!status && options->verify)
        status = bough_alloc(&r->counter, sortroute_verify_counters(&r->shape), 4, error);
    return status ? status : make_nodes(r);
}

void sortroute_free(sortroute *r) {
    if (!r) return;
    for (unsigned t = 0; t < SORTING_LEVELS; t++)
        FREE_ALL(r->level[t].key, r->level[t].first, r->level[t].count, r->level[t].go, r->time[t]);
    sorter_bits_free(r->bits);
    sortroute_set_fini(&r->set);
    FREE_ALL(r->mesh_key, r->mesh_first, r->stored, r->store_first, r->store, r->arrived, r->arrival_first,
             r->arrival, r->arrival_wire, r->scratch, r->counter, r);
}

/* ---- memory that depends on the messages ---- */

/* A level holds one batch at a time: in step 4 the messages of step 2's batch that rise this far, in step 7
 * those of step 6's batch that turn this high. */
static bough_status make_lists(sortroute *r) {
    uint64_t of_batch[SORTING_LEVELS + 1] = {0}; /* maximum messages of a batch with their peak at a level */
    bough_status status = BOUGH_OK;
    for (uint64_t id = 0; id < r->set.count; id++) of_batch[r->set.peak[id]]++;
    uint64_t above = 0;
    for (unsigned t = r->shape.height; t > 0 && !status; t--) {
        uint64_t nodes = sortroute_nodes(r, t), even = ceil_div(of_batch[t], r->batches);
        above += even + (nodes < of_batch[t] ? nodes : of_batch[t]); /* step 6: up to one more per node */
        level *l = &r->level[t];
        if (l->key && l->capacity >= above) continue;
        free(l->key);
        l->key = NULL;
        l->capacity = above;
        status = bough_alloc(&l->key, above, sizeof *l->key, r->error);
    }
    return status;
}

/* Counts the messages by peak node and by destination mesh. */
static void make_places(sortroute *r) {
    const message_set *s = &r->set;
    uint64_t nodes = sortroute_nodes(r, 0) - 1;
    memset(r->store_first, 0, (nodes + 1) * sizeof *r->store_first);
    memset(r->arrival_first, 0, (nodes + 2) * sizeof *r->arrival_first);
    for (uint64_t id = 0; id < s->count; id++) {
        unsigned t = s->peak[id];
        if (t == 0) continue;
        r->store_first[r->first_node[t] + sorting_subtree(&r->shape, t, s->source[id]) + 1]++;
        r->arrival_first[sorting_subtree(&r->shape, 0, s->target[id]) + 1]++;
    }
    for (uint64_t v = 0; v < nodes; v++) r->store_first[v + 1] += r->store_first[v];
    for (uint64_t m = 0; m <= nodes; m++) r->arrival_first[m + 1] += r->arrival_first[m];
}

static bough_status prepare(sortroute *r, bough_key key) {
    uint64_t degree = r->set.degree, bits = r->word_bits;
    bough_status status = sortroute_load(r, key);
    if (status) return status;
    r->word_bits = sortroute_word_bits(r);
    r->registers = UINT64_C(1) << ceil_lg(r->set.degree + 1);
    if (r->set.degree != degree || r->word_bits != bits) status = sortroute_make_times(r);
    if (r->options.bits && (!r->bits || r->word_bits != bits)) TRY(sorter_bits_make(r));
    TRY(make_lists(r));
    if (!status) make_places(r);
    return status;
}

bough_status sortroute_run(const method_trial *trial, const sortroute_options *options, sortroute **workspace,
                           sortroute_result *result, bough_error *error) {
    const sortroute_observer *observer = options->observer;
    bough_status status = *workspace ? BOUGH_OK : make(trial->run, options, workspace, error);
    if (status) return status;
    sortroute *r = *workspace;
    *result = (sortroute_result){0};
    r->run = trial->run;
    r->observer = observer;
    r->result = result;
    r->error = error;
    status = prepare(r, trial->key);
    if (status) return status;
    result->messages = r->set.count;
    result->crossing = r->set.crossing;
    result->degree = r->set.degree;
    result->word_bits = r->word_bits;
    result->load_factor = sortroute_load_factor(r);
    for (unsigned step = 1; step <= SORTROUTE_STEPS; step += step == 3 ? 5 : 1)
        result->bits[step] = result->counted[step] = sortroute_step_bits(r, step);
    if (observer) watch_start(r), watch_local(r);
    sortroute_arrange(r);
    if (observer) watch_arranged(r);
    status = sortroute_climb(r);
    TRY(sortroute_sort_peaks(r));
    TRY(sortroute_descend(r));
    if (r->bits) result->circuit_ratio = sorter_bits_ratio(r->bits);
    if (!status && observer) watch_delivered(r);
    return status;
}
