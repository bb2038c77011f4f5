/* glTF 2.0 in one file: a unit cube, one mesh per stage with the colour of the stage, and one scaled node per
 * stack. Lengths are in metres, as glTF requires. */
#include "base/text/escape.h"
#include "network/export/network_exports.h"

#include <inttypes.h>
#include <math.h>
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

static void put_cube(bough_text *out) {
    const cube_data c = unit_cube();
    bough_text_printf(out,
                      " \"buffers\": [{\"byteLength\": %zu, \"uri\": \"data:application/octet-stream;base64,",
                      sizeof c);
    put_base64(out, (const unsigned char *)&c, sizeof c);
    bough_text_printf(out,
                      "\"}],\n \"bufferViews\": [{\"buffer\": 0, \"byteLength\": %zu, \"target\": 34962}, "
                      "{\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu, \"target\": 34962}, "
                      "{\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu, \"target\": 34963}],\n",
                      sizeof c.position, sizeof c.position, sizeof c.normal,
                      sizeof c.position + sizeof c.normal, sizeof c.index);
    bough_text_printf(
        out,
        " \"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": %d, \"type\": "
        "\"VEC3\", \"min\": [-0.5, -0.5, -0.5], \"max\": [0.5, 0.5, 0.5]}, "
        "{\"bufferView\": 1, \"componentType\": 5126, \"count\": %d, \"type\": \"VEC3\"}, "
        "{\"bufferView\": 2, \"componentType\": 5123, \"count\": %d, \"type\": \"SCALAR\"}],\n",
        CORNERS, CORNERS, INDICES);
}

/* ---- stages and stacks ---- */

/* Colours of Okabe and Ito in linear light, distinguishable with colour blindness. */
static const char *const colour[BOUGH_STAGES_MAX] = {
    "0.093, 0.455, 0.812", "0.791, 0.347, 0.000", "0.000, 0.342, 0.171", "0.665, 0.112, 0.000",
    "0.604, 0.191, 0.386", "0.871, 0.776, 0.054", "0.000, 0.168, 0.445", "0.100, 0.100, 0.100",
};

static void put_stages(const bough_packaging *p, bough_text *out) {
    bough_text_put(out, " \"materials\": [");
    for (unsigned s = 0; s < p->stages; s++)
        bough_text_printf(
            out,
            "%s\n  {\"name\": \"stage %u: %s\", \"pbrMetallicRoughness\": {\"baseColorFactor\": "
            "[%s, 1.0], \"metallicFactor\": 0.1, \"roughnessFactor\": 0.7}}",
            s ? "," : "", s, p->stage[s].name, colour[s]);
    bough_text_put(out, "],\n \"meshes\": [");
    for (unsigned s = 0; s < p->stages; s++)
        bough_text_printf(out,
                          "%s\n  {\"name\": \"%s\", \"primitives\": [{\"attributes\": {\"POSITION\": 0, "
                          "\"NORMAL\": 1}, \"indices\": 2, \"material\": %u}]}",
                          s ? "," : "", p->stage[s].name, s);
    bough_text_put(out, "],\n");
}

typedef struct writer {
    const bough_packaging *packaging;
    bough_text *out;
    uint64_t count;
    double gap; /* stacks are drawn slightly smaller to show their boundaries */
} writer;

static void put_box(void *context, const bough_box *b) {
    writer *w = context;
    double at[3], size[3];
    for (int i = 0; i < 3; i++) at[i] = b->centre[i] * METRES_PER_FOOT;
    for (int i = 0; i < 3; i++) size[i] = fmax(b->size[i] - w->gap, b->size[i] / 2) * METRES_PER_FOOT;
    bough_text_printf(w->out,
                      "%s\n  {\"name\": \"stage %u, %s %" PRIu64
                      "\", \"mesh\": %u, \"translation\": [%.6g, %.6g, "
                      "%.6g], \"scale\": [%.6g, %.6g, %.6g]}",
                      w->count++ ? "," : "", b->stage, w->packaging->stage[b->stage].name, b->number,
                      b->stage, at[0], at[1], at[2], size[0], size[1], size[2]);
}

bough_status export_gltf(const bough_net *net, bough_text *out, bough_error *error) {
    if (!net->packaging)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "a 3-D model requires stacks in hollow cubes (transit networks); %s has none",
                          net->spec);
    writer w = {net->packaging, out, 0, 1 / 24.0};
    bough_text_put(out, "{\"asset\": {\"version\": \"2.0\", \"generator\": \"bough " BOUGH_VERSION
                        "\", \"extras\": "
                        "{\"network\": ");
    bough_text_put_json(out, net->spec);
    bough_text_put(out, "}},\n");
    put_cube(out);
    put_stages(net->packaging, out);
    bough_text_put(out, " \"nodes\": [");
    bough_status status = bough_hollow_cube_boxes(net->packaging, put_box, &w, error);
    if (status) return status;
    bough_text_put(out, "],\n \"scene\": 0, \"scenes\": [{\"nodes\": [");
    for (uint64_t i = 0; i < w.count; i++) bough_text_printf(out, "%s%" PRIu64, i ? "," : "", i);
    bough_text_put(out, "]}]}\n");
    return out->failed ? bough_fail_memory(error, out->length) : BOUGH_OK;
}
