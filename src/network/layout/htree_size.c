/* The recurrence: width = 2 height + strip, height = max(width, stack of boxes), and the positions of wires.
 *
 * Wires of a fan never overlap: the rows at the halves and at the boxes both ascend with the number of the
 * wire. Downward wires change rows in columns that descend with their number, upward wires in columns that
 * ascend, so a wire leaves its row before (west of where) another enters it. A downward and an upward wire
 * never pass the same rows, so they may share a column. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/layout/htree.h"

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

void htree_half_fini(htree_half *half) {
    FREE_ALL(half->place, half->length, half->kind, half->level);
    *half = (htree_half){0};
}

void htree_strip_fini(htree_strip *strip) {
    FREE_ALL(strip->target, strip->column);
    *strip = (htree_strip){0};
}

static bough_status make_half(uint64_t wires, htree_half *half, bough_error *error) {
    *half = (htree_half){.wires = wires};
    bough_status status = bough_alloc(&half->place, wires, sizeof *half->place, error);
    TRY(bough_alloc(&half->length, wires, sizeof *half->length, error));
    TRY(bough_alloc(&half->kind, wires, sizeof *half->kind, error));
    TRY(bough_alloc(&half->level, wires, sizeof *half->level, error));
    if (status) htree_half_fini(half);
    return status;
}

/* Terminals of a mesh are one track apart, and one from the north and east edges. */
bough_status htree_leaf(const htree_shape *shape, htree_half *half, bough_error *error) {
    bough_status status = make_half(shape->wires, half, error);
    if (status) return status;
    uint64_t t = shape->terminal;
    half->width = half->height = shape->mesh > 1 ? shape->mesh * (t + 1) : t;
    for (uint64_t k = 0; k < shape->wires; k++) {
        half->place[k] = shape->mesh > 1 ? k * (t + 1) + t / 2 : (t - shape->wires) / 2 + k;
        half->length[k] = shape->mesh > 1 ? 2 : 0;
        half->kind[k] = (uint8_t)(k % shape->kinds);
    }
    return BOUGH_OK;
}

/* ---- a step ---- */

/* Aligns the rows of halves and boxes: the middle wire is straight, unless one would then protrude. Until
 * then, targets are rows counted from the first box. */
static void align(const htree_step *step, const htree_half *half, uint64_t ending, htree_strip *strip) {
    uint64_t stack = step->boxes * step->along, seen = 0;
    int64_t slack = (int64_t)half->width - (int64_t)stack, move = 0;
    for (uint64_t k = 0; k < half->wires && seen <= ending / 2; k++)
        if (htree_ends(step, half, k) && seen++ == ending / 2)
            move = (int64_t)half->place[k] - (int64_t)strip->target[k];
    int64_t low = slack < 0 ? slack : 0, high = slack < 0 ? 0 : slack;
    move = move < low ? low : move > high ? high : move;
    strip->box_top = move > 0 ? (uint64_t)move : 0;
    strip->half_top = move < 0 ? (uint64_t)-move : 0;
}

/* Assigns columns of the west fan. */
static void spread(const htree_step *step, const htree_half *half, htree_strip *strip) {
    uint64_t down = 0, up = 0;
    for (uint64_t k = 0; k < half->wires; k++) {
        strip->column[k] = HTREE_STRAIGHT;
        if (!htree_ends(step, half, k)) continue;
        strip->target[k] += strip->box_top;
        uint64_t row = strip->half_top + half->place[k];
        if (strip->target[k] < row) strip->column[k] = up++;
        down += strip->target[k] > row;
    }
    strip->fan = larger(larger(up, down), 1);
    for (uint64_t k = 0; k < half->wires && down; k++)
        if (htree_ends(step, half, k) && strip->target[k] > strip->half_top + half->place[k])
            strip->column[k] = --down;
}

