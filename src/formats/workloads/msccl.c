/* The XML of msccl-tools:
 *
 *   <algo name="ring" coll="allreduce" ngpus="2" nchannels="1" inplace="1" outofplace="1" ..>
 *     <gpu id="0" i_chunks="2" o_chunks="2" s_chunks="0">
 *       <tb id="0" send="1" recv="1" chan="0">
 *         <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1"
 * hasdep="0"/>
 *
 * depid and deps: a block of the same GPU, and the step of it that this one waits for. Attributes that say
 * how it is executed (proto, nchunksperloop, minBytes, ..) are not used. */
#include "formats/workloads/msccl.h"

#include "base/status/try.h"
#include "base/text/spec.h"
#include "base/xml/xml_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GPUS_MAX = 4096, CHUNKS_MAX = 1 << 20, CHANNELS_MAX = 1 << 10, STEPS_MAX = 1 << 26, WORD = 32 };

const char *const msccl_collective_name[MSCCL_COLLECTIVES] = {
    [MSCCL_ALLREDUCE] = "allreduce",
    [MSCCL_ALLGATHER] = "allgather",
    [MSCCL_REDUCESCATTER] = "reducescatter",
    [MSCCL_ALLTOALL] = "alltoall",
};

typedef struct reader {
    msccl *m;
    msccl_gpu *gpu;     /* that is read; NULL: none */
    msccl_block *block; /* the same */
} reader;

/* A whole number from `least` to `most`; absent: usual. */
static bough_status read_number(xml_file *x, const char *key, const int64_t range[2], int64_t usual,
                                int64_t *value) {
    char text[WORD], *stop;
    *value = usual;
    if (!xml_copy(x, key, text, sizeof text)) return BOUGH_OK;
    *value = strtoll(text, &stop, 10);
    if (*text && !*stop && *value >= range[0] && *value <= range[1]) return BOUGH_OK;
    return xml_fail(x, "%s=\"%.30s\"; expected a whole number from %" PRId64 " to %" PRId64, key, text,
                    range[0], range[1]);
}

/* The same for a number that must be there. */
static bough_status need_number(xml_file *x, const char *key, int64_t most, uint32_t *value) {
    int64_t number;
    bough_status status = read_number(x, key, (const int64_t[]){0, most}, -1, &number);
    if (!status && number < 0) status = xml_fail(x, "%s= is missing", key);
    *value = (uint32_t)number;
    return status;
}

/* A number of something, or none: -1. */
static bough_status maybe_number(xml_file *x, const char *key, int64_t most, uint32_t *value) {
    int64_t number;
    bough_status status = read_number(x, key, (const int64_t[]){-1, most}, -1, &number);
    *value = number < 0 ? MSCCL_NONE : (uint32_t)number;
    return status;
}

/* ---- elements ---- */

static bough_status read_collective(xml_file *x, msccl *m) {
    static const struct {
        const char *name;
        msccl_collective what;
    } names[] = {{"allreduce", MSCCL_ALLREDUCE},
                 {"allgather", MSCCL_ALLGATHER},
                 {"reduce_scatter", MSCCL_REDUCESCATTER},
                 {"reducescatter", MSCCL_REDUCESCATTER},
                 {"alltoall", MSCCL_ALLTOALL}};
    char text[WORD];
    xml_copy(x, "coll", text, sizeof text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        m->collective = names[i].what;
        if (strcmp(text, names[i].name) == 0) return BOUGH_OK;
    }
    return xml_fail(
        x, "coll=\"%.30s\" is not supported; expected allreduce, allgather, reduce_scatter or alltoall",
        text);
}

static bough_status begin_algorithm(reader *r, xml_file *x) {
    msccl *m = r->m;
    int64_t in_place, out_of_place;
    char name[200];
    if (m->gpu) return xml_fail(x, "a second algorithm");
    bough_status status = read_collective(x, m);
    TRY(need_number(x, "ngpus", GPUS_MAX, &m->gpus));
    if (!status && m->gpus == 0) status = xml_fail(x, "ngpus=\"0\"");
    TRY(read_number(x, "inplace", (const int64_t[]){0, 1}, 0, &in_place));
    TRY(read_number(x, "outofplace", (const int64_t[]){0, 1}, !in_place, &out_of_place));
    if (status) return status;
    m->in_place = in_place;
    m->out_of_place = out_of_place || !in_place;
    xml_copy(x, "name", name, sizeof name);
    status = arena_copy(&m->memory, &m->name, name, x->error);
    TRY(arena_alloc(&m->memory, &m->gpu, m->gpus, sizeof *m->gpu, x->error));
    return status;
}

