/* A thread reads a section, hashes it and prepares the lines that begin in it, while it is in its cache;
 * where one thread reads what another has hashed, each waits for the memory of the other. Sections are taken
 * in order, by a thread that has prepared the next one. */
#include "base/files/input_sections.h"

#include "base/files/input.h"
#include "base/memory/memory.h"
#include "base/status/system_error.h"
#include "base/thread_team.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SECTION = FILE_HASH_SECTION,
    MORE = 1 << 12,                          /* read behind it, for the end of its last line */
    BYTEWISE = FILE_HASH_BYTEWISE / SECTION, /* sections that are hashed in order */
    PLACES = 4,                              /* of a thread */
    RING = INPUT_WORKERS * (PLACES + 1)
};
_Static_assert(PLACES *INPUT_WORKERS <= INPUT_PARTS, "parts are numbered by their places");

/* A section of the file: the byte before it, its own bytes, and more if its last line goes on. */
typedef struct place {
    char *data;
    size_t room, size, before, own;
    input_part part;
    uint64_t hash;      /* of its own bytes */
    uint64_t end;       /* where the file ended; UINT64_MAX: not seen */
    int failure;        /* errno of a read; 0: none */
    size_t lacks;       /* bytes of memory that there are not; 0: none */
    uint64_t free_from; /* when this section is the next to be taken */
} place;

/* The places of a thread, which it uses in turn: they stay in its cache. */
typedef struct own_places {
    place place[PLACES];
    unsigned next;
    char apart[THREAD_APART];
} own_places;

/* A section that is prepared. */
typedef struct prepared {
    _Atomic uint64_t section; /* + 1; 0: none */
    const place *place;
} prepared;

typedef struct walk {
    input_sections *in;
    const input_taker *taker;
    own_places own[INPUT_WORKERS];
    unsigned places; /* that each thread uses */
    /* Sections from `turn` on: those in places, and each thread may wait for a place for another. */
    prepared ring[RING];
    uint64_t first;        /* section of step 0 */
    _Atomic uint64_t turn; /* the next section to be taken */
    atomic_flag taking;    /* some thread does so */
    atomic_bool over;      /* the file has ended, or taking has failed */
    uint64_t end;          /* where the file ended for the sections that were taken; UINT64_MAX: not seen */
    bough_status taken, filled;
    bough_error error; /* of filling */
} walk;

/* ---- one section ---- */

size_t input_read_at(int file, char *to, size_t size, uint64_t from, int *failure) {
    size_t got = 0;
    while (got < size) {
        ssize_t more = pread(file, to + got, size - got, (off_t)(from + got));
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) *failure = errno;
        if (more <= 0) break;
        got += (size_t)more;
    }
    return got;
}

/* Reads up to `want` bytes behind those that are there; returns false if there are less. */
static bool read_on(const walk *w, place *p, uint64_t from, size_t want) {
    if (bough_grow(&p->data, &p->room, p->size + want, 1, NULL)) p->lacks = p->size + want;
    if (p->lacks) return false;
    const size_t got = input_read_at(w->in->file, p->data + p->size, want, from + p->size, &p->failure);
    p->size += got;
    if (got < want && !p->failure) p->end = from + p->size;
    return got == want;
}

/* Where the line ends that contains a byte, behind its end. */
static size_t line_end(const walk *w, place *p, uint64_t from, size_t at) {
    for (bool more = true;;) {
        const size_t seen = p->size;
        const char *end = memchr(p->data + at, '\n', seen - at);
        if (end) return (size_t)(end + 1 - p->data);
        if (!more) return seen;
        more = read_on(w, p, from, seen);
        at = seen;
    }
}

/* The lines that begin in the section. */
static void find_part(const walk *w, place *p, uint64_t from) {
    const size_t last = p->before + p->own - 1;
    const char *begin = p->before ? memchr(p->data, '\n', last) : NULL;
    if (p->before && !begin) return;
    const size_t start = begin ? (size_t)(begin + 1 - p->data) : 0, end = line_end(w, p, from, last);
    p->part.data = p->data + start; /* memory may have moved */
    p->part.size = end - start;
}

static void read_section(const walk *w, place *p, uint64_t section) {
    p->before = section ? 1 : 0;
    p->size = p->own = 0;
    p->failure = 0;
    p->lacks = 0;
    p->end = UINT64_MAX;
    p->part = (input_part){.number = p->part.number};
    const uint64_t from = section * SECTION - p->before;
    const size_t whole = p->before + SECTION;
    read_on(w, p, from, whole + MORE);
    if (p->size > p->before) p->own = (p->size < whole ? p->size : whole) - p->before;
    if (p->own && !p->failure && !p->lacks) find_part(w, p, from);
}

