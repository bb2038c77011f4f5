/* Steps 5 to 7. Ids are in order of destination, so the list of a node is ascending ids, and messages to the
 * left child come first. Batch j of a peak is its places j, j + lg N, j + 2 lg N, ... in that order. */
#include "engines/bay1991/sortroute_state.h"

#include <inttypes.h>
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
            stage_work_max(&longest, 0, time->passes, time->bit_steps);
        }
    return longest;
}

void sortroute_sort_peaks(sortroute *r) {
    stage_work longest = longest_sort(r);
    sort_stores(r);
    r->result->passes[5] = longest.passes;
    r->result->bits[5] = longest.bits + sortroute_sync_bits(r);
    if (r->observer) watch_stores(r, 5);
    r->result->passes[6] = longest.passes;
    r->result->bits[6] = r->shape.lg_n + longest.bits + sortroute_sync_bits(r);
    if (r->observer) watch_stores(r, 6);
}

/* Merges a node's own messages of a batch and those from its parent into its list. Returns the number of its
 * own. */
static uint32_t merge(sortroute *r, unsigned t, uint64_t v, uint64_t batch) {
    level *l = &r->level[t];
    const level *above = &r->level[t + 1];
    uint64_t node = r->first_node[t] + v, end = r->store_first[node + 1], own = r->store_first[node] + batch;
    const uint64_t *key = NULL;
    uint64_t count = 0, *out = l->key + l->used;
    uint32_t owned = 0;
    if (t < r->shape.height) {
        bool right = v % 2;
        key = above->key + above->first[v / 2] + (right ? above->go[v / 2] : 0);
        count = right ? above->count[v / 2] - above->go[v / 2] : above->go[v / 2];
    }
    while (count || own < end) {
        if (own >= end || (count && *key < r->store[own])) {
            *out++ = *key++;
            count--;
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

static bough_status sort_node(sortroute *r, unsigned t, uint64_t v, uint64_t batch, stage_work *stage) {
    level *l = &r->level[t];
    uint64_t node = r->first_node[t] + v;
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
    uint64_t load = ceil_div(owned, r->sorter[t].lines);
    stage_work_max(stage, waves, time->passes, time->bit_steps + (load + waves) * r->word_bits);
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
        r->result->waves[7] += longest.waves;
        r->result->passes[7] += longest.passes;
        r->result->bits[7] += longest.bits + sortroute_sync_bits(r);
        if (r->observer) watch_descend(r, stage, longest.waves);
    }
    bough_status status = sortroute_verify_channels(r, 7);
    return status ? status : sortroute_verify_delivery(r);
}
