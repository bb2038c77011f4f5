/* Computes the sizes of all steps without drawing. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/layout/htree.h"

#include <inttypes.h>

/* Half tracks in nm; exact, because a pitch is a multiple of 4. */
static uint64_t half_tracks(const bough_layout_rules *r, uint64_t count) {
    return bough_mul(count, r->pitch_nm / 2);
}

static bough_layout_step step_size(const bough_layout_rules *r, const htree_step *step,
                                   const htree_half *half, const htree_half *whole,
                                   const htree_strip *strip) {
    uint64_t pitch = r->pitch_nm;
    return (bough_layout_step){
        .level = step->level,
        .joins = step->boxes > 0,
        .width_nm = bough_mul(whole->width, pitch),
        .height_nm = bough_mul(whole->height, pitch),
        .strip_nm = bough_mul(whole->width - 2 * half->height, pitch),
        .boxes = step->boxes,
        .box_width_nm = bough_mul(step->across, pitch),
        .box_height_nm = bough_mul(step->along, pitch),
        .wires = whole->wires,
        .wire_max_nm = half_tracks(r, strip->longest),
    };
}

static bough_status check_step(const htree_step *step, const htree_half *half, bough_error *error) {
    uint64_t most = bough_add(bough_mul(2, half->wires), bough_mul(step->boxes, step->up));
    if (most > HTREE_WIRES_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "the layout has %" PRIu64 " wires at one node; the limit is %" PRIu64, most,
                          HTREE_WIRES_MAX);
    return bough_memory_check(bough_mul(most, 80), "computing the layout", error);
}

bough_status bough_layout_measure(const bough_net *net, const bough_layout_rules *rules,
                                  bough_layout_size *size, bough_error *error) {
    htree_shape shape;
    htree_half half, whole;
    *size = (bough_layout_size){0};
    if (rules) size->rules = *rules;
    bough_status status = htree_shape_of(net, &size->rules, &shape, error);
    TRY(htree_leaf(&shape, &half, error));
    if (status) return status;
    size->sorter = shape.sorter;
    uint64_t pitch = size->rules.pitch_nm, inner = shape.mesh > 1 ? 2 * shape.mesh * shape.mesh + 2 : 2;
    size->step[0] = (bough_layout_step){.width_nm = half.width * pitch,
                                        .height_nm = half.height * pitch,
                                        .wires = half.wires,
                                        .wire_max_nm = shape.mesh > 1 ? pitch : 0};
    size->wire_max_nm = size->step[0].wire_max_nm;
    size->shapes = inner;
    for (unsigned i = 0; i < shape.steps && !status; i++) {
        const htree_step *step = &shape.step[i];
        htree_strip strip = {0};
        status = check_step(step, &half, error);
        TRY(htree_join(step, &half, &strip, &whole, error));
        if (!status) {
            size->step[++size->steps] = step_size(&size->rules, step, &half, &whole, &strip);
            uint64_t here = size->step[size->steps].wire_max_nm;
            if (here > size->wire_max_nm) size->wire_max_nm = here;
            size->shapes += 10 * half.wires + 3 * step->boxes * step->up + 1;
            size->bytes += (whole.wires + 2 * step->down + step->up) * sizeof(bough_layout_port);
            htree_half_fini(&half);
            half = whole;
        }
        htree_strip_fini(&strip);
    }
    size->bytes += size->shapes * sizeof(bough_layout_shape) + 80 * half.wires;
    htree_half_fini(&half);
    return status;
}
