/* Permutation patterns: the destination is a function of the source. With m < n, m random sources send. Fixed
 * points do not enter the network and are not messages. */
#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "traffic/patterns/batch.h"

#include <inttypes.h>
#include <stdlib.h>

static const bough_param plain_params[] = {
    {"m", "messages; default: every endpoint sends", BOUGH_INT, "", 1, 0x1p32, .echo = true},
    BOUGH_PARAMS_END,
};
enum { SHIFT_K };

static const bough_param shift_params[] = {
    {"k", "distance", BOUGH_INT, "1", 0, 0x1p40, .echo = true},
    {"m", "messages; default: every endpoint sends", BOUGH_INT, "", 1, 0x1p32, .echo = true},
    BOUGH_PARAMS_END,
};

static unsigned log2_of(uint64_t n) {
    return (unsigned)__builtin_ctzll(n);
}

static uint64_t to_shift(uint64_t p, uint64_t n, uint64_t k) {
    return (p + k % n) % n;
}
static uint64_t to_tornado(uint64_t p, uint64_t n, uint64_t k) {
    (void)k;
    return (p + (n + 1) / 2 - 1) % n; /* Dally, Towles: ceil(n/2) - 1 */
}
static uint64_t to_neighbor(uint64_t p, uint64_t n, uint64_t k) {
    (void)k;
    return (p + 1) % n;
}
static uint64_t to_bitcomp(uint64_t p, uint64_t n, uint64_t k) {
    (void)k;
    return n - 1 - p;
}
static uint64_t to_bitrev(uint64_t p, uint64_t n, uint64_t k) {
    (void)k;
    uint64_t r = 0;
    for (uint64_t bit = 1; bit < n; bit <<= 1) r = r << 1 | !!(p & bit);
    return r;
}
/* Exchanges the halves of the address; with an odd number of bits the middle bit stays. */
static uint64_t to_transpose(uint64_t p, uint64_t n, uint64_t k) {
    (void)k;
    unsigned d = log2_of(n), half = d / 2;
    uint64_t low = p & ((UINT64_C(1) << half) - 1), high = p >> (d - half);
    uint64_t middle = d % 2 ? p & UINT64_C(1) << half : 0;
    return low << (d - half) | middle | high;
}
static uint64_t to_shuffle(uint64_t p, uint64_t n, uint64_t k) {
    (void)k;
    return n == 1 ? 0 : (p << 1 | p >> (log2_of(n) - 1)) & (n - 1);
}

static bough_status bind_plain(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    return bind_m(args, net, t, error);
}
static bough_status bind_bits(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    if (net->endpoints & (net->endpoints - 1))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "traffic %s permutes address bits and requires a power of two of endpoints; %s has %" PRIu64,
            t->kind->name, net->spec, net->endpoints);
    return bind_m(args, net, t, error);
}

/* Serves all patterns of this file: state is NULL, or the image of every endpoint. */
static bough_status open_permutation(const bough_traffic *t, bough_key key, const bough_clock *clock,
                                     bough_source **out, bough_error *error) {
    (void)clock;
    const bough_pattern *to = t->kind->pattern;
    bough_batch b;
    void *state = NULL;
    uint64_t count = 0;
    bough_status status = batch_draw_sources(t->net->endpoints, t->messages, key, &b, error);
    if (status) return status;
    if (to->open) status = to->open(t, key, &state, error);
    if (status) {
        bough_batch_fini(&b);
        return status;
    }
    for (uint64_t i = 0; i < t->messages; i++) {
        uint32_t d = to->draw(t, state, b.source[i], 0);
        if (d == b.source[i]) continue;
        b.source[count] = b.source[i];
        b.address[count++] = (uint32_t)bough_endpoint_address(t->net, d);
    }
    if (to->close) to->close(state);
    b.count = count;
    return batch_source(&b, out, error);
}

/* Of a pattern without state, if all endpoints send. */
static bough_status read_part(const bough_traffic *t, bough_key key, bough_sources part, bough_batch *b,
                              bough_error *error) {
    uint64_t count = 0;
    bough_status status = batch_alloc(part.count, b, error);
    (void)key;
    for (uint64_t i = part.first; i < part.first + part.count && !status; i++) {
        uint32_t d = t->kind->pattern->draw(t, NULL, (uint32_t)i, 0);
        if (d == i) continue;
        b->source[count] = (uint32_t)i;
        b->address[count++] = (uint32_t)bough_endpoint_address(t->net, d);
    }
    b->count = count;
    return status;
}

static void visit_permutation(const bough_traffic *t, const void *state, uint32_t source,
                              void (*each)(void *context, uint32_t destination, double probability),
                              void *context) {
    uint32_t d = t->kind->pattern->draw(t, state, source, 0);
    if (d != source) each(context, d, 1);
}

