/* Poisson and Bernoulli streams.
 *
 * All senders together are one process, so a message costs O(1) for any number of senders. The sum of n'
 * Poisson processes is a Poisson process of n' times the rate, with a uniform sender for each message. n'
 * Bernoulli trials per cycle form one sequence of trials, with a geometric number of failures before each
 * success.
 *
 * All draws of a message use the block of its id: one word for the gap before it, one for sender and
 * destination (scaled to the sender; the fraction of the product is a word again). With more than 2^20
 * senders too few bits remain, and the destination has its own block. Lengths and bursts have a block of
 * another purpose, so that times, senders and destinations do not depend on the lengths.
 *
 * Bursts are batch Poisson arrivals (Chaudhry, Templeton: "A first course in bulk queues", 1983): the batches
 * of an endpoint are a Poisson process, their sizes are geometric. The size need not be drawn: after each
 * message the batch ends with probability 1 / mean.
 *
 * Times are a whole cycle and a binary fraction, to which gaps are added exactly, so streams do not drift. A
 * stream ends after 2^32 messages (ids have 32 bits) or 2^62 cycles. */
#include "traffic/streams/stream.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "traffic/patterns/batch.h"
#include "traffic/streams/lengths.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const bough_param params[] = {
    {"rate", "messages per cycle and sending endpoint, in the mean over these; alternatives: load, relload",
     BOUGH_REAL, ""},
    {"load", "flits per cycle and sending endpoint: rate * flits", BOUGH_REAL, ""},
    {"relload", "load as a fraction of a saturation load, which is computed first and printed", BOUGH_REAL,
     ""},
    {"of", "the method that computes the saturation for relload: queueing, worm", BOUGH_TEXT, "queueing"},
    {"flits", "flits per message", BOUGH_INT, "32", 1, 0x1p20, .echo = true},
    {"pattern",
     "destinations: uniform, shift:k=1, ...; quoted if it has several parameters; weights:FILE also says how "
     "much each endpoint sends",
     BOUGH_TEXT, "uniform"},
    {"lengths",
     "messages of different lengths: flits and their shares, as in 4:0.8+64:0.2, instead of flits=; or "
     "geometric, of mean flits=",
     BOUGH_TEXT, ""},
    {"burst", "poisson: mean number of messages that an endpoint sends at a time, geometric", BOUGH_REAL, "1",
     1, 1e6},
    BOUGH_PARAMS_END,
};
enum { RATE, LOAD, RELLOAD, OF, FLITS, PATTERN, LENGTHS, BURST };

static const double MOST_MESSAGES = 1024; /* per cycle and endpoint; more is an input error */

typedef struct stream_data {
    bough_stream_law law;
    bough_lengths lengths;
    bough_traffic *pattern;
} stream_data;

/* ---- binding ---- */

static bough_status check_given(const char *name, const bough_args *args, bough_error *error) {
    int one = -1;
    char number[40];
    for (int i = RATE; i <= RELLOAD; i++) {
        const bough_value *v = &args->value[i];
        if (!v->set) continue;
        if (one >= 0)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "%s: %s and %s are alternatives; give only one of rate, load and relload", name,
                              params[one].key, params[i].key);
        if (!(v->real > 0))
            return bough_fail(error, BOUGH_INVALID, NULL, "%s: %s=%s must be positive, as in %s=0.01", name,
                              params[i].key, bough_format_real(v->real, number, sizeof number),
                              params[i].key);
        one = i;
    }
    if (one < 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s requires rate= (messages/cycle/endpoint), load= (flits/cycle/endpoint) or "
                          "relload= (a fraction of the saturation)",
                          name);
    if (args->value[OF].given && one != RELLOAD)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s: of=%s applies to relload=, but %s= is given", name,
                          args->value[OF].text, params[one].key);
    return BOUGH_OK;
}

