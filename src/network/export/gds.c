/* GDSII stream: records of a length, a type and big-endian data. Cells become structures, instances SREF and
 * AREF, rectangles BOUNDARY; the layer is bough_layer, the datatype the level. The database unit is 1 nm, the
 * user unit 1 um. Dates are the epoch, so a file depends on the network only. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/export/network_exports.h"
#include "network/layout/layout.h"

#include <math.h>
#include <string.h>

enum {
    HEADER = 0x0002,
    BGNLIB = 0x0102,
    LIBNAME = 0x0206,
    UNITS = 0x0305,
    ENDLIB = 0x0400,
    BGNSTR = 0x0502,
    STRNAME = 0x0606,
    ENDSTR = 0x0700,
    BOUNDARY = 0x0800,
    SREF = 0x0a00,
    AREF = 0x0b00,
    LAYER = 0x0d02,
    DATATYPE = 0x0e02,
    XY = 0x1003,
    ENDEL = 0x1100,
    SNAME = 0x1206,
    COLROW = 0x1302,
    STRANS = 0x1a01,
    ANGLE = 0x1c05,
};

#define RECTANGLE_BYTES 64    /* of a BOUNDARY */
#define ARRAY_MAX       32767 /* rows or columns of an AREF: a signed 16-bit number */

/* ---- records ---- */

static void put16(bough_text *out, uint32_t value) {
    const unsigned char byte[2] = {(unsigned char)(value >> 8), (unsigned char)value};
    bough_text_add(out, (const char *)byte, 2);
}

static void put32(bough_text *out, int32_t value) {
    put16(out, (uint32_t)value >> 16);
    put16(out, (uint32_t)value);
}

static void record(bough_text *out, unsigned type, size_t bytes) {
    put16(out, (uint32_t)bytes + 4);
    put16(out, type);
}

static void record16(bough_text *out, unsigned type, uint32_t value) {
    record(out, type, 2);
    put16(out, value);
}

static void record_string(bough_text *out, unsigned type, const char *text) {
    size_t length = strlen(text), even = length + length % 2;
    record(out, type, even);
    bough_text_add(out, text, length);
    if (even > length) bough_text_add(out, "", 1);
}

/* Sign, exponent of 16 with bias 64, 56 bits of fraction. */
static void put_real(bough_text *out, double value) {
    int two;
    double fraction = frexp(value, &two);
    int sixteen = two > 0 ? (two + 3) / 4 : -(-two / 4);
    uint64_t bits = value == 0 ? 0 : (uint64_t)ldexp(fraction, 56 + two - 4 * sixteen);
    if (bits) bits |= (uint64_t)(sixteen + 64) << 56;
    put32(out, (int32_t)(bits >> 32));
    put32(out, (int32_t)bits);
}

static void put_epoch(bough_text *out) {
    for (unsigned i = 0; i < 2; i++) {
        static const unsigned date[6] = {1970, 1, 1, 0, 0, 0};
        for (unsigned k = 0; k < 6; k++) put16(out, date[k]);
    }
}

/* ---- elements ---- */

static void put_rectangle(bough_text *out, const bough_layout_shape *s) {
    record(out, BOUNDARY, 0);
    record16(out, LAYER, s->layer);
    record16(out, DATATYPE, s->level);
    record(out, XY, 40);
    const int32_t corner[5][2] = {
        {s->x0, s->y0}, {s->x1, s->y0}, {s->x1, s->y1}, {s->x0, s->y1}, {s->x0, s->y0}};
    for (unsigned i = 0; i < 5; i++) put32(out, corner[i][0]), put32(out, corner[i][1]);
    record(out, ENDEL, 0);
}

static void put_turn(bough_text *out, const bough_layout_place *p) {
    if (!p->turn && !p->mirror) return;
    record16(out, STRANS, p->mirror ? 0x8000 : 0);
    if (!p->turn) return;
    record(out, ANGLE, 8);
    put_real(out, 90.0 * p->turn);
}

static void put_reference(bough_text *out, const bough_layout_place *p, const char *name) {
    record(out, SREF, 0);
    record_string(out, SNAME, name);
    put_turn(out, p);
    record(out, XY, 8);
    put32(out, p->x);
    put32(out, p->y);
    record(out, ENDEL, 0);
}

/* XY: the first position, then those after the last column and the last row. */
static void put_array(bough_text *out, const bough_layout_place *p, const char *name) {
    for (uint32_t first = 0; first < p->rows; first += ARRAY_MAX) {
        uint32_t rows = p->rows - first < ARRAY_MAX ? p->rows - first : ARRAY_MAX;
        int32_t y = p->y + (int32_t)first * p->dy;
        record(out, AREF, 0);
        record_string(out, SNAME, name);
        put_turn(out, p);
        record(out, COLROW, 4);
        put16(out, p->columns);
        put16(out, rows);
        record(out, XY, 24);
        put32(out, p->x), put32(out, y);
        put32(out, p->x + (int32_t)p->columns * p->dx), put32(out, y);
        put32(out, p->x), put32(out, y + (int32_t)rows * p->dy);
        record(out, ENDEL, 0);
    }
}

static void put_cell(bough_text *out, const bough_layout *layout, const bough_layout_cell *cell) {
    record(out, BGNSTR, 24);
    put_epoch(out);
    record_string(out, STRNAME, cell->name);
    for (size_t i = 0; i < cell->shapes; i++) put_rectangle(out, &cell->shape[i]);
    for (size_t i = 0; i < cell->places; i++) {
        const bough_layout_place *p = &cell->place[i];
        const char *name = layout->cell[p->cell].name;
        if (p->columns * p->rows == 1)
            put_reference(out, p, name);
        else
            put_array(out, p, name);
    }
    record(out, ENDSTR, 0);
}

bough_status export_gds(const bough_net *net, bough_text *out, bough_error *error) {
    bough_layout_size size;
    bough_layout *layout = NULL;
    bough_status status = bough_layout_measure(net, NULL, &size, error);
    if (!status) /* a growing text is copied, so it temporarily takes twice its size */
        status = bough_memory_check(bough_add(size.bytes, bough_mul(size.shapes, 3 * RECTANGLE_BYTES)),
                                    "the GDSII stream", error);
    TRY(bough_layout_draw(net, NULL, &layout, error));
    if (status) return status;
    record16(out, HEADER, 600);
    record(out, BGNLIB, 24);
    put_epoch(out);
    record_string(out, LIBNAME, "bough");
    record(out, UNITS, 16);
    put_real(out, 1e-3);
    put_real(out, 1e-9);
    for (uint32_t i = 0; i < layout->cells; i++) put_cell(out, layout, &layout->cell[i]);
    record(out, ENDLIB, 0);
    bough_layout_destroy(layout);
    return out->failed ? bough_fail_memory(error, out->length) : BOUGH_OK;
}
