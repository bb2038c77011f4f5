/* Calls of the observer: the position of every message after every sort and every wave, from the lists of the
 * engine. */
#include "papers/bay1991/sortroute_state.h"

static void moved(const sortroute *r, uint64_t id, uint64_t node, sortroute_part part, uint64_t slot) {
    r->observer->moved(r->observer->context, r->set.number[id], (sortroute_place){node, part, slot});
}

static void moment(const sortroute *r, unsigned step, uint64_t stage, uint64_t wave) {
    r->observer->moment(r->observer->context, (sortroute_moment){step, stage, wave});
}

static uint64_t tree_node(const sortroute *r, unsigned t, uint64_t v) {
    return r->shape.n + r->first_node[t] + v;
}

/* Register `depth` of a column of a mesh, counted from the top row. */
static void in_mesh(const sortroute *r, uint64_t id, uint64_t mesh, uint64_t column, uint64_t depth) {
    uint64_t side = r->shape.side, terminal = (mesh * side + depth % side) * side + column;
    moved(r, id, terminal, SORTROUTE_TERMINAL, depth / side);
}

void watch_start(const sortroute *r) {
    uint64_t slot = 0;
    for (uint64_t k = 0; k < r->set.count; k++) {
        uint32_t id = r->set.by_source[k];
        bool same = k > 0 && r->set.source[id] == r->set.source[r->set.by_source[k - 1]];
        slot = same ? slot + 1 : 0;
        moved(r, id, r->set.source[id], SORTROUTE_TERMINAL, slot);
    }
    moment(r, 0, 0, 0);
}

void watch_local(const sortroute *r) {
    for (uint64_t id = 0; id < r->set.count; id++)
        if (r->set.peak[id] == 0) moved(r, id, r->set.target[id], SORTROUTE_DELIVERED, 0);
    moment(r, 1, 0, 0);
}

/* ---- step 4 ---- */

/* Row by row, without gaps; each column moves up by one when its top word leaves. `sent`: messages of the
 * mesh's list that were sent. */
static void mesh_columns(const sortroute *r, uint64_t mesh, uint64_t sent) {
    uint64_t side = r->shape.side;
    uint32_t from = r->mesh_first[mesh * r->batches], end = r->mesh_first[(mesh + 1) * r->batches];
    for (uint64_t q = sent; q < end - from; q++) {
        uint64_t column = q % side, gone = (sent + side - 1 - column) / side;
        in_mesh(r, (uint32_t)r->mesh_key[from + q], mesh, column, q / side - gone);
    }
}

void watch_arranged(const sortroute *r) {
    moment(r, 2, 0, 0);
    for (uint64_t mesh = 0; mesh < sortroute_nodes(r, 0); mesh++) mesh_columns(r, mesh, 0);
    moment(r, 3, 0, 0);
}

static void sorted_up(const sortroute *r, unsigned t, uint64_t v) {
    const level *l = &r->level[t];
    uint32_t stored = r->stored[r->first_node[t] + v] - (l->count[v] - l->go[v]);
    for (uint32_t i = 0; i < l->count[v]; i++)
        moved(r, (uint32_t)l->key[l->first[v] + i], tree_node(r, t, v),
              i < l->go[v] ? SORTROUTE_SORTED : SORTROUTE_STORED, i < l->go[v] ? i : stored + i - l->go[v]);
}

/* From a mesh the wires are the columns; from a node the first ones. */
static void wave_up(const sortroute *r, unsigned t, uint64_t v, uint64_t batch, uint64_t wave) {
    uint64_t wires = sortroute_capacity(r, t), lines = 2 * wires, base = v % 2 * wires;
    const uint32_t *first = r->mesh_first + v * r->batches;
    uint64_t start = t ? r->level[t].first[v] : first[batch];
    uint64_t count = t ? r->level[t].go[v] : first[batch + 1] - first[batch];
    const uint64_t *key = t ? r->level[t].key : r->mesh_key;
    uint64_t end = (wave + 1) * wires < count ? (wave + 1) * wires : count;
    for (uint64_t i = wave * wires; i < end; i++) {
        uint64_t wire = t ? i % wires : (start - first[0] + i) % wires;
        moved(r, (uint32_t)key[start + i], tree_node(r, t + 1, v / 2), SORTROUTE_RECEIVED,
              wave * lines + base + wire);
    }
    if (t == 0 && wave * wires < count) mesh_columns(r, v, start - first[0] + end);
}