static bough_status check_rate(const bough_traffic *t, const bough_args *args, double rate,
                               bough_error *error) {
    const double most = t->law->poisson ? MOST_MESSAGES : 1, fastest = t->law->fastest;
    int which = args->value[RATE].set ? RATE : LOAD;
    char given[40], flits[40];
    if (rate > 0 && rate * fastest <= most * (1 + 1e-12)) return BOUGH_OK;
    double mean = bough_law_mean_flits(t->law);
    return bough_fail(
        error, BOUGH_INVALID, NULL,
        "%s: %s=%s with %s=%s is %.6g messages per cycle and endpoint%s; %s must be above 0 and at most %.6g",
        t->kind->name, params[which].key, bough_format_real(args->value[which].real, given, sizeof given),
        args->value[LENGTHS].set ? "lengths of mean" : "flits", bough_format_real(mean, flits, sizeof flits),
        rate * fastest, fastest > 1 ? ", where most is sent" : "", params[which].key,
        (which == RATE ? most : most * mean) / fastest);
}

static bough_status bind_lengths(bough_args *args, stream_data *d, const char *name, bough_error *error) {
    bough_value *flits = &args->value[FLITS];
    const bough_value *lengths = &args->value[LENGTHS];
    d->law.flits = (uint64_t)flits->integer;
    if (!lengths->set) return BOUGH_OK;
    bough_status status = lengths_parse(lengths->text, d->law.flits, &d->lengths, error);
    if (status) return status;
    if (d->lengths.count && flits->given)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s: flits= and a list of lengths= are alternatives; give only one of them", name);
    if (d->lengths.count) flits->set = false;
    d->law.flits = d->lengths.shortest;
    if (d->lengths.shortest < d->lengths.longest) d->law.lengths = &d->lengths;
    return BOUGH_OK;
}

static bough_status bind_burst(const bough_args *args, const char *name, stream_data *d, bough_error *error) {
    char number[40];
    d->law.burst = args->value[BURST].real;
    if (d->law.poisson || d->law.burst == 1) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "%s: burst=%s applies to poisson; %s starts at most one message per cycle and endpoint",
                      name, bough_format_real(d->law.burst, number, sizeof number), name);
}

/* Patterns that are not drawn for each trial must have a sender. */
static bough_status check_senders(const bough_traffic *pattern, bough_error *error) {
    const bough_pattern *p = pattern->kind->pattern;
    if (p->open || p->rate) return BOUGH_OK;
    for (uint64_t e = 0; e < pattern->net->endpoints; e++)
        if (p->draw(pattern, NULL, (uint32_t)e, 0) != e) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "pattern %s sends nothing on %s: every endpoint is its own destination", pattern->spec,
                      pattern->net->spec);
}

static bough_status bind_pattern(bough_args *args, const bough_net *net, bough_traffic *t,
                                 bough_error *error) {
    stream_data *d = t->data;
    bough_status status = pattern_create(net, args->value[PATTERN].text, &d->pattern, error);
    TRY(check_senders(d->pattern, error));
    TRY(bough_args_set_text(args, "pattern", d->pattern->spec, error));
    if (status) return status;
    t->input_hash = d->pattern->input_hash;
    t->bytes = d->pattern->bytes;
    d->law.pattern = d->pattern;
    d->law.fastest = 1;
    for (uint64_t e = 0; e < net->endpoints && d->pattern->kind->pattern->rate; e++)
        d->law.fastest = fmax(d->law.fastest, bough_pattern_rate(d->pattern, (uint32_t)e));
    return BOUGH_OK;
}

static bough_status stream_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                bough_error *error) {
    char number[40];
    stream_data *d;
    bough_status status = check_given(t->kind->name, args, error);
    if (!status && args->value[RELLOAD].set)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s: relload=%s is a fraction of the saturation of %s, which only studies and "
                          "`bough sim` compute; give load= instead",
                          t->kind->name, bough_format_real(args->value[RELLOAD].real, number, sizeof number),
                          args->value[OF].text);
    TRY(bough_alloc(&d, 1, sizeof *d, error));
    if (status) return status;
    t->data = d;
    t->law = &d->law;
    d->law.poisson = t->kind == &bough_traffic_poisson;
    status = bind_lengths(args, d, t->kind->name, error);
    TRY(bind_burst(args, t->kind->name, d, error));
    if (status) return status;
    d->law.rate = args->value[RATE].set ? args->value[RATE].real
                                        : args->value[LOAD].real / bough_law_mean_flits(&d->law);
    status = bind_pattern(args, net, t, error);
    return status ? status : check_rate(t, args, d->law.rate, error);
}

