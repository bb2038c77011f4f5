/* Steps 5 to 7. Ids are in order of destination, so the list of a node is ascending ids, and messages to the
 * left child come first. Batch j of a peak is its places j, j + lg N, j + 2 lg N, ... in that order. */
#include "base/status/try.h"
#include "papers/bay1991/bitserial/sorter_bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bough_status sortroute_hold(sortroute *r, unsigned t, uint64_t node, uint64_t words) {
    uint64_t held = r->stored[node] + words;
    double share = (double)held / (double)r->sorter[t].capacity;
    if (held > r->result->queue_max) r->result->queue_max = held;
    if (share > r->result->storage) r->result->storage = share;
    if (!r->options.verify || held <= r->sorter[t].capacity) return BOUGH_OK;
    return bough_fail(r->error, BOUGH_FAILED, NULL,
                      "sortroute: sorter s%u.%" PRIu64 " holds %" PRIu64
                      " messages, more than its l = %" PRIu64,
                      t, node - r->first_node[t], held, r->sorter[t].capacity);
}

/* Sorts the stored ids of each node: records the node of each id, then distributes the ids in ascending
 * order. */
static void sort_stores(sortroute *r) {
    uint64_t nodes = sortroute_nodes(r, 0) - 1;
    uint32_t *node_of = r->arrival;
    memset(node_of, 0xff, r->set.count * sizeof *node_of);
    for (uint64_t v = 0; v < nodes; v++)
        for (uint32_t i = 0; i < r->stored[v]; i++) node_of[r->store[r->store_first[v] + i]] = (uint32_t)v;
    memcpy(r->scratch, r->store_first, nodes * sizeof *r->scratch);
    for (uint64_t id = 0; id < r->set.count; id++)
        if (node_of[id] != UINT32_MAX) r->store[r->scratch[node_of[id]]++] = (uint32_t)id;
}

static stage_work longest_sort(const sortroute *r) {
    stage_work longest = {0};
    for (unsigned t = 1; t <= r->shape.height; t++)
        for (uint64_t v = 0; v < sortroute_nodes(r, t); v++) {
            uint32_t words = r->stored[r->first_node[t] + v];
            if (words == 0) continue;
            const bough_sorter_time *time = sortroute_sort_time(r, t, words);
            stage_work_max(&longest, (stage_work){0, time->passes, time->bit_steps, 0});
        }
    return longest;
}

void sortroute_add_stage(sortroute *r, unsigned step, const stage_work *longest) {
    r->result->waves[step] += longest->waves;
    r->result->passes[step] += longest->passes;
    r->result->bits[step] += longest->bits + sortroute_sync_bits(r);
    if (r->bits) r->result->counted[step] += longest->counted + sortroute_sync_bits(r);
}

/* ---- steps 5 and 6 on the machine of engine=bits ---- */

/* Step 5: what a node has stored, in order of arrival, by destination; ids are in that order. */
static void give_stored(sortroute *r, uint64_t node) {
    const uint32_t *id = r->store + r->store_first[node];
    for (uint32_t i = 0; i < r->stored[node]; i++) sorter_bits_give(r, id[i], (sorter_prefix){0, 0});
}

