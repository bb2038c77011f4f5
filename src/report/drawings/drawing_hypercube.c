/* Layout of a hypercube drawing. */
#include "report/drawings/drawing.h"

#include <math.h>

enum { MARGIN = 24, NARROWEST = 460 };

/* Each bit is a step: the first three form a cube, the next three shift it. No step is a multiple of another,
 * so that lines do not overlap. */
bough_status drawing_arrange_cube(drawing *d, bough_error *error) {
    static const double step[][2] = {{84, 0}, {0, -84}, {36, -30}, {219, 22}, {-30, -251}, {408, -162}};
    uint64_t subcube = d->net->endpoints / d->boxes;
    double low[2] = {0, 0}, high[2] = {0, 0};
    for (unsigned b = 0; UINT64_C(1) << b < d->boxes; b++)
        for (int k = 0; k < 2; k++) *(step[b][k] < 0 ? &low[k] : &high[k]) += step[b][k];
    d->left = d->top = 2 * MARGIN;
    d->right = d->left + high[0] - low[0];
    d->bottom = d->top + high[1] - low[1];
    for (size_t i = 0; i < d->boxes; i++) {
        drawing_box *box = &d->box[i];
        box->x = d->left - low[0];
        box->y = d->top - low[1];
        for (unsigned b = 0; UINT64_C(1) << b < d->boxes; b++)
            if (box->node / subcube >> b & 1) box->x += step[b][0], box->y += step[b][1];
        box->slot = 44;
    }
    d->width = fmax(d->right + 2 * MARGIN, NARROWEST);
    d->height = d->bottom + 2 * MARGIN;
    d->thin = 1;
    for (size_t i = 0; i < d->lines; i++)
        for (int k = 0; k < 2; k++) {
            const drawing_box *box = &d->box[k ? d->line[i].to : d->line[i].from];
            d->line[i].x[k] = box->x;
            d->line[i].y[k] = box->y;
        }
    return drawing_label(d, error);
}
