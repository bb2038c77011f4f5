/* Layouts as files: a GDSII stream read back record by record, and the picture. */
#include "base/text/text.h"
#include "network/export/network_exports.h"
#include "network/layout/layout.h"
#include "support/fabrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void refused(const char *spec, bough_status (*write)(const bough_net *, bough_text *, bough_error *),
                    bough_status status, const char *reason) {
    bough_net *net = net_make(spec);
    bough_text out = {0};
    bough_error error = {0};
    assert_int_equal(write(net, &out, &error), status);
    if (!strstr(error.reason, reason)) fail_msg("%s: '%s' does not say '%s'", spec, error.reason, reason);
    bough_text_fini(&out);
    bough_net_destroy(net);
}

static void what_has_no_layout_is_refused(void **state) {
    (void)state;
    refused("cube:n=16", export_gds, BOUGH_UNSUPPORTED, "not cube:n=16");
    refused("cube:n=16", export_layout_svg, BOUGH_UNSUPPORTED, "not cube:n=16");
    refused("fattree:n=2^30", export_gds, BOUGH_TOO_LARGE, "wires at one node");
    refused("pruned:n=4^18", export_gds, BOUGH_TOO_LARGE, "2.1 m");
    refused("fattree:n=65536", export_layout_svg, BOUGH_TOO_LARGE, "the limit is 2097152");
}

/* ---- GDSII ---- */

typedef struct stream {
    const unsigned char *at, *end;
} stream;

typedef struct gds_record {
    unsigned type;
    const unsigned char *data;
    size_t length;
} gds_record;

static unsigned word(const unsigned char *b) {
    return (unsigned)b[0] << 8 | b[1];
}

static int32_t whole(const unsigned char *b) {
    return (int32_t)((uint32_t)word(b) << 16 | word(b + 2));
}

/* Sign, excess-64 power of 16, fraction. */
static double real(const unsigned char *b) {
    double fraction = 0;
    for (unsigned i = 7; i > 0; i--) fraction = (fraction + b[i]) / 256;
    return (b[0] & 0x80 ? -1 : 1) * fraction * pow(16, (b[0] & 0x7f) - 64);
}

static gds_record next(stream *s) {
    assert_true(s->at + 4 <= s->end);
    unsigned length = word(s->at);
    gds_record r = {word(s->at + 2), s->at + 4, length - 4};
    assert_true(length >= 4 && length % 2 == 0 && s->at + length <= s->end);
    s->at += length;
    return r;
}

static gds_record expect(stream *s, unsigned type) {
    gds_record r = next(s);
    if (r.type != type) fail_msg("record %04x, not %04x", r.type, type);
    return r;
}

static void name_is(const gds_record *r, const char *name) {
    char text[64] = {0};
    assert_true(r->length < sizeof text);
    memcpy(text, r->data, r->length);
    assert_string_equal(text, name);
}

static void read_rectangle(stream *s, const bough_layout_shape *want) {
    expect(s, 0x0800);
    assert_int_equal(word(expect(s, 0x0d02).data), want->layer);
    assert_int_equal(word(expect(s, 0x0e02).data), want->level);
    gds_record xy = expect(s, 0x1003);
    assert_int_equal(xy.length, 40);
    const int32_t corner[10] = {want->x0, want->y0, want->x1, want->y0, want->x1,
                                want->y1, want->x0, want->y1, want->x0, want->y0};
    for (unsigned i = 0; i < 10; i++) assert_int_equal(whole(xy.data + 4 * i), corner[i]);
    expect(s, 0x1100);
}

static void read_place(stream *s, const bough_layout *layout, const bough_layout_place *want) {
    bool array = want->columns * want->rows > 1;
    expect(s, array ? 0x0b00 : 0x0a00);
    gds_record name = expect(s, 0x1206);
    name_is(&name, layout->cell[want->cell].name);
    if (want->turn || want->mirror) {
        assert_int_equal(word(expect(s, 0x1a01).data), want->mirror ? 0x8000 : 0);
        assert_true(real(expect(s, 0x1c05).data) == 90.0 * want->turn);
    }
    if (array) {
        gds_record size = expect(s, 0x1302);
        assert_int_equal(word(size.data), want->columns);
        assert_int_equal(word(size.data + 2), want->rows);
    }
    gds_record xy = expect(s, 0x1003);
    assert_int_equal(xy.length, array ? 24 : 8);
    assert_int_equal(whole(xy.data), want->x);
    assert_int_equal(whole(xy.data + 4), want->y);
    if (array) {
        assert_int_equal(whole(xy.data + 8), want->x + (int32_t)want->columns * want->dx);
        assert_int_equal(whole(xy.data + 20), want->y + (int32_t)want->rows * want->dy);
    }
    expect(s, 0x1100);
}