static void stream_fini(bough_traffic *t) {
    stream_data *d = t->data;
    if (d) bough_traffic_destroy(d->pattern);
    free(d);
}

/* ---- message source ---- */

enum { READY = 64 };
static const uint64_t END = UINT64_C(1) << 32, FEW_SENDERS = UINT64_C(1) << 20,
                      LAST_CYCLE = UINT64_C(1) << 62;
static const double LONGEST_GAP = 0x1p61; /* in ticks or slots; prevents overflow */

typedef struct stream_state {
    bough_source base;
    const bough_traffic *traffic, *pattern;
    void *drawn; /* state of the pattern */
    bough_key key;
    uint32_t *sender; /* sending endpoints; NULL: all */
    double *share;    /* per endpoint: what is kept of what is drawn for it; NULL: everything */
    uint64_t senders;
    const bough_clock *clock; /* NULL: cycles */
    double ticks;             /* of a cycle */
    double scale;      /* factor of the logarithm: ticks between messages, or slots between successes */
    uint64_t cycle;    /* poisson: tick of the latest message, rounded down; else its cycle */
    uint64_t fraction; /* poisson: its time above that, in 2^-64 ticks */
    uint64_t slot;     /* bernoulli: the next sender; may be `senders`, in the next cycle */
    uint64_t id;       /* of the next message; 2^32: end */
    uint32_t previous; /* burst: the sender of the latest message */
    bool sent;         /* there is one */
    bool left_out;     /* burst: the latest message was left out */
    uint32_t at, count;
    bough_message ready[READY];
} stream_state;

static inline uint64_t word_of(const uint32_t *half) {
    return (uint64_t)half[1] << 32 | half[0];
}

/* Draws for the next messages. Separate passes over independent values take half the time of message by
 * message. */
typedef struct draws {
    uint64_t word[READY];
    double gap[READY];        /* in ticks or slots; the stream ends unless < LONGEST_GAP (also for NAN) */
    uint64_t whole[READY];    /* integer part of the gap */
    uint64_t fraction[READY]; /* in 2^-64 */
    uint64_t length[READY], burst[READY]; /* words; only for streams that use one of them */
    bool same[READY];                     /* time and sender of the previous message */
} draws;

static bool bursts(const stream_state *s) {
    return s->traffic->law->burst > 1;
}

/* A burst goes on with probability 1 - 1 / its mean. */
static void continue_bursts(const stream_state *s, uint32_t count, draws *d) {
    double ends = 1 / s->traffic->law->burst;
    for (uint32_t i = 0; i < count; i++) {
        d->same[i] = (i > 0 || s->sent) && (double)(d->burst[i] >> 11) * 0x1p-53 >= ends;
        if (d->same[i]) d->gap[i] = 0;
    }
}

static void draw(const stream_state *s, uint32_t count, draws *d) {
    uint64_t id[READY] = {0}, low[READY];
    for (uint32_t i = 0; i < count; i++) id[i] = s->id + i;
    bough_blocks(&(bough_draw){s->key, BOUGH_DRAW_ARRIVAL, 0}, id, count, low, d->word);
    if (s->traffic->law->lengths || bursts(s))
        bough_blocks(&(bough_draw){s->key, BOUGH_DRAW_LENGTH, 0}, id, count, d->length, d->burst);
    for (uint32_t i = 0; i < count; i++)
        d->gap[i] = (double)(int64_t)((low[i] >> 11) + 1) * 0x1p-53; /* in (0, 1] */
    for (uint32_t i = 0; i < count; i++) d->gap[i] = log(d->gap[i]) * s->scale;
    if (bursts(s)) continue_bursts(s, count, d);
    for (uint32_t i = 0; i < count; i++) {
        double gap = d->gap[i] < LONGEST_GAP ? d->gap[i] : 0;
        int64_t whole = (int64_t)gap;
        d->whole[i] = (uint64_t)whole;
        d->fraction[i] = (uint64_t)(int64_t)((gap - (double)whole) * 0x1p63) << 1;
    }
}