static bough_status begin_gpu(reader *r, xml_file *x) {
    static const char *const keys[MSCCL_BUFFERS] = {"i_chunks", "o_chunks", "s_chunks"};
    msccl *m = r->m;
    uint32_t id;
    if (!m->gpu || r->gpu) return xml_fail(x, "<gpu> outside of <algo>");
    bough_status status = need_number(x, "id", (int64_t)m->gpus - 1, &id);
    if (status) return status;
    r->gpu = &m->gpu[id];
    if (r->gpu->line) return xml_fail(x, "GPU %" PRIu32 " is described twice", id);
    *r->gpu = (msccl_gpu){.first = (uint32_t)m->blocks, .line = xml_line(x)};
    for (int b = 0; b < MSCCL_BUFFERS && !status; b++) {
        int64_t chunks;
        status = read_number(x, keys[b], (const int64_t[]){0, CHUNKS_MAX}, 0, &chunks);
        r->gpu->chunks[b] = (uint32_t)chunks;
    }
    return status;
}

static bough_status begin_block(reader *r, xml_file *x) {
    msccl *m = r->m;
    uint32_t id = 0, channel;
    if (!r->gpu || r->block) return xml_fail(x, "<tb> outside of <gpu>");
    msccl_block b = {.gpu = (uint32_t)(r->gpu - m->gpu), .first = (uint32_t)m->steps, .line = xml_line(x)};
    bough_status status = need_number(x, "id", STEPS_MAX, &id);
    TRY(maybe_number(x, "send", (int64_t)m->gpus - 1, &b.send));
    TRY(maybe_number(x, "recv", (int64_t)m->gpus - 1, &b.receive));
    TRY(maybe_number(x, "chan", CHANNELS_MAX - 1, &channel));
    if (status) return status;
    b.channel = channel == MSCCL_NONE ? 0 : channel;
    if (b.channel >= m->channels) m->channels = b.channel + 1;
    if (id != r->gpu->blocks)
        return xml_fail(x, "thread block %" PRIu32 "; expected %" PRIu32 ", as they count from 0", id,
                        r->gpu->blocks);
    if (b.send == b.gpu || b.receive == b.gpu) return xml_fail(x, "GPU %" PRIu32 " sends to itself", b.gpu);
    status = arena_grow(&m->memory, &m->block, m->blocks + 1, sizeof *m->block, x->error);
    if (status) return status;
    r->block = &m->block[m->blocks++];
    *r->block = b;
    r->gpu->blocks++;
    return BOUGH_OK;
}

static bough_status read_type(xml_file *x, uint8_t *does) {
    static const struct {
        const char *name;
        uint8_t does;
    } types[] = {{"s", MSCCL_SENDS},
                 {"r", MSCCL_RECEIVES | MSCCL_STORES},
                 {"rcs", MSCCL_RECEIVES | MSCCL_STORES | MSCCL_SENDS},
                 {"rrc", MSCCL_RECEIVES | MSCCL_ADDS | MSCCL_STORES},
                 {"rrs", MSCCL_RECEIVES | MSCCL_ADDS | MSCCL_SENDS},
                 {"rrcs", MSCCL_RECEIVES | MSCCL_ADDS | MSCCL_STORES | MSCCL_SENDS},
                 {"re", MSCCL_ADDS | MSCCL_STORES},
                 {"cpy", MSCCL_STORES},
                 {"nop", 0}};
    enum { TYPES = sizeof types / sizeof *types };
    const char *names[TYPES];
    char text[WORD], hint[BOUGH_HINT_MAX];
    xml_copy(x, "type", text, sizeof text);
    for (size_t i = 0; i < TYPES; i++) {
        names[i] = types[i].name;
        *does = types[i].does;
        if (strcmp(text, names[i]) == 0) return BOUGH_OK;
    }
    return xml_fail(x, "type=\"%.30s\" is unknown%s; expected s, r, rcs, rrc, rrs, rrcs, re, cpy or nop",
                    text, bough_hint(hint, text, names, TYPES));
}

static bough_status read_chunks(xml_file *x, const char *buffer, const char *offset, msccl_chunks *c) {
    char text[WORD];
    xml_copy(x, buffer, text, sizeof text);
    static const char letters[] = "ios"; /* in the order of msccl_buffer */
    const char *at = *text && !text[1] ? strchr(letters, *text) : NULL;
    if (!at) return xml_fail(x, "%s=\"%.30s\"; expected i, o or s", buffer, text);
    c->buffer = (uint8_t)(at - letters);
    return need_number(x, offset, CHUNKS_MAX, &c->first);
}

/* depid and deps; the step itself is found when all blocks of the GPU are there. */
static bough_status read_dependency(xml_file *x, msccl_step *s) {
    uint32_t block, step;
    bough_status status = maybe_number(x, "depid", STEPS_MAX, &block);
    TRY(maybe_number(x, "deps", STEPS_MAX, &step));
    s->after = s->partner = MSCCL_NONE;
    if (status || block == MSCCL_NONE || step == MSCCL_NONE) return status;
    s->after = step;
    s->partner = block;
    return BOUGH_OK;
}

