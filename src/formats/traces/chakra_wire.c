/* The protobuf form of Chakra: records, each with its length before it as a varint. The first one is the
 * global metadata, every other one a node. A field of a message is a key (number << 3 | wire type) and a
 * value: a varint (0), 8 bytes (1), a length and as many bytes (2), or 4 bytes (5). Field numbers and types
 * are those of schema/protobuf/et_def.proto in github.com/mlcommons/chakra; unknown fields are skipped. */
#include "formats/traces/chakra.h"

#include "base/status/try.h"

#include <inttypes.h>
#include <string.h>

typedef struct wire {
    const unsigned char *at, *end;
} wire;

typedef struct field {
    uint64_t number, value; /* value: of wire types 0, 1 and 5 */
    unsigned type;
    wire bytes; /* of wire type 2 */
} field;

enum {
    NODE_ID = 1,
    NODE_TYPE = 3,
    NODE_CONTROL = 4,
    NODE_DATA = 5,
    NODE_TIME = 7,
    NODE_INPUTS = 8,
    NODE_ATTR = 10
};
enum { ATTR_NAME = 1, ATTR_BOOLS = 28, ATTR_STRING = 29 };

static bool get_varint(wire *w, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; w->at < w->end && shift < 64; shift += 7) {
        unsigned char byte = *w->at++;
        *value |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128)) return true;
    }
    return false;
}

static bool get_fixed(wire *w, unsigned bytes, uint64_t *value) {
    *value = 0;
    if ((size_t)(w->end - w->at) < bytes) return false;
    for (unsigned i = 0; i < bytes; i++) *value |= (uint64_t)*w->at++ << 8 * i;
    return true;
}

static bool get_bytes(wire *w, wire *bytes) {
    uint64_t length;
    if (!get_varint(w, &length) || length > (size_t)(w->end - w->at)) return false;
    *bytes = (wire){w->at, w->at + length};
    w->at += length;
    return true;
}

/* False for damaged fields; a message ends where w->at == w->end. */
static bool get_field(wire *w, field *f) {
    uint64_t key;
    *f = (field){0};
    if (!get_varint(w, &key)) return false;
    f->number = key >> 3;
    f->type = key & 7;
    switch (f->type) {
    case 0:
        return get_varint(w, &f->value);
    case 1:
        return get_fixed(w, 8, &f->value);
    case 2:
        return get_bytes(w, &f->bytes);
    case 5:
        return get_fixed(w, 4, &f->value);
    default:
        return false;
    }
}

static bool is(wire text, const char *name) {
    size_t length = strlen(name);
    return (size_t)(text.end - text.at) == length && memcmp(text.at, name, length) == 0;
}

/* ---- attributes ---- */

typedef struct attribute {
    wire name, text, bools;
    uint64_t value;
    bool number; /* has a whole number or a boolean */
} attribute;

/* Fields 3 .. 32 are the values of a union, lists at even numbers. Whole numbers: 7 .. 27. sint fields (15,
 * 17) have the sign in the lowest bit, int fields (7, 9) are negative from 2^63. */
static bool get_attribute(wire w, attribute *a) {
    field f;
    *a = (attribute){0};
    while (w.at < w.end) {
        if (!get_field(&w, &f)) return false;
        if (f.number == ATTR_NAME) a->name = f.bytes;
        if (f.number == ATTR_STRING) a->text = f.bytes;
        if (f.number == ATTR_BOOLS) a->bools = f.bytes;
        if (f.number < 7 || f.number > 27 || f.number % 2 == 0 || f.type == 2) continue;
        bool zigzag = f.number == 15 || f.number == 17;
        a->value = zigzag ? f.value >> 1 ^ (0 - (f.value & 1)) : f.value;
        a->number = true;
    }
    return true;
}

/* A list of booleans, packed or not. */
static bool all_true(wire w, bool *all) {
    field f;
    while (w.at < w.end) {
        if (!get_field(&w, &f)) return false;
        if (f.type == 0) *all &= f.value != 0;
        for (const unsigned char *p = f.bytes.at; p < f.bytes.end; p++) *all &= *p != 0;
    }
    return true;
}