static void streams_say_the_drawing(void **state) {
    (void)state;
    static const char *const specs[] = {"fattree:n=2", "pruned:n=64", "bft:n=16", "sorting:n=256",
                                        "meshoftrees:n=16"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_net *net = net_make(specs[i]);
        bough_layout *layout;
        bough_text out = {0};
        assert_int_equal(export_gds(net, &out, NULL), BOUGH_OK);
        assert_int_equal(bough_layout_draw(net, NULL, &layout, NULL), BOUGH_OK);
        stream s = {(const unsigned char *)out.data, (const unsigned char *)out.data + out.length};
        assert_int_equal(word(expect(&s, 0x0002).data), 600);
        assert_int_equal(expect(&s, 0x0102).length, 24);
        expect(&s, 0x0206);
        gds_record units = expect(&s, 0x0305);
        assert_true(fabs(real(units.data) / 1e-3 - 1) < 1e-15);
        assert_true(fabs(real(units.data + 8) / 1e-9 - 1) < 1e-15);
        for (uint32_t c = 0; c < layout->cells; c++) {
            const bough_layout_cell *cell = &layout->cell[c];
            expect(&s, 0x0502);
            gds_record name = expect(&s, 0x0606);
            name_is(&name, cell->name);
            for (size_t k = 0; k < cell->shapes; k++) read_rectangle(&s, &cell->shape[k]);
            for (size_t k = 0; k < cell->places; k++) {
                assert_true(cell->place[k].cell < c);
                read_place(&s, layout, &cell->place[k]);
            }
            expect(&s, 0x0700);
        }
        expect(&s, 0x0400);
        assert_ptr_equal(s.at, s.end);
        bough_text_fini(&out);
        bough_layout_destroy(layout);
        bough_net_destroy(net);
    }
}

/* The first bytes of any such file, by hand; 1e-3 is 0x3e 4189374bc6a7ef, 1e-9 0x39 44b82fa09b5a5(3). */
static void streams_begin_as_they_must(void **state) {
    (void)state;
    static const unsigned char want[] = {0x00, 0x06, 0x00, 0x02, 0x02, 0x58, 0x00, 0x1c, 0x01, 0x02, 0x07,
                                         0xb2, 0x00, 0x01, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                                         0x07, 0xb2, 0x00, 0x01, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
                                         0x00, 0x00, 0x0a, 0x02, 0x06, 'b',  'o',  'u',  'g',  'h',  0x00,
                                         0x00, 0x14, 0x03, 0x05, 0x3e, 0x41, 0x89, 0x37, 0x4b, 0xc6, 0xa7};
    bough_net *net = net_make("fattree:n=2");
    bough_text out = {0};
    assert_int_equal(export_gds(net, &out, NULL), BOUGH_OK);
    assert_memory_equal(out.data, want, sizeof want);
    assert_memory_equal(out.data + 56, "\x39\x44\xb8\x2f\xa0\x9b\x5a", 7);
    bough_text_fini(&out);
    bough_net_destroy(net);
}

/* More rows than an array may have: the stack of the root is cut in two. */
static void long_stacks_are_cut(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=65536");
    bough_text out = {0};
    assert_int_equal(export_gds(net, &out, NULL), BOUGH_OK);
    uint64_t rows = 0;
    unsigned arrays = 0;
    stream s = {(const unsigned char *)out.data, (const unsigned char *)out.data + out.length};
    for (bool top = false; s.at < s.end;) {
        gds_record r = next(&s);
        if (r.type == 0x0606) top = r.length >= 6 && memcmp(r.data, "layout", 6) == 0;
        if (r.type == 0x1302 && top) {
            arrays++;
            rows += word(r.data + 2);
        }
    }
    assert_int_equal(arrays, 2);
    assert_int_equal(rows, 32768);
    bough_text_fini(&out);
    bough_net_destroy(net);
}

/* ---- SVG ---- */

static unsigned occurrences(const char *text, const char *what) {
    unsigned count = 0;
    for (const char *p = text; (p = strstr(p, what)); p++) count++;
    return count;
}

/* Every step is a group that the next one uses twice; the last is used once, to scale. */
static void pictures_use_each_half_twice(void **state) {
    (void)state;
    bough_net *net = net_make("pruned:n=64");
    bough_text out = {0};
    assert_int_equal(export_layout_svg(net, &out, NULL), BOUGH_OK);
    assert_int_equal(occurrences(out.data, "<g id="), 6);
    assert_int_equal(occurrences(out.data, "<use href="), 2 * 5 + 1);
    assert_int_equal(occurrences(out.data, "scale(1 -1)"), 5);
    assert_int_equal(occurrences(out.data, "class=\"w5\""), 2 + 1); /* in two steps and the legend */
    assert_non_null(strstr(out.data, ">pruned:n=64: 14.8 x 12.4 um, wires 0.1 um apart<"));
    assert_non_null(strstr(out.data, ">4: 8<"));
    bough_text_fini(&out);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_layout_is_refused), cmocka_unit_test(streams_say_the_drawing),
        cmocka_unit_test(streams_begin_as_they_must),    cmocka_unit_test(long_stacks_are_cut),
        cmocka_unit_test(pictures_use_each_half_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
