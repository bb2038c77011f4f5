/* The balls-and-bins games of strumpen2005, section 5. A ball is a message, a bin a place where messages
 * collide. A round tosses all remaining balls, and from every non-empty bin one of them is delivered.
 *
 * Model I tosses m balls into b bins: round(2n / lg n) on the binary fat-tree (Corollary 1), else round(1 /
 * Pr[C2]). Balls are identical, so only their
 * number is stored: a round draws balls 0 .. left-1 and counts the bins they hit.
 *
 * Model II tosses the balls once into n destinations, then in every round all balls of one destination
 * together into one of round(1 / Pr[C2]) bins. The paper does not define which ball of a bin is delivered;
 * here all are equally likely.
 *
 * Randomness. One random block serves four balls of Model I, or two destinations of Model II: a bin is a
 * 32-bit word scaled to the number of bins. So the probabilities of bins differ by a fraction of up to b /
 * 2^32. Two balls then meet more often than 1/b by a fraction of at most (b / 2^33)^2: 1.5e-10 at n = 2^20,
 * 1e-3 at the limit of 2^32 endpoints. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/method_run.h"
#include "method/round_rows.h"
#include "method/rows.h"
#include "models/collision/collision.h"
#include "models/collision/rounds_chain.h"
#include "models/model_list.h"
#include "network/families/xgft_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- level bins ---- */

/* The game of bins with bins for every level of a tree. A ball is a message; the level of its nearest common
 * ancestor is drawn once. In every round it passes, on its way up and then down, the bins of the levels below
 * that one: at each it goes into a random bin, and as many balls of a bin as its capacity go on. Who passes
 * all is delivered.
 *
 * A bin stands for a group of links, and its capacity is their number. The bins of a level are calibrated as
 * in Corollary 1: 1 / Pr[two messages that pass the level request links of one group there for the first
 * time]. Levels at which a switch has as many links up as down refuse no message on its way up, and have no
 * bins for it. */

/* A set of bins that the balls with a level above `below` pass. */
typedef struct level_stage {
    unsigned below;
    bool down;
    uint64_t bins, capacity;
} level_stage;

typedef struct level_game {
    level_stage stage[2 * COLLISION_LEVELS]; /* in the order in which they are passed */
    unsigned stages, levels;
    double upto[COLLISION_LEVELS + 1]; /* probability of a level at most l */
    uint64_t balls, bins_max;
} level_game;

/* Memory of a game that is played; zero-initialised. */
typedef struct level_table {
    uint8_t *level;   /* of each remaining ball */
    uint32_t *inside; /* balls that are still on their way */
    uint32_t *count;  /* balls that passed a bin of the present stage */
} level_table;

static void add_stage(level_game *g, unsigned below, bool down, double meet, uint64_t capacity) {
    double passing = 1 - g->upto[below];
    if (!(meet > 0)) return;
    double bins = fmax(1, round(passing * passing / meet));
    if (!(bins < UINT32_MAX)) return; /* no two of fewer than 2^32 messages are expected to meet */
    g->stage[g->stages++] = (level_stage){below, down, (uint64_t)bins, capacity};
    if ((uint64_t)bins > g->bins_max) g->bins_max = (uint64_t)bins;
}

/* Errors: UNSUPPORTED if the network has no closed form. */
static bough_status level_game_make(const bough_net *net, uint64_t balls, level_game *g, bough_error *error) {
    collision_pair pair;
    double share[COLLISION_LEVELS + 1];
    *g = (level_game){.balls = balls};
    if (!collision_of_tree(net, &pair) || !collision_tree_shares(net, share))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "method bins: levels=1 needs a complete tree (fattree, kary, clos, xgft); %s is none", net->spec);
    const xgft_shape *s = xgft_shape_of(net);
    g->levels = pair.levels;
    for (unsigned l = 1; l <= g->levels; l++) g->upto[l] = g->upto[l - 1] + share[l];
    g->upto[g->levels] = 1;
    for (unsigned l = 1; l < g->levels; l++)
        if (s->m[l - 1] * s->p[l - 1] > s->w[l] * s->p[l])
            add_stage(g, l, false, pair.up[l], s->w[l] * s->p[l]);
    for (unsigned l = g->levels; l-- > 0;) add_stage(g, l, true, pair.down[l], s->p[l]);
    return BOUGH_OK;
}

