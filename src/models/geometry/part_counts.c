/* The parts of a network: chips, and the stacks in which it is packaged. `kind` selects one: the chips of its
 * layers, the channels at its bottom and at its top (dehon1991, Tables 1 and 2). */
#include "base/text/text.h"
#include "method/premises.h"
#include "models/model_list.h"

#include <string.h>

enum { P_KIND };

static const bough_param params[] = {
    [P_KIND] = {"kind",
                "one kind of part, such as UT64x8: its layers and channels; default: counts of all parts",
                BOUGH_TEXT, ""},
    BOUGH_PARAMS_END,
};

/* Stacks of one name are identical everywhere, except that at the root there is nothing above them. */
static const bough_stack_inside *find_part(const bough_packaging *p, const char *name) {
    const bough_stack_inside *found = NULL;
    for (unsigned s = 0; s < p->stages; s++) {
        const bough_stack_inside *inside = &p->stage[s].inside;
        if (strcmp(p->stage[s].name, name) != 0) continue;
        if (!found || inside->root_capacity > found->root_capacity) found = inside;
    }
    return found;
}

static bough_status open_parts(bough_run *run, bough_error *error) {
    const bough_net *net = run->point.net;
    const bough_value *kind = &run->args.value[P_KIND];
    bough_text reason = {0};
    const bough_packaging *p = net->packaging;
    if (!kind->set || find_part(p, kind->text)) return BOUGH_OK;
    bough_text_printf(&reason, "parts: %s has no part %s; it has ", net->spec, kind->text);
    for (unsigned s = 0; s < p->stages; s++)
        bough_text_printf(&reason, "%s%s", s ? ", " : "", p->stage[s].name);
    return bough_fail_text(error, BOUGH_INVALID, NULL, &reason);
}

static bough_status add(bough_rows *rows, bough_metric_id metric, int64_t index, uint64_t value,
                        bough_error *error) {
    return bough_rows_add(rows, metric, index, (double)value, error);
}

static bough_status add_part(const bough_stack_inside *p, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < p->layers && !status; i++)
        status = add(rows, BOUGH_METRIC_PART_CHIPS, i, p->chips[i], error);
    const uint64_t side[4][2] = {{p->channels, p->channel_capacity},
                                 {p->channels, p->channel_capacity},
                                 {p->root_capacity > 0, p->root_capacity},
                                 {p->root_capacity > 0, p->root_capacity}};
    for (int i = 0; i < 4 && !status; i++)
        status = add(rows, BOUGH_METRIC_PART_CHANNELS, i, side[i][0], error);
    for (int i = 0; i < 4 && !status; i++)
        status = add(rows, BOUGH_METRIC_PART_CAPACITY, i, side[i][1], error);
    for (int i = 0; i < 4 && !status; i++)
        status = add(rows, BOUGH_METRIC_PART_WIRES, i, side[i][0] * side[i][1], error);
    return status;
}

static bough_status add_all(const bough_net *net, bough_rows *rows, bough_error *error) {
    const bough_packaging *p = net->packaging;
    bough_status status =
        add(rows, BOUGH_METRIC_CHIPS, BOUGH_NO_ROW_INDEX, net->chips ? net->chips : net->switches, error);
    for (unsigned s = 0; s < p->stages && !status; s++)
        status = add(rows, BOUGH_METRIC_PARTS, p->first + s, bough_packaging_stacks(p, s), error);
    return status;
}

static bough_status trial_parts(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                bough_error *error) {
    const bough_net *net = run->point.net;
    (void)key;
    (void)workspace;
    if (!run->args.value[P_KIND].set) return add_all(net, rows, error);
    return add_part(find_part(net->packaging, run->args.value[P_KIND].text), rows, error);
}

const bough_method bough_method_parts = {
    .name = "parts",
    .summary = "chips and parts of a network; layers and channels of a part",
    .source = "dehon1991, Tables 1 and 2, sections 4.2 and 5.2",
    .params = params,
    .headline = BOUGH_METRIC_CHIPS,
    .lacks = method_lacks_stacks,
    .exact = true,
    .ignores_traffic = true,
    .assumes = BOUGH_ASSUMES_NO_FAULTS,
    .open = open_parts,
    .trial = trial_parts,
};
