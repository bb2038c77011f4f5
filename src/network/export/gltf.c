/* glTF 2.0 in one file: a unit cube, one mesh per stage with the colour of the stage, and one scaled node per
 * stack. Lengths are in metres, as glTF requires. */
#include "base/json/json_writer.h"
#include "network/export/network_exports.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METRES_PER_FOOT 0.3048

enum { CORNERS = 24, INDICES = 36 };

/* ---- the unit cube ---- */

typedef struct cube_data {
    float position[CORNERS][3], normal[CORNERS][3];
    uint16_t index[INDICES];
} cube_data;

static cube_data unit_cube(void) {
    cube_data c;
    for (unsigned face = 0; face < 6; face++) {
        unsigned axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        float sign = face % 2 ? 1 : -1;
        for (unsigned k = 0; k < 4; k++) { /* counter-clockwise, seen from outside */
            static const float around[4][2] = {{-0.5F, -0.5F}, {0.5F, -0.5F}, {0.5F, 0.5F}, {-0.5F, 0.5F}};
            unsigned at = 4 * face + k;
            c.position[at][axis] = sign / 2;
            c.position[at][u] = around[k][0] * sign;
            c.position[at][v] = around[k][1];
            c.normal[at][axis] = sign;
            c.normal[at][u] = c.normal[at][v] = 0;
        }
        static const uint16_t triangle[6] = {0, 1, 2, 0, 2, 3};
        for (unsigned k = 0; k < 6; k++) c.index[6 * face + k] = (uint16_t)(4 * face + triangle[k]);
    }
    return c;
}

/* Numbers are little-endian in glTF. */
static size_t put_number(unsigned char *at, uint32_t value, size_t size) {
    for (size_t i = 0; i < size; i++) at[i] = (unsigned char)(value >> (8 * i));
    return size;
}

static void cube_bytes(const cube_data *c, unsigned char byte[sizeof(cube_data)]) {
    for (size_t i = 0; i < 2 * CORNERS * 3; i++) { /* positions, then normals */
        uint32_t word;
        memcpy(&word, (const char *)c + i * sizeof word, sizeof word);
        byte += put_number(byte, word, sizeof word);
    }
    for (size_t i = 0; i < INDICES; i++) byte += put_number(byte, c->index[i], sizeof c->index[i]);
}

static void put_base64(bough_text *out, const unsigned char *byte, size_t count) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        uint32_t word = (uint32_t)byte[i] << 16;
        if (i + 1 < count) word |= (uint32_t)byte[i + 1] << 8;
        if (i + 2 < count) word |= byte[i + 2];
        char text[4] = {digit[word >> 18], digit[word >> 12 & 63], digit[word >> 6 & 63], digit[word & 63]};
        if (i + 2 >= count) text[3] = '=';
        if (i + 1 >= count) text[2] = '=';
        bough_text_add(out, text, 4);
    }
}

static void put_view(json_writer *w, size_t offset, size_t bytes, int target) {
    json_begin_object(w, NULL, true);
    json_put_whole(w, "buffer", 0);
    if (offset) json_put_whole(w, "byteOffset", (int64_t)offset);
    json_put_whole(w, "byteLength", (int64_t)bytes);
    json_put_whole(w, "target", target);
    json_end_object(w);
}

static void put_vector(json_writer *w, const char *key, const double v[3]) {
    json_begin_array(w, key, true);
    for (int i = 0; i < 3; i++) json_put_real(w, NULL, v[i]);
    json_end_array(w);
}

static void put_accessor(json_writer *w, int view, int type, const char *shape) {
    const double least[3] = {-0.5, -0.5, -0.5}, most[3] = {0.5, 0.5, 0.5};
    json_begin_object(w, NULL, true);
    json_put_whole(w, "bufferView", view);
    json_put_whole(w, "componentType", type);
    json_put_whole(w, "count", view == 2 ? INDICES : CORNERS);
    json_put_text(w, "type", shape);
    if (view == 0) put_vector(w, "min", least);
    if (view == 0) put_vector(w, "max", most);
    json_end_object(w);
}

static void put_cube(json_writer *w) {
    const cube_data c = unit_cube();
    unsigned char byte[sizeof c];
    cube_bytes(&c, byte);
    enum { FLOATS = 5126, SHORTS = 5123, VERTICES = 34962, TRIANGLES = 34963 };
    bough_text uri = {0};
    bough_text_put(&uri, "data:application/octet-stream;base64,");
    put_base64(&uri, byte, sizeof byte);
    json_begin_array(w, "buffers", false);
    json_begin_object(w, NULL, true);
    json_put_whole(w, "byteLength", sizeof c);
    json_put_text(w, "uri", uri.failed ? "" : uri.data);
    json_end_object(w);
    json_end_array(w);
    if (uri.failed) w->out->failed = true;
    bough_text_fini(&uri);
    json_begin_array(w, "bufferViews", false);
    put_view(w, 0, sizeof c.position, VERTICES);
    put_view(w, sizeof c.position, sizeof c.normal, VERTICES);
    put_view(w, sizeof c.position + sizeof c.normal, sizeof c.index, TRIANGLES);
    json_end_array(w);
    json_begin_array(w, "accessors", false);
    put_accessor(w, 0, FLOATS, "VEC3");
    put_accessor(w, 1, FLOATS, "VEC3");
    put_accessor(w, 2, SHORTS, "SCALAR");
    json_end_array(w);
}