static uint64_t level_game_bytes(const level_game *g) {
    return bough_add(bough_mul(g->balls, 5), bough_mul(g->bins_max, 4));
}

static bough_status level_table_make(const level_game *g, level_table *t, bough_error *error) {
    bough_status status = bough_alloc(&t->level, g->balls, sizeof *t->level, error);
    TRY(bough_alloc(&t->inside, g->balls, sizeof *t->inside, error));
    TRY(bough_alloc(&t->count, g->bins_max, sizeof *t->count, error));
    return status;
}

static void level_table_fini(level_table *t) {
    FREE_ALL(t->level, t->inside, t->count);
}

/* Draws the levels of all balls. */
static void level_game_start(const level_game *g, level_table *t, bough_key key) {
    const bough_draw draw = {key, BOUGH_DRAW_BINS, 0};
    uint32_t block[4];
    for (uint64_t ball = 0; ball < g->balls; ball++) {
        if (ball % 4 == 0) bough_block(&draw, ball >> 2, 0, block);
        double u = ldexp((double)block[ball % 4] + 0.5, -32);
        unsigned level = 1;
        while (level < g->levels && u >= g->upto[level]) level++;
        t->level[ball] = (uint8_t)level;
    }
}

static uint64_t scale32(uint32_t word, uint64_t range) {
    return word * range >> 32;
}

/* The balls that pass a stage, in the order of `inside`; the others of its level and above are refused. The
 * order is shuffled as balls are taken, so every ball of a bin is equally likely to be refused. */
static uint64_t pass_stage(const level_stage *s, level_table *t, const bough_draw *draw, uint64_t inside) {
    uint64_t kept = 0;
    uint32_t word[4];
    memset(t->count, 0, s->bins * sizeof *t->count);
    for (uint64_t i = 0; i < inside; i++) {
        if (i % 2 == 0) bough_block(draw, i >> 1, 0, word);
        uint64_t other = i + scale32(word[2 * (i % 2) + 1], inside - i);
        uint32_t ball = t->inside[other];
        t->inside[other] = t->inside[i];
        bool passes = t->level[ball] <= s->below; /* turns below */
        if (!passes) passes = t->count[scale32(word[2 * (i % 2)], s->bins)]++ < s->capacity;
        if (passes) t->inside[kept++] = ball;
    }
    return kept;
}

/* Plays a round (from 1) with the first `left` balls; returns the number of delivered ones, which are
 * removed.
 */
static uint64_t level_game_round(const level_game *g, level_table *t, bough_key key, uint64_t round,
                                 uint64_t left) {
    uint64_t inside = left, kept = 0;
    for (uint64_t i = 0; i < left; i++) t->inside[i] = (uint32_t)i;
    for (unsigned s = 0; s < g->stages; s++) {
        const bough_draw draw = {key, BOUGH_DRAW_BINS, round << 8 | (s + 1)};
        inside = pass_stage(&g->stage[s], t, &draw, inside);
    }
    for (uint64_t i = 0; i < inside; i++) t->level[t->inside[i]] = 0;
    for (uint64_t i = 0; i < left; i++)
        if (t->level[i]) t->level[kept++] = t->level[i];
    return left - kept;
}

/* ---- bins ---- */

enum { P_MODEL, P_BINS, P_ENGINE, P_LEVELS, P_PHASES, P_HISTORY, P_WITHIN };
enum { TOSS, EXACT, FLUID }; /* engine= */