/* Advances time by the i-th gap. Returns false at the end of time. */
static inline bool advance(stream_state *s, const draws *d, uint32_t i, bool poisson) {
    if (!(d->gap[i] < LONGEST_GAP)) return false;
    if (poisson) {
        s->cycle += d->whole[i] + __builtin_add_overflow(s->fraction, d->fraction[i], &s->fraction);
    } else {
        s->slot += d->whole[i]; /* number of failures */
        if (s->slot >= s->senders) {
            s->cycle += s->slot / s->senders;
            s->slot %= s->senders;
        }
    }
    return s->cycle < LAST_CYCLE;
}

/* Draws the sender of a Poisson message. *word becomes the remainder, for the destination. */
static inline uint32_t draw_sender(const stream_state *s, uint64_t *word) {
    const bough_pattern *p = s->pattern->kind->pattern;
    unsigned __int128 product = (unsigned __int128)*word * s->senders;
    uint32_t block[4], who = p->sender ? p->sender(s->pattern, *word) : (uint32_t)(product >> 64);
    *word = (uint64_t)product;
    if (s->senders > FEW_SENDERS || p->sender) {
        bough_block(&(bough_draw){s->key, BOUGH_DRAW_ARRIVAL, 0}, s->id, 1, block);
        *word = word_of(block);
    }
    return s->sender && !p->sender ? s->sender[who] : who;
}

static inline uint32_t next_slot(stream_state *s) {
    const uint64_t who = s->slot++;
    return s->sender ? s->sender[who] : (uint32_t)who;
}

/* A slower endpoint sends only some of the messages that the fastest would; of a burst all or none. */
static bool is_left_out(stream_state *s, uint32_t source, bool same) {
    uint32_t block[4];
    if (!s->share) return false;
    if (same) return s->left_out;
    bough_block(&(bough_draw){s->key, BOUGH_DRAW_ARRIVAL, 0}, s->id, 2, block);
    s->left_out = (double)(word_of(block) >> 11) * 0x1p-53 >= s->share[source];
    return s->left_out;
}

/* The tick of the latest message, rounded up. */
static uint64_t tick_of(const stream_state *s, bool poisson) {
    if (poisson) return s->cycle + (s->fraction > 0);
    return s->ticks == 1 ? s->cycle : (uint64_t)ceil((double)s->cycle * s->ticks);
}

static void refill(stream_state *s) {
    const bough_pattern *p = s->pattern->kind->pattern;
    const bough_stream_law *law = s->traffic->law;
    bool poisson = law->poisson;
    uint64_t left = END - s->id, flits = law->flits;
    uint32_t count = left < READY ? (uint32_t)left : READY, i = 0, kept = 0;
    draws d;
    draw(s, count, &d);
    for (; i < count && advance(s, &d, i, poisson); i++, s->id++) {
        uint32_t source = poisson ? draw_sender(s, &d.word[i]) : next_slot(s);
        if (bursts(s)) source = s->previous = d.same[i] ? s->previous : source;
        if (is_left_out(s, source, bursts(s) && d.same[i])) continue;
        if (law->lengths) flits = lengths_draw(law->lengths, d.length[i]);
        uint64_t to =
            bough_endpoint_address(s->traffic->net, p->draw(s->pattern, s->drawn, source, d.word[i]));
        s->ready[kept++] = (bough_message){tick_of(s, poisson), flits, source, (uint32_t)to, (uint32_t)s->id};
    }
    if (i < count) s->id = END;
    s->sent = true;
    s->at = 0;
    s->count = kept;
}

static uint64_t stream_next_time(bough_source *base) {
    stream_state *s = (stream_state *)base;
    while (s->at == s->count && s->id < END) refill(s);
    return s->at < s->count ? s->ready[s->at].time : BOUGH_NONE;
}