/* ---- stages and stacks ---- */

/* Colours of Okabe and Ito in linear light, distinguishable with colour blindness. */
enum { COLOURS = 8 };
static const double colour[COLOURS][3] = {
    {0.093, 0.455, 0.812}, {0.791, 0.347, 0},     {0, 0.342, 0.171}, {0.665, 0.112, 0},
    {0.604, 0.191, 0.386}, {0.871, 0.776, 0.054}, {0, 0.168, 0.445}, {0.1, 0.1, 0.1},
};

static void put_material(json_writer *w, const bough_packaging *p, unsigned stage) {
    char name[160];
    snprintf(name, sizeof name, "stage %u: %s", stage, p->stage[stage].name);
    json_begin_object(w, NULL, true);
    json_put_text(w, "name", name);
    json_begin_object(w, "pbrMetallicRoughness", true);
    json_begin_array(w, "baseColorFactor", true);
    for (int i = 0; i < 3; i++) json_put_real(w, NULL, colour[stage % COLOURS][i]);
    json_put_real(w, NULL, 1);
    json_end_array(w);
    json_put_real(w, "metallicFactor", 0.1);
    json_put_real(w, "roughnessFactor", 0.7);
    json_end_object(w);
    json_end_object(w);
}

static void put_mesh(json_writer *w, const bough_packaging *p, unsigned stage) {
    json_begin_object(w, NULL, true);
    json_put_text(w, "name", p->stage[stage].name);
    json_begin_array(w, "primitives", true);
    json_begin_object(w, NULL, true);
    json_begin_object(w, "attributes", true);
    json_put_whole(w, "POSITION", 0);
    json_put_whole(w, "NORMAL", 1);
    json_end_object(w);
    json_put_whole(w, "indices", 2);
    json_put_whole(w, "material", stage);
    json_end_object(w);
    json_end_array(w);
    json_end_object(w);
}

static void put_stages(json_writer *w, const bough_packaging *p) {
    json_begin_array(w, "materials", false);
    for (unsigned s = 0; s < p->stages; s++) put_material(w, p, s);
    json_end_array(w);
    json_begin_array(w, "meshes", false);
    for (unsigned s = 0; s < p->stages; s++) put_mesh(w, p, s);
    json_end_array(w);
}

typedef struct model {
    const bough_packaging *packaging;
    json_writer w;
    int64_t count;
    double gap; /* stacks are drawn slightly smaller to show their boundaries */
} model;

/* To six digits: more is not seen. */
static double rounded(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    return strtod(text, NULL);
}

static void put_box(void *context, const bough_box *b) {
    model *m = context;
    double at[3], size[3];
    char name[160];
    for (int i = 0; i < 3; i++) at[i] = rounded(b->centre[i] * METRES_PER_FOOT);
    for (int i = 0; i < 3; i++)
        size[i] = rounded(fmax(b->size[i] - m->gap, b->size[i] / 2) * METRES_PER_FOOT);
    snprintf(name, sizeof name, "stage %u, %s %" PRIu64, b->stage, m->packaging->stage[b->stage].name,
             b->number);
    json_begin_object(&m->w, NULL, true);
    json_put_text(&m->w, "name", name);
    json_put_whole(&m->w, "mesh", b->stage);
    put_vector(&m->w, "translation", at);
    put_vector(&m->w, "scale", size);
    json_end_object(&m->w);
    m->count++;
}

static void put_asset(json_writer *w, const bough_net *net) {
    json_begin_object(w, "asset", true);
    json_put_text(w, "version", "2.0");
    json_put_text(w, "generator", "bough " BOUGH_VERSION);
    json_begin_object(w, "extras", true);
    json_put_text(w, "network", net->spec);
    json_end_object(w);
    json_end_object(w);
}

static void put_scene(json_writer *w, int64_t nodes) {
    json_put_whole(w, "scene", 0);
    json_begin_array(w, "scenes", false);
    json_begin_object(w, NULL, true);
    json_begin_array(w, "nodes", true);
    for (int64_t i = 0; i < nodes; i++) json_put_whole(w, NULL, i);
    json_end_array(w);
    json_end_object(w);
    json_end_array(w);
}

bough_status export_gltf(const bough_net *net, bough_text *out, bough_error *error) {
    if (!net->packaging)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "a 3-D model requires stacks in hollow cubes (transit networks); %s has none",
                          net->spec);
    model m = {net->packaging, {.out = out}, 0, 1 / 24.0};
    json_begin_object(&m.w, NULL, false);
    put_asset(&m.w, net);
    put_cube(&m.w);
    put_stages(&m.w, net->packaging);
    json_begin_array(&m.w, "nodes", false);
    bough_status status = bough_hollow_cube_boxes(net->packaging, put_box, &m, error);
    if (status) return status;
    json_end_array(&m.w);
    put_scene(&m.w, m.count);
    json_end_document(&m.w);
    return export_finished(out, error);
}