static const bough_param params[] = {
    [P_MODEL] =
        {"model",
         "1: independent balls; 2: balls of one destination, tossed by the game itself, stay together",
         BOUGH_INT, "1", 1, 2, .echo = true},
    [P_BINS] = {"b",
                "collision bins; default: 2n / lg n (model=1 on the binary fat-tree), else 1 / Pr[C2] of the "
                "network, by method collision",
                BOUGH_INT, "", 1, UINT32_MAX},
    [P_ENGINE] = {"engine",
                  "toss: random trials; exact: the distribution of rounds of model=1, a Markov chain on the "
                  "number of remaining balls; fluid: every round delivers its expectation",
                  BOUGH_CHOICE, "toss", .choices = "toss|exact|fluid"},
    [P_LEVELS] = {"levels",
                  "1: bins for every level of a tree, up and down, with the capacity of its groups of links, "
                  "instead of one set",
                  BOUGH_FLAG, "0"},
    [P_PHASES] = {"phases", "1: also report the successful rounds of both phases of Theorem 1", BOUGH_FLAG,
                  "0"},
    [P_HISTORY] = {"history", "1: also report deliveries per round and quantiles of attempts", BOUGH_FLAG,
                   "0"},
    [P_WITHIN] = {"within", "also report rounds_within for 1 .. this number of rounds", BOUGH_INT, "0", 0,
                  10000},
    BOUGH_PARAMS_END,
};

typedef struct game {
    bool grouped; /* Model II */
    bool by_level;
    uint64_t destinations, balls, bins;
    level_game levels; /* by_level */
} game;

/* Memory of a game. */
typedef struct table {
    uint64_t *hit;    /* Model I: one bit per bin */
    uint32_t *balls;  /* Model II, per destination: remaining balls */
    uint32_t *live;   /* destinations with balls, ascending */
    uint32_t *tossed; /* per bin: balls of this round */
    uint32_t *winner; /* per bin: destination of the delivered ball */
    level_table levels;
    uint64_t *per_round; /* deliveries */
    size_t rounds_capacity;
} table;

enum { CHUNK = 1 << 20 }; /* balls between two checks of the stop flag; whole blocks */

/* Corollary 1 approximates 1 / Pr[C2] by 2n / lg n on the binary fat-tree. */
static bough_status count_bins(const bough_run *run, game *g, bough_error *error) {
    const bough_value *given = &run->args.value[P_BINS];
    const bough_net *net = run->point.net;
    if (given->set) {
        g->bins = (uint64_t)given->integer;
        return BOUGH_OK;
    }
    unsigned lg_n = (unsigned)__builtin_ctzll(net->endpoints); /* if binary: a power of two */
    bool binary = collision_is_binary(net);
    double bins = collision_bins(net);
    if (binary && g->grouped) bins = 1 / collision_probability(lg_n);
    if (!(bins > 0))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method bins: %s has no closed form of Pr[C2]; give the number of bins as b=, for "
                          "example 1 / pr_c2 of method collision",
                          net->spec);
    if (isinf(bins))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "method bins: on %s Pr[C2] is 0, and the game would need 1/0 bins; give b=", net->spec);
    if (bins > UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "method bins supports fewer than 2^32 bins");
    g->bins = binary && !g->grouped ? (4 * net->endpoints + lg_n) / (2 * lg_n) : (uint64_t)llround(bins);
    return BOUGH_OK;
}