void watch_climb(const sortroute *r, uint64_t stage, uint64_t waves) {
    unsigned height = r->shape.height;
    for (unsigned t = 1; t <= height; t++)
        for (uint64_t v = 0; stage_batch(r, stage, t) != BOUGH_NONE && v < sortroute_nodes(r, t); v++)
            sorted_up(r, t, v);
    moment(r, 4, stage, 0);
    for (uint64_t wave = 0; wave < waves; wave++) {
        for (unsigned t = 0; t < height; t++) {
            uint64_t batch = stage_batch(r, stage, t);
            for (uint64_t v = 0; batch != BOUGH_NONE && v < sortroute_nodes(r, t); v++)
                wave_up(r, t, v, batch, wave);
        }
        moment(r, 4, stage, wave + 1);
    }
}

/* ---- steps 5 to 8 ---- */

/* Step 6: by batch, then by destination: place i of the order goes behind all smaller batches. */
void watch_stores(const sortroute *r, unsigned step) {
    for (unsigned t = 1; t <= r->shape.height; t++)
        for (uint64_t v = 0; v < sortroute_nodes(r, t); v++) {
            uint64_t node = r->first_node[t] + v, count = r->stored[node];
            for (uint64_t i = 0; i < count; i++) {
                uint64_t batch = i % r->batches, longer = count % r->batches;
                uint64_t before = batch * (count / r->batches) + (batch < longer ? batch : longer);
                moved(r, r->store[r->store_first[node] + i], tree_node(r, t, v), SORTROUTE_STORED,
                      step == 5 ? i : before + i / r->batches);
            }
        }
    moment(r, step, 0, 0);
}

static void sorted_down(const sortroute *r, unsigned t, uint64_t v) {
    const level *l = &r->level[t];
    for (uint32_t i = 0; i < l->count[v]; i++)
        moved(r, l->key[l->first[v] + i], tree_node(r, t, v), SORTROUTE_SORTED, i);
}

/* All messages that a mesh has received, including the `count` messages of the current wave, of which the
 * last are at the top. */
static void mesh_filled(const sortroute *r, uint64_t mesh, uint64_t count) {
    uint64_t depth[1u << 6] = {0};
    for (uint64_t i = count; i-- > 0;) {
        uint64_t at = r->arrival_first[mesh] + i;
        in_mesh(r, r->arrival[at], mesh, r->arrival_wire[at], depth[r->arrival_wire[at]]++);
    }
}

/* The messages of a wave to one child. A mesh records them only in its own turn, so they are looked up in the
 * list sent to it, as if they had arrived. */
static void wave_down(sortroute *r, unsigned t, uint64_t v, unsigned child, uint64_t wave) {
    const level *l = &r->level[t];
    uint64_t wires = sortroute_capacity(r, t - 1), start = l->first[v] + (child ? l->go[v] : 0);
    uint64_t count = child ? l->count[v] - l->go[v] : l->go[v], below = 2 * v + child;
    uint64_t end = (wave + 1) * wires < count ? (wave + 1) * wires : count;
    if (wave * wires >= count) return;
    for (uint64_t i = wave * wires; i < end; i++) {
        if (t > 1) {
            moved(r, l->key[start + i], tree_node(r, t - 1, below), SORTROUTE_RECEIVED, i);
        } else {
            uint64_t at = r->arrival_first[below] + r->arrived[below] + i;
            r->arrival[at] = (uint32_t)l->key[start + i];
            r->arrival_wire[at] = (uint32_t)(i % wires);
        }
    }
    if (t == 1) mesh_filled(r, below, r->arrived[below] + end);
}

static void send_wave(sortroute *r, unsigned t, uint64_t wave) {
    for (uint64_t v = 0; v < sortroute_nodes(r, t); v++)
        for (unsigned child = 0; child < 2; child++) wave_down(r, t, v, child, wave);
}

void watch_descend(sortroute *r, uint64_t stage, uint64_t waves) {
    unsigned height = r->shape.height;
    for (unsigned t = 1; t <= height; t++)
        for (uint64_t v = 0; stage_batch(r, stage, height - t) != BOUGH_NONE && v < sortroute_nodes(r, t);
             v++)
            sorted_down(r, t, v);
    moment(r, 7, stage, 0);
    for (uint64_t wave = 0; wave < waves; wave++) {
        for (unsigned t = 1; t <= height; t++)
            if (stage_batch(r, stage, height - t) != BOUGH_NONE) send_wave(r, t, wave);
        moment(r, 7, stage, wave + 1);
    }
}

void watch_delivered(const sortroute *r) {
    for (uint64_t id = 0; id < r->set.count; id++)
        if (r->set.peak[id]) moved(r, id, r->set.target[id], SORTROUTE_DELIVERED, 0);
    moment(r, 8, 0, 0);
}