static int by_id(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void want_stored(sortroute *r, uint64_t node) {
    uint32_t *id = r->arrival, count = r->stored[node];
    memcpy(id, r->store + r->store_first[node], count * sizeof *id);
    qsort(id, count, sizeof *id, by_id);
    for (uint32_t i = 0; i < count; i++) sorter_bits_want(r, id[i], (sorter_prefix){0, 0});
}

/* Step 6: by batch, which is the place modulo lg N. */
static void give_batches(sortroute *r, uint64_t node) {
    const uint32_t *id = r->store + r->store_first[node];
    for (uint32_t i = 0; i < r->stored[node]; i++)
        sorter_bits_give(r, id[i], (sorter_prefix){0, i % r->batches});
    for (uint64_t batch = 0; batch < r->batches; batch++)
        for (uint64_t i = batch; i < r->stored[node]; i += r->batches)
            sorter_bits_want(r, id[i], (sorter_prefix){0, batch});
}

static bough_status sort_all_bits(sortroute *r, unsigned step, uint64_t *longest) {
    bough_status status = BOUGH_OK;
    *longest = 0;
    for (unsigned t = 1; t <= r->shape.height; t++)
        for (uint64_t v = 0; v < sortroute_nodes(r, t) && !status; v++) {
            uint64_t node = r->first_node[t] + v, steps = 0;
            if (step == 5)
                give_stored(r, node), want_stored(r, node);
            else
                give_batches(r, node);
            if (r->stored[node]) status = sorter_bits_sort(r, t, &steps);
            if (steps > *longest) *longest = steps;
        }
    return status;
}

bough_status sortroute_sort_peaks(sortroute *r) {
    stage_work longest = longest_sort(r);
    bough_status status = BOUGH_OK;
    if (r->bits) status = sort_all_bits(r, 5, &longest.counted);
    sort_stores(r);
    sortroute_add_stage(r, 5, &longest);
    if (r->observer) watch_stores(r, 5);
    if (r->bits) TRY(sort_all_bits(r, 6, &longest.counted));
    sortroute_add_stage(r, 6, &longest);
    r->result->bits[6] += r->shape.lg_n;
    if (r->bits) r->result->counted[6] += r->shape.lg_n;
    if (r->observer) watch_stores(r, 6);
    return status;
}

/* What the parent of a node sends it. */
static key_list from_parent(const sortroute *r, unsigned t, uint64_t v) {
    const level *above = &r->level[t + 1];
    if (t == r->shape.height) return (key_list){NULL, 0};
    const uint64_t *key = above->key + above->first[v / 2];
    uint32_t left = above->go[v / 2];
    return v % 2 ? (key_list){key + left, above->count[v / 2] - left} : (key_list){key, left};
}

/* Merges a node's own messages of a batch and those from its parent into its list. Returns the number of its
 * own. */
static uint32_t merge(sortroute *r, unsigned t, uint64_t v, uint64_t batch) {
    level *l = &r->level[t];
    uint64_t node = r->first_node[t] + v, end = r->store_first[node + 1], own = r->store_first[node] + batch;
    key_list sent = from_parent(r, t, v);
    uint64_t *out = l->key + l->used;
    uint32_t owned = 0;
    while (sent.count || own < end) {
        if (own >= end || (sent.count && *sent.key < r->store[own])) {
            *out++ = *sent.key++;
            sent.count--;
        } else {
            *out++ = r->store[own];
            own += r->batches;
            owned++;
        }
    }
    l->first[v] = l->used;
    l->count[v] = (uint32_t)(out - l->key) - l->used;
    l->used += l->count[v];
    return owned;
}

/* Number of messages before the first with a destination below the right child. */
static uint32_t count_left(const sortroute *r, unsigned t, uint64_t v) {
    const level *l = &r->level[t];
    uint64_t middle = (2 * v + 1) << (2 * r->shape.lg_side + t - 1);
    uint32_t low = 0, high = l->count[v];
    while (low < high) {
        uint32_t at = low + (high - low) / 2;
        if (r->set.target[l->key[l->first[v] + at]] < middle)
            low = at + 1;
        else
            high = at;
    }
    return low;
}

/* Step 7 on the machine of engine=bits: what the parent sent, then the node's own. */
static void give_descending(sortroute *r, unsigned t, uint64_t v, uint64_t batch) {
    uint64_t node = r->first_node[t] + v;
    key_list sent = from_parent(r, t, v);
    for (uint64_t i = 0; i < sent.count; i++) sorter_bits_give(r, sent.key[i], (sorter_prefix){0, batch});
    for (uint64_t own = r->store_first[node] + batch; own < r->store_first[node + 1]; own += r->batches)
        sorter_bits_give(r, r->store[own], (sorter_prefix){0, batch});
}

static bough_status sort_bits(sortroute *r, unsigned t, key_list out, uint64_t batch, uint64_t *steps) {
    for (uint64_t i = 0; i < out.count; i++) sorter_bits_want(r, out.key[i], (sorter_prefix){0, batch});
    return sorter_bits_sort(r, t, steps);
}

static bough_status sort_node(sortroute *r, unsigned t, uint64_t v, uint64_t batch, stage_work *stage) {
    level *l = &r->level[t];
    uint64_t node = r->first_node[t] + v;
    uint64_t counted = 0;
    if (r->bits) give_descending(r, t, v, batch);
    uint32_t owned = merge(r, t, v, batch), words = l->count[v];
    l->go[v] = count_left(r, t, v);
    if (words == 0) return BOUGH_OK;
    r->stored[node] -= owned;
    bough_status status = sortroute_hold(r, t, node, words);
    const bough_sorter_time *time = sortroute_sort_time(r, t, words);
    uint32_t right = words - l->go[v];
    const uint64_t *key = l->key + l->first[v];
    sortroute_verify_cross(r, t - 1, 2 * v, batch, (key_list){key, l->go[v]});
    sortroute_verify_cross(r, t - 1, 2 * v + 1, batch, (key_list){key + l->go[v], right});
    uint64_t waves = ceil_div(l->go[v] > right ? l->go[v] : right, sortroute_capacity(r, t - 1));
    uint64_t moving = (ceil_div(owned, r->sorter[t].lines) + waves) * r->word_bits;
    if (r->bits) TRY(sort_bits(r, t, (key_list){key, words}, batch, &counted));
    stage_work_max(stage, (stage_work){waves, time->passes, time->bit_steps + moving, counted + moving});
    return status;
}

/* A wave enters a mesh in the top row, the first message at the first column, and shifts earlier messages
 * down. */
static bough_status enter_mesh(sortroute *r, uint64_t mesh) {
    const level *above = &r->level[1];
    uint64_t v = mesh / 2, count = mesh % 2 ? above->count[v] - above->go[v] : above->go[v];
    const uint64_t *key = above->key + above->first[v] + (mesh % 2 ? above->go[v] : 0);
    uint32_t room = r->arrival_first[mesh + 1] - r->arrival_first[mesh];
    if (r->arrived[mesh] + count > room)
        return bough_fail(r->error, BOUGH_FAILED, NULL,
                          "sortroute: mesh %" PRIu64 " receives more messages than the %" PRIu32
                          " destined for it",
                          mesh, room);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = r->arrival_first[mesh] + r->arrived[mesh]++;
        r->arrival[at] = (uint32_t)key[i];
        r->arrival_wire[at] = (uint32_t)(i % r->shape.side);
    }
    return BOUGH_OK;
}

