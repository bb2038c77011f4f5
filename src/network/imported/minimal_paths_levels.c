/* Levels of switches: those of the nearest regular tree, from the leaves upwards.
 *
 * The next level consists of the switches with cables to the level before (leaves: to hosts), with two
 * exceptions. A switch whose cables lead to others of these rather than to the level before is above them: a
 * spine that a host was plugged into; so is one with few hosts whose neighbours are not those of a leaf. And
 * where all cables of a few switches lead to parents of a switch two levels lower, they are like that one:
 * leaves without hosts.
 *
 * In a network that is not a tree most switches look like spines with hosts. Then its levels are distances
 * from the hosts. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/imported/minimal_paths_build.h"

#include <stdlib.h>

enum {
    LEVEL_MAX = 255,
    WAVES = 256,
    FEW = 4,  /* leaves without hosts: at most this part of all leaves; hosts on spines: of those on leaves */
    STRAY = 8 /* cables within a level of a tree: at most this part of those of its switches */
};

typedef enum place { ELSEWHERE, HERE, ABOVE } place;

typedef struct level_search {
    const paths_build *b;
    uint8_t *level;                   /* [switch]; 0: not known yet */
    uint32_t *here;                   /* switches with cables to the level before */
    uint32_t count;                   /* of these */
    uint32_t *next;                   /* switches, for a while */
    uint8_t *place;                   /* [switch] */
    uint32_t *below;                  /* [switch]: its cables to the level before */
    uint32_t *beside;                 /* [switch]: to others that are HERE */
    uint32_t usual;                   /* cables of a switch to the level before */
    uint32_t *mark;                   /* [switch]: the last mark that it got */
    uint32_t marks;                   /* used so far */
    uint32_t of_level[LEVEL_MAX + 1]; /* switches */
    unsigned at;                      /* the level at hand */
} level_search;

static int falling(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Half of the cables to the level before are at switches with at least so many. */
static uint32_t find_usual(const level_search *s) {
    uint64_t sum = 0, half = 0;
    for (uint32_t i = 0; i < s->count; i++) sum += s->next[i] = s->below[s->here[i]];
    qsort(s->next, s->count, sizeof *s->next, falling);
    uint32_t i = 0;
    while (i + 1 < s->count && 2 * (half += s->next[i]) < sum) i++;
    return s->next[i];
}

/* Whether a switch has more cables beside than below; or only few below, and most of the others are beside.
 */
static bool looks_above(const level_search *s, uint32_t v) {
    const uint32_t cables = s->b->peer_first[v + 1] - s->b->peer_first[v];
    return s->beside[v] > s->below[v] ||
           (2 * (uint64_t)s->beside[v] > cables && 2 * (uint64_t)s->below[v] <= s->usual);
}

/* Those switches that look so with the largest surplus of cables beside over those below. Returns how many.
 */
static uint32_t find_wave(const level_search *s, uint32_t *wave) {
    int64_t most = INT64_MIN;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t v = s->here[i];
        if (s->place[v] != HERE || !looks_above(s, v)) continue;
        const int64_t surplus = (int64_t)s->beside[v] - s->below[v];
        if (surplus > most) most = surplus, count = 0;
        if (surplus == most) wave[count++] = v;
    }
    return count;
}

/* Puts them above the others, unless two of them are neighbours. */
static bool raise_wave(level_search *s, const uint32_t *wave, uint32_t count) {
    const paths_build *b = s->b;
    s->marks++;
    for (uint32_t i = 0; i < count; i++) s->mark[wave[i]] = s->marks;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = b->peer_first[wave[i]]; k < b->peer_first[wave[i] + 1]; k++)
            if (s->mark[b->peer[k]] == s->marks) return false;
    for (uint32_t i = 0; i < count; i++) {
        s->place[wave[i]] = ABOVE;
        for (uint32_t k = b->peer_first[wave[i]]; k < b->peer_first[wave[i] + 1]; k++)
            s->beside[b->peer[k]]--;
    }
    return true;
}

/* Whether few cables join switches that are left in the level. */
static bool is_level(const level_search *s) {
    uint64_t beside = 0, all = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t v = s->here[i];
        if (s->place[v] != HERE) continue;
        beside += s->beside[v];
        all += s->b->peer_first[v + 1] - s->b->peer_first[v];
    }
    return STRAY * beside <= all;
}

/* ---- a host on a core, whose neighbours are not here ---- */

/* How many of the neighbours of v, which have the mark, are neighbours of a leaf, too. */
static uint32_t common(level_search *s, uint32_t v, uint32_t leaf, uint32_t mark) {
    const paths_build *b = s->b;
    uint32_t same = 0;
    for (uint32_t j = b->peer_first[leaf]; j < b->peer_first[leaf + 1]; j++)
        if (s->mark[b->peer[j]] == mark) s->mark[b->peer[j]]++, same++; /* counted once */
    for (uint32_t j = b->peer_first[v]; j < b->peer_first[v + 1]; j++) s->mark[b->peer[j]] = mark;
    return same;
}

/* Marks the neighbours of a switch, and returns how many these are. */
static uint32_t mark_neighbours(level_search *s, uint32_t v, uint32_t mark) {
    const paths_build *b = s->b;
    uint32_t count = 0;
    for (uint32_t k = b->peer_first[v]; k < b->peer_first[v + 1]; k++) {
        count += s->mark[b->peer[k]] != mark;
        s->mark[b->peer[k]] = mark;
    }
    return count;
}

static bool is_sure_leaf(const level_search *s, uint32_t v) {
    return s->place[v] == HERE && FEW * (uint64_t)s->below[v] > s->usual;
}

