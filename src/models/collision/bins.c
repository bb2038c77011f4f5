/* The balls-and-bins games of strumpen2005, section 5. A ball is a message, a bin a place where messages
 * collide. A round tosses all remaining balls, and from every non-empty bin one of them is delivered.
 *
 * Model I tosses m balls into b bins: round(2n / lg n) on the binary fat-tree (Corollary 1), else round(1 /
 * Pr[C2]). Balls are identical, so only their
 * number is stored: a round tosses balls 0 .. left-1 and counts the bins they hit.
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
#include "method/premises.h"
#include "method/rows.h"
#include "models/collision/collision.h"
#include "models/model_list.h"

#include <math.h>
#include <string.h>

enum { P_MODEL, P_BINS };

static const bough_param params[] = {
    [P_MODEL] =
        {"model",
         "1: independent balls; 2: balls of one destination, tossed by the game itself, stay together",
         BOUGH_INT, "1", 1, 2, .echo = true},
    [P_BINS] = {"b",
                "collision bins; default: 2n / lg n (model=1 on the binary fat-tree), else 1 / Pr[C2] of the "
                "network, by method collision",
                BOUGH_INT, "", 1, UINT32_MAX},
    BOUGH_PARAMS_END,
};

typedef struct game {
    bool grouped; /* Model II */
    uint64_t destinations, balls, bins;
} game;

/* Memory of a game. */
typedef struct table {
    uint64_t *hit;    /* Model I: one bit per bin */
    uint32_t *balls;  /* Model II, per destination: remaining balls */
    uint32_t *live;   /* destinations with balls, ascending */
    uint32_t *tossed; /* per bin: balls of this round */
    uint32_t *winner; /* per bin: destination of the delivered ball */
} table;

enum { CHUNK = 1 << 20 }; /* balls between two checks of the stop flag; whole blocks */

static uint64_t scale32(uint32_t word, uint64_t range) {
    return word * range >> 32;
}

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
    status = count_bins(run, g, error);
    if (status) return status;
    uint64_t live = g->balls < n ? g->balls : n;
    run->bytes = sizeof(table) + (g->grouped ? 4 * (n + live) + 8 * g->bins : (g->bins + 63) / 64 * 8);
    return bough_memory_check(run->bytes, "the balls and bins", error);
}

static void free_table(void *workspace) {
    table *t = workspace;
    if (!t) return;
    FREE_ALL(t->hit, t->balls, t->live, t->tossed, t->winner, t);
}

static bough_status make_table(const game *g, void **workspace, bough_error *error) {
    table *t;
    bough_status status = bough_alloc(&t, 1, sizeof *t, error);
    if (status) return status;
    if (g->grouped) {
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
    uint64_t round; /* from 1 */
    uint64_t left;  /* remaining balls */
    uint64_t live;  /* Model II: destinations with balls */
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

/* ---- both ---- */

static bough_status add_rows(const game *g, uint64_t rounds, uint64_t first, bough_rows *rows,
                             bough_error *error) {
    double b = (double)g->bins, m = (double)g->balls;
    double delivered = fabs(b * expm1(m * log1p(-1 / b))); /* b (1 - (1 - 1/b)^m) without cancellation */
    bool independent = !g->grouped;                        /* Eqs. 3 to 5 hold for independent balls */
    const optional_row lines[] = {
        {true, BOUGH_METRIC_ROUNDS, (double)rounds},
        {true, BOUGH_METRIC_BINS, b},
        {true, BOUGH_METRIC_EMPTY_FIRST, (double)(g->bins - first)},
        {true, BOUGH_METRIC_DELIVERED_FIRST, (double)first},
        {independent, BOUGH_METRIC_EMPTY_EXPECTED, b - delivered},
        {independent, BOUGH_METRIC_DELIVERED_EXPECTED, delivered},
        {independent, BOUGH_METRIC_REJECTED_EXPECTED, m > 1 ? m - delivered : 0},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}

static bough_status trial_bins(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                               bough_error *error) {
    const game *g = run->data;
    bough_status status = *workspace ? BOUGH_OK : make_table(g, workspace, error);
    if (status) return status;
    play p = {run, key, g, *workspace, .left = g->balls};
    uint64_t first = 0;
    if (g->grouped) p.live = toss_destinations(g, p.table, key);
    while (p.left && !status) {
        uint64_t delivered = 0;
        p.round++;
        status = g->grouped ? round_together(&p, &delivered, error) : round_alone(&p, &delivered, error);
        p.left -= delivered;
        if (p.round == 1) first = delivered;
    }
    TRY(add_rows(g, p.round, first, rows, error));
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
    .assumes = BOUGH_ASSUMES_UNIFORM | BOUGH_ASSUMES_RANDOM_LINKS | BOUGH_ASSUMES_ONE_SIZE,
    .open = open_bins,
    .trial = trial_bins,
    .free_workspace = free_table,
    .close = run_free_data,
};