static uint32_t stream_pop(bough_source *base, uint64_t now, bough_message *out, uint32_t capacity) {
    stream_state *s = (stream_state *)base;
    uint32_t got = 0;
    while (got < capacity && stream_next_time(base) <= now && s->at < s->count)
        out[got++] = s->ready[s->at++];
    return got;
}

static void stream_close(bough_source *base) {
    stream_state *s = (stream_state *)base;
    const bough_pattern *p = s->pattern->kind->pattern;
    if (p->close && s->drawn) p->close(s->drawn);
    FREE_ALL(s->sender, s->share, s);
}

/* Lists the sending endpoints, unless all send. */
static bough_status find_senders(stream_state *s, bough_error *error) {
    const bough_pattern *p = s->pattern->kind->pattern;
    uint64_t n = s->traffic->net->endpoints, count = 0;
    s->senders = n;
    if (p->uniform) return BOUGH_OK;
    bough_status status = bough_alloc(&s->sender, n, sizeof *s->sender, error);
    if (status) return status;
    for (uint64_t e = 0; e < n; e++)
        if (p->draw(s->pattern, s->drawn, (uint32_t)e, 0) != e) s->sender[count++] = (uint32_t)e;
    s->senders = count;
    if (count < n) return BOUGH_OK;
    free(s->sender);
    s->sender = NULL;
    return BOUGH_OK;
}

/* The rate of an endpoint's link, of the fastest one. */
static double port_share(const stream_state *s, uint64_t e, double most) {
    return s->clock ? (double)bough_net_endpoint_rate(s->traffic->net, e, s->clock->rate) / most : 1;
}

/* What each endpoint sends of what the fastest does, unless all are alike. Poisson senders are drawn by the
 * rates of the pattern; Bernoulli ones are all drawn at the rate of the fastest. */
static bough_status find_shares(stream_state *s, bough_error *error) {
    const bough_net *net = s->traffic->net;
    const bough_stream_law *law = s->traffic->law;
    bool alike = true;
    if (!s->clock && (law->poisson || law->fastest == 1)) return BOUGH_OK;
    bough_status status = bough_alloc(&s->share, net->endpoints, sizeof *s->share, error);
    if (status) return status;
    const double most = s->clock ? (double)bough_net_endpoint_rate_max(net, s->clock->rate) : 1;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        s->share[e] = port_share(s, e, most);
        if (!law->poisson) s->share[e] *= bough_pattern_rate(s->pattern, (uint32_t)e) / law->fastest;
        alike &= s->share[e] == 1;
    }
    if (!alike) return BOUGH_OK;
    free(s->share);
    s->share = NULL;
    return BOUGH_OK;
}

bough_status stream_source(const bough_traffic *t, bough_key key, const stream_start *start,
                           bough_source **out, bough_error *error) {
    const bough_stream_law *law = t->law;
    const bough_pattern *p = law->pattern->kind->pattern;
    stream_state *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    s->base = (bough_source){stream_next_time, stream_pop, NULL, stream_close};
    s->traffic = t;
    s->pattern = law->pattern;
    s->key = key;
    s->id = start->first;
    s->clock = start->clock && start->clock->cycle > 0 ? start->clock : NULL;
    s->ticks = s->clock ? s->clock->cycle : 1;
    if (p->open) status = p->open(law->pattern, key, &s->drawn, error);
    TRY(find_senders(s, error));
    TRY(find_shares(s, error));
    if (status) {
        stream_close(&s->base);
        return status;
    }
    s->scale =
        law->poisson ? -1 / ((double)s->senders * law->rate) : 1 / log1p(-fmin(1, law->rate * law->fastest));
    if (law->poisson) s->scale *= s->ticks;
    if (bursts(s)) s->scale *= law->burst;
    if (s->senders == 0) s->id = END; /* a drawn permutation may be the identity */
    *out = &s->base;
    return BOUGH_OK;
}

static bough_status stream_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                                bough_source **out, bough_error *error) {
    return stream_source(t, key, &(stream_start){0, clock}, out, error);
}

