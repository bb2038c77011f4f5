/* Layout of a hypercube drawing. */
#include "report/drawings/drawing.h"

#include <math.h>

enum { MARGIN = 24, NARROWEST = 460 };

/* Each bit is a step: the first three form a cube, the next three shift it. No step is a multiple of another,
 * so that lines do not overlap. */
bough_status drawing_arrange_cube(const bough_net *net, drawing *d, bough_error *error) {
    static const double step[][2] = {{84, 0}, {0, -84}, {36, -30}, {219, 22}, {-30, -251}, {408, -162}};
    unsigned bits = 0, shift = 0;
    while (net->endpoints >> shift > 64) shift++;
    while (UINT64_C(1) << (bits + shift) < net->endpoints) bits++;
    double low[2] = {0, 0}, high[2] = {0, 0};
    for (unsigned b = 0; b < bits; b++)
        for (int k = 0; k < 2; k++) *(step[b][k] < 0 ? &low[k] : &high[k]) += step[b][k];
    for (size_t i = 0; i < d->boxes; i++) {
        drawing_box *box = &d->box[i];
        box->x = 2 * MARGIN - low[0];
        box->y = 2 * MARGIN - low[1];
        for (unsigned b = 0; b < bits; b++)
            if (box->node >> (b + shift) & 1) box->x += step[b][0], box->y += step[b][1];
        box->width = 44;
    }
    d->width = fmax(high[0] - low[0] + 4 * MARGIN, NARROWEST);
    d->height = high[1] - low[1] + 4 * MARGIN;
    d->thin = 1;
    for (size_t i = 0; i < d->lines; i++)
        for (int k = 0; k < 2; k++) {
            const drawing_box *box = &d->box[k ? d->line[i].to : d->line[i].from];
            d->line[i].x[k] = box->x;
            d->line[i].y[k] = box->y;
        }
    return drawing_name(net, d, error);
}
