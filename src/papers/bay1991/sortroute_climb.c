/* Steps 3 and 4. Every list is sorted by (peak, highest first; destination): the meshes arrange their batches
 * in this order, and a node's sort of what its two children sent is a merge of two such lists. Messages that
 * go on to the parent come first, those with their peak here last. */
#include "base/status/try.h"
#include "papers/bay1991/bitserial/sorter_bits.h"

#include <inttypes.h>
#include <string.h>

static uint64_t key_of(const sortroute *r, uint64_t id) {
    return (uint64_t)(r->shape.height - r->set.peak[id]) << 32 | id;
}

/* Ids are in order of destination; so sorts by peak, then, stably, by mesh and batch. */
void sortroute_arrange(sortroute *r) {
    const message_set *s = &r->set;
    uint64_t lists = sortroute_nodes(r, 0) * r->batches, at = 0;
    uint32_t *first = r->mesh_first;
    memset(first, 0, (lists + 1) * sizeof *first);
    for (uint64_t id = 0; id < s->count; id++)
        if (s->peak[id])
            first[sorting_subtree(&r->shape, 0, s->source[id]) * r->batches + s->batch[id] + 1]++;
    for (uint64_t i = 0; i < lists; i++) first[i + 1] += first[i];
    for (unsigned peak = r->shape.height; peak > 0; peak--)
        for (uint64_t id = 0; id < s->count; id++)
            if (s->peak[id] == peak) r->store[at++] = (uint32_t)id;
    for (uint64_t i = 0; i < s->crossing; i++) {
        uint32_t id = r->store[i];
        uint64_t mesh = sorting_subtree(&r->shape, 0, s->source[id]);
        r->mesh_key[first[mesh * r->batches + s->batch[id]]++] = key_of(r, id);
    }
    memmove(first + 1, first, lists * sizeof *first);
    first[0] = 0;
}

/* The list that a mesh or node of a level sends to its parent in a batch. */
static key_list to_parent(const sortroute *r, unsigned t, uint64_t v, uint64_t batch) {
    if (t > 0) return (key_list){r->level[t].key + r->level[t].first[v], r->level[t].go[v]};
    const uint32_t *first = r->mesh_first + v * r->batches + batch;
    return (key_list){r->mesh_key + first[0], first[1] - first[0]};
}

static void merge(key_list a, key_list b, uint64_t *out) {
    while (a.count && b.count) {
        bool second = *b.key < *a.key;
        key_list *s = second ? &b : &a;
        *out++ = *s->key++;
        s->count--;
    }
    memcpy(out, a.key, a.count * sizeof *out);
    memcpy(out + a.count, b.key, b.count * sizeof *out);
}

/* Moves the messages with their peak at this node to the unused part of its permuter. */
static void store(sortroute *r, unsigned t, uint64_t v) {
    level *l = &r->level[t];
    uint64_t node = r->first_node[t] + v;
    for (uint32_t i = l->go[v]; i < l->count[v]; i++)
        r->store[r->store_first[node] + r->stored[node]++] = (uint32_t)l->key[l->first[v] + i];
}

/* The same sort on the machine of engine=bits. list: of the two children, and sorted. */
static bough_status sort_bits(sortroute *r, unsigned t, const key_list list[3], uint64_t batch,
                              uint64_t *steps) {
    for (unsigned k = 0; k < 3; k++)
        for (uint64_t i = 0; i < list[k].count; i++) {
            uint64_t key = list[k].key[i];
            (k < 2 ? sorter_bits_give : sorter_bits_want)(r, (uint32_t)key,
                                                          (sorter_prefix){key >> 32, batch});
        }
    return sorter_bits_sort(r, t, steps);
}

static bough_status sort_node(sortroute *r, unsigned t, uint64_t v, uint64_t batch, stage_work *stage) {
    level *l = &r->level[t];
    key_list list[3] = {to_parent(r, t - 1, 2 * v, batch), to_parent(r, t - 1, 2 * v + 1, batch)};
    uint64_t words = list[0].count + list[1].count, counted = 0,
             above = (uint64_t)(r->shape.height - t) << 32;
    l->first[v] = l->used;
    l->count[v] = (uint32_t)words;
    l->go[v] = 0;
    if (words == 0) return BOUGH_OK;
    uint64_t *key = l->key + l->used;
    merge(list[0], list[1], key);
    l->used += (uint32_t)words;
    while (l->go[v] < words && key[l->go[v]] < above) l->go[v]++;
    bough_status status = sortroute_hold(r, t, r->first_node[t] + v, words);
    store(r, t, v);
    if (t < r->shape.height) sortroute_verify_cross(r, t, v, batch, to_parent(r, t, v, batch));
    const bough_sorter_time *time = sortroute_sort_time(r, t, words);
    uint64_t waves = ceil_div(l->go[v], sortroute_capacity(r, t)), moving = waves * r->word_bits;
    list[2] = (key_list){key, words};
    if (r->bits) TRY(sort_bits(r, t, list, batch, &counted));
    stage_work_max(stage, (stage_work){waves, time->passes, time->bit_steps + moving, counted + moving});
    return status;
}

static bough_status run_level(sortroute *r, unsigned t, uint64_t batch, stage_work *stage) {
    bough_status status = BOUGH_OK;
    r->level[t].used = 0;
    for (uint64_t v = 0; v < sortroute_nodes(r, t) && !status; v++) {
        if (t > 0) {
            status = sort_node(r, t, v, batch, stage);
        } else {
            key_list up = to_parent(r, 0, v, batch);
            uint64_t waves = ceil_div(up.count, r->shape.side);
            sortroute_verify_cross(r, 0, v, batch, up);
            stage_work_max(stage, (stage_work){waves, 0, waves * r->word_bits, waves * r->word_bits});
        }
    }
    return status;
}

/* From the root down, so that a node takes the lists of its children before they process the next batch. */
bough_status sortroute_climb(sortroute *r) {
    uint64_t stages = r->options.gap * (r->batches - 1) + r->shape.height + 1;
    memset(r->stored, 0, (sortroute_nodes(r, 0) - 1) * sizeof *r->stored);
    sortroute_verify_start(r);
    for (uint64_t stage = 0; stage < stages; stage++) {
        stage_work longest = {0};
        if (bough_run_stopped(r->run)) return bough_fail(r->error, BOUGH_INTERRUPTED, NULL, "interrupted");
        for (unsigned t = r->shape.height + 1; t-- > 0;) {
            uint64_t batch = stage_batch(r, stage, t);
            bough_status status = batch == BOUGH_NONE ? BOUGH_OK : run_level(r, t, batch, &longest);
            if (status) return status;
        }
        sortroute_add_stage(r, 4, &longest);
        if (r->observer) watch_climb(r, stage, longest.waves);
    }
    return sortroute_verify_channels(r, 4);
}