bough_status stream_count_senders(const bough_traffic *t, bough_key key, const bough_clock *clock,
                                  double *senders, bough_error *error) {
    bough_source *source;
    bough_status status = stream_open(t, key, clock, &source, error);
    if (status) return status;
    const stream_state *s = (const stream_state *)source;
    double sum = 0;
    const double most = s->clock ? (double)bough_net_endpoint_rate_max(t->net, s->clock->rate) : 1;
    for (uint64_t i = 0; s->share && i < s->senders; i++) {
        const uint32_t e = s->sender ? s->sender[i] : (uint32_t)i;
        sum += port_share(s, e, most) * bough_pattern_rate(s->pattern, e);
    }
    *senders = s->share ? sum : (double)s->senders;
    source->close(source);
    return BOUGH_OK;
}

const bough_traffic_kind bough_traffic_poisson = {
    .name = "poisson",
    .summary = "a stream: each endpoint sends at random times (exponential gaps), endless",
    .source = "greenberg1997, section 2",
    .params = params,
    .shape = BOUGH_STREAM,
    .random = true,
    .bind = stream_bind,
    .open = stream_open,
    .fini = stream_fini,
};

const bough_traffic_kind bough_traffic_bernoulli = {
    .name = "bernoulli",
    .summary = "a stream: each endpoint starts a message in each cycle with probability rate",
    .source = "Dally, Towles, 2004",
    .params = params,
    .shape = BOUGH_STREAM,
    .random = true,
    .bind = stream_bind,
    .open = stream_open,
    .fini = stream_fini,
};

/* ---- relload ---- */

static const char *stream_name(const char *name) {
    if (strcmp(name, "poisson") == 0 || strcmp(name, "bernoulli") == 0) return name;
    return NULL;
}

/* *name: of the stream, owned by spec; NULL if the spec has no relload=, or cannot be parsed. */
static bough_status bind_relload(const char *text, bough_spec *spec, bough_args *args, const char **name,
                                 bough_error *error) {
    *name = NULL;
    *args = (bough_args){0};
    bough_status status = bough_spec_parse(text, spec, NULL);
    if (status == BOUGH_NO_MEMORY) return bough_fail_memory(error, strlen(text));
    if (status) return BOUGH_OK; /* reported when the traffic is created */
    const char *stream = stream_name(spec->name);
    bool asks = false;
    for (unsigned i = 0; i < spec->count && stream; i++)
        asks |= spec->arg[i].key && strcmp(spec->arg[i].key, params[RELLOAD].key) == 0;
    if (!asks) return BOUGH_OK;
    status = bough_args_bind(spec, params, "traffic", args, error);
    TRY(check_given(stream, args, error));
    if (!status) *name = stream;
    return status;
}

bough_status stream_relload_read(const char *text, stream_relload *out, bough_error *error) {
    bough_spec spec;
    bough_args args;
    const char *name;
    *out = (stream_relload){0};
    bough_status status = bind_relload(text, &spec, &args, &name, error);
    if (!status && name) {
        out->of = bough_strdup(args.value[OF].text);
        out->share = args.value[RELLOAD].real;
        if (!out->of) status = bough_fail_memory(error, strlen(text));
    }
    bough_args_fini(&args);
    bough_spec_fini(&spec);
    return status;
}

bough_status stream_relload_replace(const char *text, double load, char **out, bough_error *error) {
    bough_spec spec;
    bough_args args;
    const char *name;
    *out = NULL;
    bough_status status = bind_relload(text, &spec, &args, &name, error);
    if (!status && name) {
        args.value[RELLOAD].set = args.value[OF].set = false;
        args.value[LOAD].set = true;
        args.value[LOAD].real = load;
        if (args.value[LENGTHS].set && !args.value[FLITS].given) args.value[FLITS].set = false;
        *out = bough_args_format(name, &args);
        if (!*out) status = bough_fail_memory(error, strlen(text));
    }
    bough_args_fini(&args);
    bough_spec_fini(&spec);
    return status;
}