static bough_status check_ends(const reader *r, const xml_file *x, const msccl_step *s) {
    if ((s->does & MSCCL_SENDS) && r->block->send == MSCCL_NONE)
        return xml_fail(x, "the step sends, but its thread block has no GPU to send to");
    if ((s->does & MSCCL_RECEIVES) && r->block->receive == MSCCL_NONE)
        return xml_fail(x, "the step receives, but its thread block has no GPU to receive from");
    return BOUGH_OK;
}

static bough_status begin_step(reader *r, xml_file *x) {
    msccl *m = r->m;
    uint32_t number = 0;
    msccl_step s = {.line = xml_line(x), .count = 0};
    if (!r->block) return xml_fail(x, "<step> outside of <tb>");
    bough_status status = need_number(x, "s", STEPS_MAX, &number);
    TRY(read_type(x, &s.does));
    TRY(read_dependency(x, &s));
    if (s.does && !status) {
        TRY(read_chunks(x, "srcbuf", "srcoff", &s.from));
        TRY(read_chunks(x, "dstbuf", "dstoff", &s.to));
        TRY(need_number(x, "cnt", CHUNKS_MAX, &s.count));
        TRY(check_ends(r, x, &s));
    }
    if (!status && number != r->block->steps)
        status = xml_fail(x, "step %" PRIu32 "; expected %" PRIu32 ", as they count from 0", number,
                          r->block->steps);
    if (!status && m->steps == STEPS_MAX) status = xml_fail(x, "more than 2^26 steps");
    TRY(arena_grow(&m->memory, &m->step, m->steps + 1, sizeof *m->step, x->error));
    if (status) return status;
    s.block = (uint32_t)(r->block - m->block);
    m->step[m->steps++] = s;
    r->block->steps++;
    return BOUGH_OK;
}

/* ---- the file ---- */

static bough_status find_dependencies(const msccl *m, const msccl_gpu *g, const xml_file *x) {
    if (g->blocks == 0) return BOUGH_OK;
    const msccl_block *first = &m->block[g->first], *end = first + g->blocks;
    for (const msccl_block *b = first; b < end; b++)
        for (uint32_t i = b->first; i < b->first + b->steps; i++) {
            msccl_step *s = &m->step[i];
            const uint32_t of = s->partner, step = s->after;
            char place[256];
            s->partner = MSCCL_NONE;
            if (of == MSCCL_NONE) continue;
            if (of < g->blocks && step < first[of].steps) {
                s->after = first[of].first + step;
                continue;
            }
            return bough_fail(
                x->error, BOUGH_INVALID, bough_format_place(place, sizeof place, x->source->name, s->line),
                "waits for step %" PRIu32 " of thread block %" PRIu32 ", which does not exist", step, of);
        }
    return BOUGH_OK;
}

static bough_status end_element(reader *r, const xml_file *x) {
    bough_status status = BOUGH_OK;
    if (xml_ends(x, "tb")) r->block = NULL;
    if (xml_ends(x, "gpu") && r->gpu) {
        status = find_dependencies(r->m, r->gpu, x);
        r->gpu = NULL;
    }
    return status;
}

static bough_status read_node(void *context, xml_file *x) {
    static const struct {
        const char *name;
        bough_status (*read)(reader *r, xml_file *x);
    } elements[] = {{"algo", begin_algorithm}, {"gpu", begin_gpu}, {"tb", begin_block}, {"step", begin_step}};
    reader *r = context;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < sizeof elements / sizeof *elements && !status; i++)
        if (xml_begins(x, elements[i].name)) status = elements[i].read(r, x);
    return status ? status : end_element(r, x);
}

bough_status msccl_read(const bough_input *input, msccl *m, bough_error *error) {
    reader r = {.m = m};
    const bough_input_piece *piece = input->piece;
    bough_status status = bough_input_single(input, "MSCCL algorithm", error);
    if (status) return status;
    if (!xml_recognise(piece->data, piece->size, "algo"))
        return bough_fail(error, BOUGH_INVALID, piece->name,
                          "is no MSCCL algorithm; expected XML with <algo ..>");
    status = arena_copy(&m->memory, &m->file, piece->name, error);
    TRY(xml_read(&(xml_source){piece->name, piece->data, piece->size, "XML", false}, read_node, &r, error));
    for (uint32_t g = 0; g < m->gpus && !status; g++)
        if (!m->gpu[g].line)
            status = bough_fail(error, BOUGH_INVALID, piece->name,
                                "GPU %" PRIu32 " of %" PRIu32 " is missing", g, m->gpus);
    TRY(msccl_check(m, error));
    return status;
}