static bough_status use_attribute(const chakra *r, const attribute *a, chakra_node *n) {
    const struct {
        const char *name;
        uint64_t *value;
        unsigned bit;
    } numbers[] = {
        {"comm_size", &n->size, CHAKRA_SIZE},
        {"comm_type", &n->kind, CHAKRA_KIND},
        {"comm_src", &n->source, CHAKRA_SOURCE},
        {"comm_dst", &n->destination, CHAKRA_DESTINATION},
        {"comm_tag", &n->tag, 0},
    };
    bool all = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!is(a->name, numbers[i].name)) continue;
        if (!a->number || a->value >> 63)
            return FAIL_HERE("node %" PRIu64 ": %s is not a whole number", n->id, numbers[i].name);
        *numbers[i].value = a->value;
        n->given |= numbers[i].bit;
    }
    if (is(a->name, "is_cpu_op")) n->host = a->value != 0;
    if (is(a->name, "pg_name")) {
        n->group = (const char *)a->text.at;
        n->group_length = (size_t)(a->text.end - a->text.at);
    }
    if (is(a->name, "involved_dim") && !all_true(a->bools, &all))
        return FAIL_HERE("node %" PRIu64 ": damaged involved_dim", n->id);
    n->some |= !all;
    return BOUGH_OK;
}

/* ---- nodes ---- */

static bough_status damaged(const chakra *r) {
    return FAIL_HERE("the record is damaged; expected a node of Chakra's protobuf schema");
}

static bough_status get_values(const chakra *r, wire w, chakra_node *n) {
    field f;
    while (w.at < w.end) {
        if (!get_field(&w, &f)) return damaged(r);
        if (f.number != 1 || f.type != 2) continue;
        n->values = (const char *)f.bytes.at;
        n->values_length = (size_t)(f.bytes.end - f.bytes.at);
    }
    return BOUGH_OK;
}

static bough_status get_node(const chakra *r, wire w, chakra_node *n) {
    field f;
    attribute a;
    bough_status status = BOUGH_OK;
    for (wire look = w; look.at < look.end;) { /* the id first: messages name it */
        if (!get_field(&look, &f)) return damaged(r);
        if (f.number == NODE_ID && f.type == 0) n->id = f.value;
    }
    while (w.at < w.end && !status) {
        if (!get_field(&w, &f)) return damaged(r);
        if (f.number == NODE_TYPE && f.type == 0) n->type = f.value;
        if (f.number == NODE_TIME && f.type == 0) n->us = f.value;
        if (f.number == NODE_INPUTS && f.type == 2) status = get_values(r, f.bytes, n);
        if (f.number != NODE_ATTR || f.type != 2) continue;
        if (!get_attribute(f.bytes, &a)) return damaged(r);
        status = use_attribute(r, &a, n);
    }
    return status;
}

/* Dependencies are numbers, packed or not. */
static bough_status get_dependencies(chakra *r, wire w, uint32_t op) {
    field f;
    uint64_t before;
    bough_status status = BOUGH_OK;
    while (w.at < w.end && !status) {
        if (!get_field(&w, &f)) return damaged(r);
        if (f.number != NODE_CONTROL && f.number != NODE_DATA) continue;
        if (f.type == 0) status = chakra_depends(r, op, f.value);
        while (f.bytes.at < f.bytes.end && !status) {
            if (!get_varint(&f.bytes, &before)) return damaged(r);
            status = chakra_depends(r, op, before);
        }
    }
    return status;
}

bough_status chakra_read_wire(chakra *r, const bough_input_piece *piece) {
    wire file = {(const unsigned char *)piece->data, (const unsigned char *)piece->data + piece->size},
         record;
    bough_status status = BOUGH_OK;
    if (!get_bytes(&file, &record)) return FAIL_HERE("the global metadata are damaged");
    while (file.at < file.end && !status) {
        chakra_node node = {0};
        uint32_t op = 0;
        r->in.line++;
        if (!get_bytes(&file, &record)) return FAIL_HERE("the file ends within a record");
        status = get_node(r, record, &node);
        TRY(chakra_add(r, &node, &op));
        TRY(get_dependencies(r, record, op));
    }
    return status;
}

/* The metadata have a version (1) and attributes (2), all of them with lengths; a node follows, unless `data`
 * ends before. */
bool chakra_wire_is(const char *data, size_t size) {
    wire file = {(const unsigned char *)data, (const unsigned char *)data + size}, record;
    field f;
    uint64_t length;
    if (size == 0 || !get_varint(&file, &length)) return false;
    bool whole = length <= (size_t)(file.end - file.at);
    record = (wire){file.at, whole ? file.at + length : file.end};
    while (record.at < record.end) {
        if (!get_field(&record, &f)) return !whole && size >= BOUGH_INPUT_HEAD;
        if (f.type != 2 || f.number < 1 || f.number > 2) return false;
    }
    return whole && (length > 0 || size > 1);
}
