/* Expansion with sidetracking (bay1991, Routing of the batches): a flag, 1 for active; the destination from
 * its greatest bit of use; the rank in the batch; the body.
 *
 * A vertex reads the flags in one step and the first bits of the destinations in the next. Then it knows the
 * sides and sends the flags. An active message loses that bit, a sidetracked one keeps it and comes one step
 * later. Two active messages for one side: one of them will be active there and one sidetracked on the other
 * side, which the flags can say already; the bits that follow are alike and go to both sides until the first
 * difference shows which is which. The rank, behind the destination, makes sure that there is one. */
#include "network/families/pruned_shape.h"
#include "papers/bay1991/bitserial/bit_machine.h"

#include <string.h>

enum { LEFT, RIGHT };

static void send_down(bit_machine *m, bit_place at, unsigned side, unsigned bit) {
    bit_send(m, &m->down, bit_edge(m, at.height - 1, 2 * at.node + side, at.k), bit);
}

/* ---- inputs ---- */

/* Bit `place` of the packet of word k. */
static unsigned packet_bit(const bit_machine *m, const bit_top *top, uint32_t k, uint64_t place) {
    unsigned v = m->width;
    if (!top->sorted_bits || place > m->word_bits + v) return BIT_SILENT;
    if (place == 0) return 1;
    if (place > m->lg && place <= m->lg + v) return k >> (m->lg + v - place) & 1;
    if (place > m->lg) place -= v;
    return top->sorted >> (m->word_bits - place) & 1;
}

static unsigned input(const bit_machine *m, bit_place at, unsigned i) {
    unsigned v = pruned_lg_vertices(at.height);
    if (at.height < bit_lg_top(m))
        return i < pruned_growth(at.height)
                   ? m->down.now[bit_edge(m, at.height, at.node, at.k | (uint32_t)i << v)]
                   : BIT_SILENT;
    bool at_peak = m->shape.top == SIDETRACK_PEAK;
    if (!at_peak && i) return BIT_SILENT;
    return packet_bit(m, bit_top_of(m, at_peak ? 2 * at.node + i : at.node, at.k), at.k, m->step - 1);
}

/* ---- a vertex ---- */

static void choose_alone(bit_switch *s, unsigned i, unsigned bit) {
    s->choice[i] = (uint8_t)bit;
    if (s->active[i]) return;
    s->choice[i] = s->direction;
    s->direction ^= 1;
}

static void choose_both(bit_switch *s, const unsigned bit[2]) {
    if (s->active[0] && s->active[1]) {
        s->choice[0] = (uint8_t)bit[0];
        s->choice[1] = (uint8_t)bit[1];
        s->undecided = bit[0] == bit[1];
        return;
    }
    unsigned first = s->active[1];
    s->choice[first] = (uint8_t)(s->active[first] ? bit[first] : LEFT);
    s->choice[!first] = !s->choice[first];
}

/* The first bits of the destinations. */
static void decide(bit_machine *m, bit_place at, bit_switch *s, const unsigned bit[2]) {
    if (bit[0] != BIT_SILENT && bit[1] != BIT_SILENT)
        choose_both(s, bit);
    else
        choose_alone(s, bit[0] == BIT_SILENT, bit[bit[0] == BIT_SILENT]);
    for (unsigned i = 0; i < 2; i++) {
        if (bit[i] == BIT_SILENT) continue;
        s->got[i] = 2;
        unsigned loses = s->undecided && i == 1;
        send_down(m, at, s->choice[i] ^ loses, s->active[i] && !loses);
        if (loses || !s->active[i]) s->delay[i] = (uint8_t)bit[i];
    }
}

/* Input 1 stands for the loser as long as both are alike. */
static void tell_apart(bit_switch *s, const unsigned bit[2]) {
    if (bit[0] == bit[1]) return;
    unsigned loser = bit[0] > bit[1] ? 0 : 1;
    s->undecided = 0;
    s->active[loser] = 0;
    s->choice[loser] ^= 1;
    if (loser == 1) return;
    s->delay[0] = s->delay[1];
    s->delay[1] = BIT_SILENT;
}

static bool hand_on(bit_machine *m, bit_place at, bit_switch *s, const unsigned bit[2]) {
    bool works = false;
    if (s->undecided) tell_apart(s, bit);
    for (unsigned i = 0; i < 2; i++) {
        unsigned out = bit[i];
        if (s->delay[i] != BIT_SILENT) {
            out = s->delay[i];
            s->delay[i] = (uint8_t)bit[i];
        }
        if (out == BIT_SILENT) continue;
        send_down(m, at, s->choice[i] ^ (s->undecided && i == 1), out);
        works = true;
    }
    return works;
}

static bool take_flags(bit_switch *s, const unsigned bit[2]) {
    bool works = false;
    for (unsigned i = 0; i < 2; i++) {
        if (bit[i] == BIT_SILENT) continue;
        s->active[i] = (uint8_t)bit[i];
        s->got[i] = 1;
        works = true;
    }
    return works;
}

static bool switch_messages(bit_machine *m, bit_place at) {
    bit_switch *s = &m->vertex[bit_vertex(m, at)];
    const unsigned bit[2] = {input(m, at, 0), input(m, at, 1)};
    unsigned got = s->got[0] > s->got[1] ? s->got[0] : s->got[1];
    if (got == 0) return take_flags(s, bit);
    if (got == 2) return hand_on(m, at, s, bit);
    decide(m, at, s, bit);
    return true;
}

/* ---- a leaf ---- */

static bool receive(bit_machine *m, bit_place at) {
    bool works = false;
    for (unsigned i = 0; i < 2; i++) {
        bit_parcel *p = &m->leaf[at.node].in[i];
        unsigned bit = input(m, at, i);
        if (bit == BIT_SILENT) continue;
        if (p->present) { /* after the flag */
            p->word = p->word << 1 | bit;
            p->bits++;
        }
        p->present = works = true;
    }
    return works;
}

static bool expand(bit_machine *m, bit_place at) {
    return at.height ? switch_messages(m, at) : receive(m, at);
}

uint64_t bit_expand(bit_machine *m) {
    uint64_t steps = 0;
    m->width = pruned_lg_vertices(bit_lg_top(m));
    for (uint32_t leaf = 0; leaf < m->leaves; leaf++) memset(m->leaf[leaf].in, 0, sizeof m->leaf[leaf].in);
    bit_run_steps(m, (bit_run){expand, bit_lg_top(m), false}, &steps);
    return steps;
}