/* Of the neighbours of a switch a leaf has at most half, but some leaf has one. */
static bool is_apart(level_search *s, uint32_t v) {
    const paths_build *b = s->b;
    const uint32_t mark = s->marks + 1, own = mark_neighbours(s, v, mark);
    uint32_t most = 0;
    for (uint32_t k = b->peer_first[v]; k < b->peer_first[v + 1]; k++)
        for (uint32_t i = b->peer_first[b->peer[k]]; i < b->peer_first[b->peer[k] + 1]; i++) {
            const uint32_t same = is_sure_leaf(s, b->peer[i]) ? common(s, v, b->peer[i], mark) : 0;
            if (same > most) most = same;
        }
    return most && 2 * most <= own;
}

/* Finds switches with few hosts that have no place among the leaves. */
static void raise_apart(level_search *s) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t v = s->here[i];
        if (s->place[v] != HERE || s->beside[v] || FEW * (uint64_t)s->below[v] > s->usual) continue;
        if (is_apart(s, v)) s->next[count++] = v;
        s->marks += 2;
    }
    for (uint32_t i = 0; i < count && 2 * count < s->count; i++) s->place[s->next[i]] = ABOVE;
}

/* Finds those that are above the others. */
static void raise_some(level_search *s) {
    const paths_build *b = s->b;
    uint32_t above = 0, count = 0;
    s->usual = find_usual(s);
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t v = s->here[i];
        s->beside[v] = 0;
        for (uint32_t k = b->peer_first[v]; k < b->peer_first[v + 1]; k++)
            s->beside[v] += s->place[b->peer[k]] == HERE;
    }
    for (unsigned waves = 0; waves < WAVES; waves++) {
        count = find_wave(s, s->next + above);
        if (!count || !raise_wave(s, s->next + above, count)) break;
        above += count;
    }
    if (!above || (!count && 2 * above < s->count && is_level(s))) {
        if (s->at == 1) raise_apart(s);
    } else {
        for (uint32_t i = 0; i < above; i++) s->place[s->next[i]] = HERE;
    }
}

/* Whether all cables of a switch lead to parents of one switch two levels lower. */
static bool is_like_lower(level_search *s, uint32_t v) {
    const paths_build *b = s->b;
    const uint32_t first = b->peer_first[v], mark = s->marks + 1, parents = mark_neighbours(s, v, mark);
    for (uint32_t k = first; k < b->peer_first[v + 1]; k++)
        if (s->level[b->peer[k]] != s->at - 1) return false;
    const uint32_t parent = b->peer[first];
    for (uint32_t k = b->peer_first[parent]; k < b->peer_first[parent + 1]; k++)
        if (s->level[b->peer[k]] == s->at - 2 && common(s, v, b->peer[k], mark) == parents) return true;
    return false;
}

/* Finds those that are like switches two levels lower. */
static void lower_some(level_search *s) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->place[s->here[i]] == HERE && is_like_lower(s, s->here[i])) s->next[count++] = s->here[i];
        s->marks += 2;
    }
    if (FEW * (uint64_t)count > s->of_level[s->at - 2]) return;
    for (uint32_t i = 0; i < count; i++) {
        s->level[s->next[i]] = (uint8_t)(s->at - 2);
        s->place[s->next[i]] = ELSEWHERE;
    }
}

/* Keeps the switches of the level, and lists those without a level that have cables to it. */
static void go_up(level_search *s) {
    const paths_build *b = s->b;
    uint32_t own = 0, count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t v = s->here[i];
        if (s->place[v] == HERE) {
            s->level[v] = (uint8_t)s->at;
            s->here[own++] = v;
        }
        s->place[v] = ELSEWHERE;
    }
    s->of_level[s->at] += own;
    for (uint32_t i = 0; i < own; i++)
        for (uint32_t k = b->peer_first[s->here[i]]; k < b->peer_first[s->here[i] + 1]; k++) {
            const uint32_t u = b->peer[k];
            if (s->level[u]) continue;
            if (s->place[u] == ELSEWHERE) s->place[u] = HERE, s->below[u] = 0, s->next[count++] = u;
            s->below[u]++;
        }
    uint32_t *list = s->here;
    s->here = s->next;
    s->next = list;
    s->count = count;
    if (s->at < LEVEL_MAX) s->at++;
}

bough_status paths_find_levels(paths_build *b, bough_error *error) {
    const imported_wiring *w = b->w;
    level_search s = {.b = b, .level = b->f->level + w->endpoints, .at = 1};
    const bough_array want[] = {
        {&s.here, b->switches, 4},  {&s.next, b->switches, 4},   {&s.place, b->switches, 1},
        {&s.below, b->switches, 4}, {&s.beside, b->switches, 4}, {&s.mark, b->switches, 4},
    };
    bough_status status = bough_alloc_all(want, sizeof want / sizeof *want, error);
    for (uint32_t v = 0; v < b->switches && !status; v++) {
        s.below[v] = w->hosts[w->endpoints + v];
        if (!s.below[v]) continue;
        s.place[v] = HERE;
        s.here[s.count++] = v;
    }
    while (s.count && !status) {
        if (s.at < LEVEL_MAX) raise_some(&s);
        if (s.at > 2 && s.at < LEVEL_MAX) lower_some(&s);
        go_up(&s);
    }
    for (uint32_t v = 0; v < b->switches && !status; v++) /* not connected to any leaf */
        if (!s.level[v]) s.level[v] = 1;
    FREE_ALL(s.here, s.next, s.place, s.below, s.beside, s.mark);
    return status;
}