#define PERMUTATION(NAME, PARAMS, BIND, K, SUMMARY, SOURCE, ...)                                             \
    static uint32_t draw_##NAME(const bough_traffic *t, const void *state, uint32_t source, uint64_t word) { \
        (void)state, (void)word;                                                                             \
        return (uint32_t)to_##NAME(source, t->net->endpoints, (uint64_t)(K));                                \
    }                                                                                                        \
    static const bough_pattern pattern_##NAME = {.draw = draw_##NAME, .visit = visit_permutation};           \
    static const char *const aliases_##NAME[] = {__VA_ARGS__, NULL};                                         \
    const bough_traffic_kind bough_traffic_##NAME = {.name = #NAME,                                          \
                                                     .summary = SUMMARY,                                     \
                                                     .source = SOURCE,                                       \
                                                     .aliases = aliases_##NAME,                              \
                                                     .params = PARAMS,                                       \
                                                     .shape = BOUGH_BATCH,                                   \
                                                     .bind = BIND,                                           \
                                                     .open = open_permutation,                               \
                                                     .pattern = &pattern_##NAME,                             \
                                                     .part = read_part};

PERMUTATION(shift, shift_params, bind_plain, t->args.value[SHIFT_K].integer, "p to p + k mod n",
            "strumpen2005, section 7", "cyclic", "cyclicshift")
PERMUTATION(transpose, plain_params, bind_bits, 0, "halves of the address exchanged",
            "strumpen2005, section 7; valiant1982", "matrixtranspose")
PERMUTATION(bitrev, plain_params, bind_bits, 0, "address bits reversed",
            "strumpen2005, section 7; valiant1982", "bitreversal", "bitreverse")
PERMUTATION(bitcomp, plain_params, bind_bits, 0, "address bits inverted", "Dally, Towles, 2004", "complement",
            "bitcomplement")
PERMUTATION(shuffle, plain_params, bind_bits, 0, "address bits rotated left", "Dally, Towles, 2004",
            "perfectshuffle")
PERMUTATION(tornado, plain_params, bind_plain, 0, "p to p + ceil(n/2) - 1 mod n", "Dally, Towles, 2004",
            "halfring")
PERMUTATION(neighbor, plain_params, bind_plain, 0, "p to p + 1 mod n", "Dally, Towles, 2004", "neighbour")

/* ---- random permutation, different in every trial ---- */

enum { DRAWN = 64 }; /* numbers that are drawn, and whose places are prefetched, before the first is used */

/* Fisher-Yates, inside-out variant. */
void random_permutation(bough_key key, uint64_t which, uint64_t n, uint32_t *image) {
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_PERMUTATION, which, 0);
    uint64_t other[DRAWN];
    for (uint64_t first = 0; first < n; first += DRAWN) {
        const uint64_t count = n - first < DRAWN ? n - first : DRAWN;
        for (uint64_t k = 0; k < count; k++) {
            other[k] = bough_stream_below(&stream, first + k + 1);
            __builtin_prefetch(&image[other[k]], 1);
        }
        for (uint64_t k = 0; k < count; k++) {
            image[first + k] = image[other[k]];
            image[other[k]] = (uint32_t)(first + k);
        }
    }
}

void random_permutation_in_planes(bough_key key, const net_plane_order *o, uint32_t *image) {
    uint32_t *drawn = image + o->first[o->planes];
    for (uint32_t p = 0; p < o->planes; p++) {
        const uint32_t *member = o->member + o->first[p];
        const uint64_t n = o->first[p + 1] - o->first[p];
        random_permutation(key, 0, n, drawn);
        for (uint64_t i = 0; i < n; i++) image[member[i]] = member[drawn[i]];
    }
}

static bough_status draw_image(const bough_traffic *t, bough_key key, void **state, bough_error *error) {
    uint32_t *image;
    uint64_t n = t->net->endpoints;
    bough_status status = large_alloc(&image, n, sizeof *image, error);
    if (status) return status;
    random_permutation(key, 0, n, image);
    *state = image;
    return BOUGH_OK;
}

static uint32_t draw_randperm(const bough_traffic *t, const void *state, uint32_t source, uint64_t word) {
    (void)t, (void)word;
    return ((const uint32_t *)state)[source];
}

static const bough_pattern pattern_randperm = {
    .open = draw_image, .close = free, .draw = draw_randperm, .visit = visit_permutation};
static const char *const aliases_randperm[] = {"permutation", "randompermutation", NULL};
const bough_traffic_kind bough_traffic_randperm = {
    .name = "randperm",
    .summary = "a random permutation, different in every trial",
    .source = "valiant1982",
    .aliases = aliases_randperm,
    .params = plain_params,
    .shape = BOUGH_BATCH,
    .random = true,
    .bind = bind_plain,
    .open = open_permutation,
    .pattern = &pattern_randperm,
};