static bough_status check_options(const bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    int64_t engine = v[P_ENGINE].integer;
    bool levels = v[P_LEVELS].integer, phases = v[P_PHASES].integer, history = v[P_HISTORY].integer;
    if (engine != TOSS && (v[P_MODEL].integer == 2 || levels))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "bins: engine=exact and fluid apply to model=1 without levels=1");
    if (engine != TOSS && phases)
        return bough_fail(error, BOUGH_INVALID, NULL, "bins: phases=1 applies to engine=toss");
    if (engine == EXACT && history)
        return bough_fail(error, BOUGH_INVALID, NULL, "bins: history=1 applies to engine=toss and fluid");
    if (engine == FLUID && v[P_WITHIN].integer)
        return bough_fail(error, BOUGH_INVALID, NULL, "bins: within= applies to engine=toss and exact");
    if (levels && (v[P_MODEL].integer == 2 || v[P_BINS].set || phases))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "bins: levels=1 has bins of its own; it excludes model=2, b= and phases=1");
    return BOUGH_OK;
}

static uint64_t bytes_of(const bough_run *run, const game *g) {
    uint64_t n = g->destinations, live = g->balls < n ? g->balls : n;
    int64_t engine = run->args.value[P_ENGINE].integer;
    if (engine == EXACT) return rounds_chain_bytes(g->balls, g->bins);
    if (engine == FLUID) return 8 * rounds_fluid((double)g->balls, (double)g->bins, NULL, 0) + 8;
    if (g->by_level) return sizeof(table) + level_game_bytes(&g->levels);
    return sizeof(table) + (g->grouped ? 4 * (n + live) + 8 * g->bins : (g->bins + 63) / 64 * 8);
}

static bough_status open_bins(bough_run *run, bough_error *error) {
    game *g;
    bough_status status = bough_alloc(&g, 1, sizeof *g, error);
    if (status) return status;
    run->data = g;
    uint64_t n = run->point.net->endpoints;
    g->grouped = run->args.value[P_MODEL].integer == 2;
    g->destinations = n;
    g->balls = run->point.traffic->messages;
    if (n > UINT32_MAX || g->balls > UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "method bins supports fewer than 2^32 endpoints and messages");
    g->by_level = run->args.value[P_LEVELS].integer;
    status = check_options(run, error);
    TRY(g->by_level ? level_game_make(run->point.net, g->balls, &g->levels, error)
                    : count_bins(run, g, error));
    if (status) return status;
    run->draws = run->args.value[P_ENGINE].integer == TOSS;
    run->bytes = bytes_of(run, g);
    return bough_memory_check(run->bytes, "the balls and bins", error);
}

static void free_table(void *workspace) {
    table *t = workspace;
    if (!t) return;
    level_table_fini(&t->levels);
    FREE_ALL(t->hit, t->balls, t->live, t->tossed, t->winner, t->per_round, t);
}

static bough_status make_table(const game *g, void **workspace, bough_error *error) {
    table *t;
    bough_status status = bough_alloc(&t, 1, sizeof *t, error);
    if (status) return status;
    if (g->by_level) {
        status = level_table_make(&g->levels, &t->levels, error);
    } else if (g->grouped) {
        uint64_t live = g->balls < g->destinations ? g->balls : g->destinations;
        status = bough_alloc(&t->balls, g->destinations, sizeof *t->balls, error);
        TRY(bough_alloc(&t->live, live, sizeof *t->live, error));
        TRY(bough_alloc(&t->tossed, g->bins, sizeof *t->tossed, error));
        TRY(bough_alloc(&t->winner, g->bins, sizeof *t->winner, error));
    } else {
        status = bough_alloc(&t->hit, (g->bins + 63) / 64, sizeof *t->hit, error);
    }
    if (status)
        free_table(t);
    else
        *workspace = t;
    return status;
}

/* The state of a trial. */
typedef struct play {
    const bough_run *run;
    bough_key key;
    const game *game;
    table *table;
    uint64_t round;                 /* from 1 */
    uint64_t first;                 /* deliveries of the first */
    uint64_t left;                  /* remaining balls */
    uint64_t live;                  /* Model II: destinations with balls */
    uint64_t length[2], success[2]; /* rounds of both phases, and successful ones */
} play;

/* ---- Model I ---- */