/* ---- in order ---- */

static bough_status check_read(walk *w, const place *p) {
    const char *path = w->in->path;
    if (p->failure) return bough_fail_system(&w->error, path, "cannot be read", p->failure);
    if (p->lacks) return bough_at_line(bough_fail_memory(&w->error, p->lacks), path, 0, &w->error);
    if (w->end < w->turn * SECTION + p->own)
        return bough_fail(&w->error, BOUGH_INVALID, path,
                          "changed while it was read; read it again when it is complete");
    return BOUGH_OK;
}

static void take_section(walk *w, const place *p) {
    w->filled = check_read(w, p);
    if (w->filled) return;
    if (p->end < w->end) w->end = p->end;
    if (w->turn < BYTEWISE)
        file_hash_add(w->in->hash, p->data + p->before, p->own);
    else if (p->own)
        file_hash_join(w->in->hash, p->hash, p->own);
    if (p->part.size) w->taken = w->taker->take(w->taker->context, &p->part);
}

static bool next_is_prepared(walk *w) {
    const uint64_t turn = atomic_load(&w->turn);
    return !atomic_load(&w->over) && atomic_load(&w->ring[turn % RING].section) == turn + 1;
}

/* Those that are prepared, in turn, unless another thread does so: it will see them. */
static void take_prepared(walk *w) {
    while (next_is_prepared(w)) {
        if (atomic_flag_test_and_set(&w->taking)) return;
        while (next_is_prepared(w)) {
            const place *p = w->ring[w->turn % RING].place;
            take_section(w, p);
            if (p->own < SECTION || w->filled || w->taken) atomic_store(&w->over, true);
            atomic_fetch_add(&w->turn, 1);
        }
        atomic_flag_clear(&w->taking);
    }
}

/* ---- all sections ---- */

enum { LOOKS = 400 }; /* for a place, before the system may run other threads */

/* NULL: reading is over. */
static place *await_place(walk *w, unsigned worker) {
    own_places *own = &w->own[worker];
    place *p = &own->place[own->next++ % w->places];
    for (unsigned i = 0; atomic_load(&w->turn) < p->free_from && !atomic_load(&w->over); i++) {
        if (i < LOOKS)
            thread_pause();
        else
            take_prepared(w), sched_yield();
    }
    return atomic_load(&w->over) ? NULL : p;
}

static void step(void *context, unsigned worker, uint64_t i) {
    walk *w = context;
    const uint64_t section = w->first + i;
    place *p = await_place(w, worker);
    if (!p) return;
    read_section(w, p, section);
    p->free_from = section + 1;
    if (section >= BYTEWISE && p->own) p->hash = file_hash_section(p->data + p->before, p->own);
    if (p->part.size) w->taker->prepare(w->taker->context, worker, &p->part);
    w->ring[section % RING].place = p;
    atomic_store(&w->ring[section % RING].section, section + 1);
    take_prepared(w);
}

/* A file may be longer than it was, or than the system tells. */
static void lead(void *context, thread_team *team) {
    walk *w = context;
    struct stat info;
    uint64_t count = 1;
    w->places = team ? PLACES : 1;
    if (fstat(w->in->file, &info) == 0 && info.st_size > 0) count += (uint64_t)info.st_size / SECTION;
    for (; !atomic_load(&w->over); w->first += count, count = RING) {
        if (count > UINT32_MAX) count = UINT32_MAX;
        team_each(team, count, step, w);
        take_prepared(w);
    }
}

bough_status input_sections_each(input_sections *in, unsigned threads, const input_taker *taker,
                                 bough_error *error) {
    walk *w;
    bough_status status = bough_alloc(&w, 1, sizeof *w, error);
    if (status) return status;
    *w = (walk){.in = in, .taker = taker, .taking = ATOMIC_FLAG_INIT, .end = UINT64_MAX};
    for (unsigned i = 0; i < INPUT_WORKERS * PLACES; i++)
        w->own[i / PLACES].place[i % PLACES].part.number = i;
    team_run(threads < INPUT_WORKERS ? threads : INPUT_WORKERS, lead, w);
    if (!w->taken && !w->filled) w->taken = taker->take(taker->context, &(input_part){0});
    for (unsigned i = 0; i < INPUT_WORKERS * PLACES; i++) {
        const place *p = &w->own[i / PLACES].place[i % PLACES];
        in->bytes += p->room;
        free(p->data);
    }
    status = w->taken ? w->taken : w->filled;
    if (w->filled && !w->taken && error) *error = w->error;
    free(w);
    return status;
}