static void lay_out(const htree_step *step, const htree_half *half, htree_strip *strip) {
    uint64_t ending = 0, passing = 0;
    for (uint64_t k = 0; k < half->wires; k++) {
        if (htree_ends(step, half, k)) {
            strip->target[k] = ending / step->down * step->along + step->skip + ending % step->down;
            ending++;
        } else {
            strip->target[k] = passing++;
        }
    }
    strip->passing = passing;
    if (step->boxes == 0) {
        for (uint64_t k = 0; k < half->wires; k++)
            strip->target[k] = k / step->group * 2 * step->group + k % step->group;
        strip->width = 2 * passing;
        return;
    }
    align(step, half, ending, strip);
    spread(step, half, strip);
    strip->box_column = passing + strip->fan;
    strip->up_column = strip->box_column + step->across;
    strip->width = strip->up_column + step->boxes * step->up + strip->fan + passing;
}

/* Assigns the outgoing wires: from the west, passing wires of the west half, wires of the boxes, passing
 * wires of the east half. Without boxes, see lay_out. */
static void leave(const htree_step *step, const htree_half *half, const htree_strip *strip,
                  htree_half *whole) {
    uint64_t ups = step->boxes * step->up, mixed = step->boxes == 0;
    for (uint64_t k = 0; k < half->wires; k++) {
        if (htree_ends(step, half, k)) continue;
        uint64_t rank = strip->target[k], column = rank, row = strip->half_top + half->place[k];
        uint64_t east_rank = mixed ? rank + step->group : strip->passing + ups + rank;
        uint64_t east_column = mixed ? east_rank : strip->width - strip->passing + rank;
        uint64_t east_way = strip->width - east_column; /* equals the mirror image */
        whole->place[rank] = half->height + column;
        whole->length[rank] = half->length[k] + 2 * column + 1 + 2 * row + 1;
        whole->place[east_rank] = half->height + east_column;
        whole->length[east_rank] = half->length[k] + 2 * east_way - 1 + 2 * row + 1;
        whole->kind[rank] = whole->kind[east_rank] = half->kind[k];
        whole->level[rank] = whole->level[east_rank] = half->level[k];
    }
    for (uint64_t u = 0; u < ups; u++) {
        uint64_t row = htree_wire_row(strip, step, u / step->up) + step->down + u % step->up;
        uint64_t rank = strip->passing + u;
        whole->place[rank] = half->height + strip->up_column + u;
        whole->length[rank] = 2 * u + 1 + 2 * row + 1;
        whole->kind[rank] = (uint8_t)step->kind;
        whole->level[rank] = (uint8_t)step->level;
    }
}

/* Wires from the east half also cross the upward wires. */
static uint64_t longest_end(const htree_step *step, const htree_half *half, const htree_strip *strip) {
    uint64_t longest = 0;
    for (uint64_t k = 0; k < half->wires; k++) {
        if (!htree_ends(step, half, k)) continue;
        uint64_t row = strip->half_top + half->place[k], target = strip->target[k];
        uint64_t change = target > row ? target - row : row - target;
        uint64_t across = strip->passing + strip->fan + step->boxes * step->up;
        longest = larger(longest, half->length[k] + 2 * (change + across));
    }
    return longest;
}

bough_status htree_join(const htree_step *step, const htree_half *half, htree_strip *strip, htree_half *whole,
                        bough_error *error) {
    *strip = (htree_strip){0};
    *whole = (htree_half){0};
    bough_status status = bough_alloc(&strip->target, half->wires, sizeof *strip->target, error);
    TRY(bough_alloc(&strip->column, half->wires, sizeof *strip->column, error));
    if (!status) {
        lay_out(step, half, strip);
        status = make_half(2 * strip->passing + step->boxes * step->up, whole, error);
    }
    if (!status) {
        leave(step, half, strip, whole);
        whole->width = bough_add(bough_mul(2, half->height), strip->width);
        whole->height = larger(half->width, bough_mul(step->boxes, step->along));
        strip->longest = longest_end(step, half, strip);
    } else {
        htree_strip_fini(strip);
    }
    return status;
}