/* Tosses balls first .. end - 1 of a round, first being a multiple of 4; returns the number of bins hit for
 * the first time. */
static uint64_t toss(const play *p, uint64_t first, uint64_t end) {
    const bough_draw draw = {p->key, BOUGH_DRAW_BINS, p->round};
    const uint64_t bins = p->game->bins;
    uint64_t *const hit = p->table->hit, fresh = 0;
    for (uint64_t ball = first; ball < end; ball += 4) {
        uint32_t block[4];
        bough_block(&draw, ball >> 2, 0, block);
        unsigned served = end - ball < 4 ? (unsigned)(end - ball) : 4;
        for (unsigned i = 0; i < served; i++) {
            uint64_t bin = scale32(block[i], bins), bit = UINT64_C(1) << (bin & 63);
            fresh += !(hit[bin >> 6] & bit);
            hit[bin >> 6] |= bit;
        }
    }
    return fresh;
}

static bough_status round_alone(play *p, uint64_t *delivered, bough_error *error) {
    memset(p->table->hit, 0, (p->game->bins + 63) / 64 * sizeof *p->table->hit);
    *delivered = 0;
    for (uint64_t first = 0; first < p->left; first += CHUNK) {
        if (bough_run_stopped(p->run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        *delivered += toss(p, first, p->left - first < CHUNK ? p->left : first + CHUNK);
    }
    return BOUGH_OK;
}

/* ---- Model II ---- */

/* The destination toss, occasion 0: rounds count from 1. The scaling is unbiased if n is a power of two. */
static uint64_t toss_destinations(const game *g, table *t, bough_key key) {
    memset(t->balls, 0, g->destinations * sizeof *t->balls);
    for (uint64_t ball = 0; ball < g->balls; ball += 4) {
        uint32_t block[4];
        bough_block(&(bough_draw){key, BOUGH_DRAW_BINS, 0}, ball >> 2, 0, block);
        for (unsigned i = 0; i < 4 && ball + i < g->balls; i++)
            t->balls[scale32(block[i], g->destinations)]++;
    }
    uint64_t live = 0;
    for (uint64_t d = 0; d < g->destinations; d++)
        if (t->balls[d]) t->live[live++] = (uint32_t)d;
    return live;
}

/* Tosses the balls of every live destination together. The winner of a bin is updated as balls arrive: the
 * last c of s balls replace it with probability c / s, which gives every ball the same probability. */
static void toss_together(const play *p) {
    const game *g = p->game;
    table *t = p->table;
    const bough_draw draw = {p->key, BOUGH_DRAW_BINS, p->round};
    const uint64_t live = p->live;
    uint32_t block[4];
    uint64_t drawn = UINT64_MAX;
    memset(t->tossed, 0, g->bins * sizeof *t->tossed);
    for (uint64_t i = 0; i < live; i++) {
        uint32_t d = t->live[i], balls = t->balls[d];
        if (drawn != d >> 1) bough_block(&draw, drawn = d >> 1, 0, block);
        const uint32_t *word = block + 2 * (d & 1);
        uint64_t bin = scale32(word[0], g->bins);
        t->tossed[bin] += balls;
        if (scale32(word[1], t->tossed[bin]) < balls) t->winner[bin] = d;
    }
}

static bough_status round_together(play *p, uint64_t *delivered, bough_error *error) {
    table *t = p->table;
    if (bough_run_stopped(p->run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
    toss_together(p);
    *delivered = 0;
    for (uint64_t bin = 0; bin < p->game->bins; bin++)
        if (t->tossed[bin]) {
            t->balls[t->winner[bin]]--;
            ++*delivered;
        }
    uint64_t kept = 0;
    for (uint64_t i = 0; i < p->live; i++)
        if (t->balls[t->live[i]]) t->live[kept++] = t->live[i];
    p->live = kept;
    return BOUGH_OK;
}

/* ---- bins by level ---- */

static bough_status round_by_level(play *p, uint64_t *delivered, bough_error *error) {
    if (bough_run_stopped(p->run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
    *delivered = level_game_round(&p->game->levels, &p->table->levels, p->key, p->round, p->left);
    return BOUGH_OK;
}

/* ---- the proof's phases ---- */

/* Section 6: a round of Phase I (more than b balls) is successful if fewer than 2b/e bins stay empty, a round
 * of Phase II (2 to b balls; alpha = 1/2) if it delivers at least half of the balls. */
static void count_phase(play *p, uint64_t left, uint64_t delivered) {
    if (left < 2) return;
    double b = (double)p->game->bins;
    unsigned phase = left > p->game->bins ? 0 : 1;
    p->length[phase]++;
    p->success[phase] += phase == 0 ? b - (double)delivered < 2 * b / M_E : 2 * delivered >= left;
}

static bough_status add_phases(const play *p, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < 2; i++) {
        if (!p->length[i]) continue;
        TRY(bough_rows_add(rows, BOUGH_METRIC_PHASE_SUCCESS, i + 1,
                           (double)p->success[i] / (double)p->length[i], error));
        TRY(bough_rows_add(rows, BOUGH_METRIC_PHASE_LENGTH, i + 1, (double)p->length[i], error));
    }
    return status;
}

/* ---- all games ---- */

static bough_status add_expected(const game *g, bough_rows *rows, bough_error *error) {
    double b = (double)g->bins, m = (double)g->balls, delivered = rounds_expected_delivery(m, b);
    const optional_row lines[] = {
        {true, BOUGH_METRIC_BINS, b},
        {true, BOUGH_METRIC_EMPTY_EXPECTED, b - delivered},
        {true, BOUGH_METRIC_DELIVERED_EXPECTED, delivered},
        {true, BOUGH_METRIC_REJECTED_EXPECTED, m > 1 ? m - delivered : 0},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}

static bough_status add_rows(const game *g, uint64_t rounds, uint64_t first, bough_rows *rows,
                             bough_error *error) {
    double b = (double)g->bins, m = (double)g->balls;
    double delivered = fabs(b * expm1(m * log1p(-1 / b))); /* b (1 - (1 - 1/b)^m) without cancellation */
    bool one_set = !g->by_level, independent = !g->grouped && one_set; /* Eqs. 3 to 5: independent balls */
    const optional_row lines[] = {
        {true, BOUGH_METRIC_ROUNDS, (double)rounds},
        {one_set, BOUGH_METRIC_BINS, b},
        {one_set, BOUGH_METRIC_EMPTY_FIRST, b - (double)first},
        {true, BOUGH_METRIC_DELIVERED_FIRST, (double)first},
        {independent, BOUGH_METRIC_EMPTY_EXPECTED, b - delivered},
        {independent, BOUGH_METRIC_DELIVERED_EXPECTED, delivered},
        {independent, BOUGH_METRIC_REJECTED_EXPECTED, m > 1 ? m - delivered : 0},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}

static bough_status trial_exact(const bough_run *run, const game *g, bough_rows *rows, bough_error *error) {
    rounds_law law;
    bough_status status = rounds_chain_solve(run, g->balls, g->bins, &law, error);
    if (status) return status;
    const optional_row lines[] = {
        {true, BOUGH_METRIC_ROUNDS, law.mean},
        {true, BOUGH_METRIC_ROUNDS_P50, rounds_law_quantile(&law, 0.5)},
        {true, BOUGH_METRIC_ROUNDS_P90, rounds_law_quantile(&law, 0.9)},
        {true, BOUGH_METRIC_ROUNDS_P99, rounds_law_quantile(&law, 0.99)},
        {true, BOUGH_METRIC_ROUNDS_P999, rounds_law_quantile(&law, 0.999)},
        {true, BOUGH_METRIC_ROUNDS_MISSING, law.missing},
    };
    status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    TRY(add_expected(g, rows, error));
    for (int64_t r = 1; r <= run->args.value[P_WITHIN].integer; r++)
        TRY(bough_rows_add(rows, BOUGH_METRIC_ROUNDS_WITHIN, r, law.within[r < law.rounds ? r : law.rounds],
                           error));
    free(law.within);
    return status;
}

static bough_status trial_fluid(const bough_run *run, const game *g, bough_rows *rows, bough_error *error) {
    double m = (double)g->balls, b = (double)g->bins, *left;
    uint64_t rounds = rounds_fluid(m, b, NULL, 0);
    bough_status status = bough_alloc(&left, rounds + 1, sizeof *left, error);
    if (status) return status;
    rounds_fluid(m, b, left, rounds + 1);
    status = bough_rows_add(rows, BOUGH_METRIC_ROUNDS, BOUGH_NO_ROW_INDEX, (double)rounds, error);
    TRY(add_expected(g, rows, error));
    for (uint64_t r = 1; r <= rounds && run->args.value[P_HISTORY].integer; r++)
        TRY(bough_rows_add(rows, BOUGH_METRIC_DELIVERED_ROUND, (int64_t)r, left[r - 1] - left[r], error));
    free(left);
    return status;
}

static bough_status play_round(play *p, bough_error *error) {
    const game *g = p->game;
    table *t = p->table;
    uint64_t delivered = 0;
    p->round++;
    bough_status status = g->by_level  ? round_by_level(p, &delivered, error)
                          : g->grouped ? round_together(p, &delivered, error)
                                       : round_alone(p, &delivered, error);
    if (p->run->args.value[P_HISTORY].integer) {
        TRY(bough_grow(&t->per_round, &t->rounds_capacity, p->round, sizeof *t->per_round, error));
        if (!status) t->per_round[p->round - 1] = delivered;
    }
    count_phase(p, p->left, delivered);
    p->left -= delivered;
    if (p->round == 1) p->first = delivered;
    return status;
}

static bough_status trial_bins(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                               bough_error *error) {
    const game *g = run->data;
    const bough_value *v = run->args.value;
    if (v[P_ENGINE].integer == EXACT) return trial_exact(run, g, rows, error);
    if (v[P_ENGINE].integer == FLUID) return trial_fluid(run, g, rows, error);
    bough_status status = *workspace ? BOUGH_OK : make_table(g, workspace, error);
    if (status) return status;
    play p = {run, key, g, *workspace, .left = g->balls};
    if (g->by_level) level_game_start(&g->levels, &p.table->levels, key);
    if (g->grouped) p.live = toss_destinations(g, p.table, key);
    while (p.left && !status) status = play_round(&p, error);
    TRY(add_rows(g, p.round, p.first, rows, error));
    if (v[P_PHASES].integer) TRY(add_phases(&p, rows, error));
    if (v[P_HISTORY].integer) TRY(round_rows_history(p.table->per_round, p.round, rows, error));
    TRY(round_rows_within(p.round, (uint64_t)v[P_WITHIN].integer, rows, error));
    return status;
}

const bough_method bough_method_bins = {
    .name = "bins",
    .summary =
        "the balls-and-bins game: all balls into random collision bins, one ball per bin is delivered each "
        "round",
    .source = "strumpen2005, section 5: Corollary 1, Models I and II, Eqs. 3 to 5",
    .params = params,
    .headline = BOUGH_METRIC_ROUNDS,
    .needs_traffic = 1 << BOUGH_BATCH,
    .exact = true, /* unless it tosses */
    .ignores_traffic = true,
    .assumes = BOUGH_ASSUMES_UNIFORM | BOUGH_ASSUMES_RANDOM_LINKS | BOUGH_ASSUMES_ONE_SIZE,
    .open = open_bins,
    .trial = trial_bins,
    .free_workspace = free_table,
    .close = run_free_data,
};