static bough_status run_level(sortroute *r, unsigned t, uint64_t batch, stage_work *stage) {
    bough_status status = BOUGH_OK;
    r->level[t].used = 0;
    for (uint64_t v = 0; v < sortroute_nodes(r, t) && !status; v++)
        status = t > 0 ? sort_node(r, t, v, batch, stage) : enter_mesh(r, v);
    return status;
}

/* From the meshes up, so that a node takes its parent's list before the parent processes the next batch. */
bough_status sortroute_descend(sortroute *r) {
    unsigned height = r->shape.height;
    uint64_t stages = r->options.gap * (r->batches - 1) + height + 1;
    memset(r->arrived, 0, sortroute_nodes(r, 0) * sizeof *r->arrived);
    sortroute_verify_start(r);
    for (uint64_t stage = 0; stage < stages; stage++) {
        stage_work longest = {0};
        if (bough_run_stopped(r->run)) return bough_fail(r->error, BOUGH_INTERRUPTED, NULL, "interrupted");
        for (unsigned t = 0; t <= height; t++) {
            uint64_t batch = stage_batch(r, stage, height - t);
            bough_status status = batch == BOUGH_NONE ? BOUGH_OK : run_level(r, t, batch, &longest);
            if (status) return status;
        }
        if (stage + 1 == stages) break; /* what was sent last has arrived */
        sortroute_add_stage(r, 7, &longest);
        if (r->observer) watch_descend(r, stage, longest.waves);
    }
    bough_status status = sortroute_verify_channels(r, 7);
    return status ? status : sortroute_verify_delivery(r);
}
