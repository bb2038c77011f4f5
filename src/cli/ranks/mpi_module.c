/* Messages between ranks over MPI. Only non-blocking calls are used: the blocking ones of Open MPI poll
 * without a pause. A message is sent with MPI_Isend from a copy, which is kept until the send has completed.
 */
#include "cli/ranks/mpi_module.h"

#include "base/rank_group.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG = 1 };

typedef struct sent {
    struct sent *next;
    MPI_Request request;
    char bytes[];
} sent;

/* One per process, as MPI itself. */
static sent *pending;

static bough_status fail(bough_error *error, const char *what, int code) {
    char why[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, why, &length);
    error->status = BOUGH_FAILED;
    *error->place = 0;
    snprintf(error->reason, sizeof error->reason, "MPI: %s: %.500s", what, why);
    return BOUGH_FAILED;
}

static bough_status fail_memory(bough_error *error, size_t size) {
    error->status = BOUGH_NO_MEMORY;
    *error->place = 0;
    snprintf(error->reason, sizeof error->reason, "out of memory (a message of %zu bytes)", size);
    return BOUGH_NO_MEMORY;
}

/* Frees the messages that are on their way. */
static void collect_sent(void) {
    for (sent **at = &pending; *at;) {
        sent *s = *at;
        int done = 0;
        if (MPI_Test(&s->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) done = 1;
        if (done) {
            *at = s->next;
            free(s);
        } else {
            at = &s->next;
        }
    }
}

static bough_status send_bytes(void *context, unsigned to, const void *bytes, size_t size,
                               bough_error *error) {
    (void)context;
    sent *s = size <= INT_MAX ? malloc(sizeof *s + size) : NULL;
    if (!s) return fail_memory(error, size);
    memcpy(s->bytes, bytes, size);
    int code = MPI_Isend(s->bytes, (int)size, MPI_BYTE, (int)to, TAG, MPI_COMM_WORLD, &s->request);
    if (code != MPI_SUCCESS) {
        free(s);
        return fail(error, "a message cannot be sent", code);
    }
    s->next = pending;
    pending = s;
    return BOUGH_OK;
}

static bough_status receive_bytes(void *context, rank_message *message, bool *any, bough_error *error) {
    (void)context;
    MPI_Message handle;
    MPI_Status status;
    int there = 0, size = 0;
    *any = false;
    if (pending) collect_sent();
    int code = MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &handle, &status);
    if (code == MPI_SUCCESS && !there) return BOUGH_OK;
    if (code == MPI_SUCCESS) code = MPI_Get_count(&status, MPI_BYTE, &size);
    if (code != MPI_SUCCESS) return fail(error, "a message cannot be received", code);
    unsigned char *bytes = malloc((size_t)size + 1);
    if (!bytes) return fail_memory(error, (size_t)size);
    code = MPI_Mrecv(bytes, size, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) {
        free(bytes);
        return fail(error, "a message cannot be received", code);
    }
    *message = (rank_message){(unsigned)status.MPI_SOURCE, bytes, (size_t)size};
    *any = true;
    return BOUGH_OK;
}

/* ---- trials of all ranks together ---- */

/* Of the swaps: messages of a study do not come between. */
static MPI_Comm together;

/* MPI counts in int. */
static const uint64_t PIECE = UINT64_C(1) << 30;

static uint64_t pieces_of(const rank_group *g, const rank_block *block) {
    uint64_t sum = 0;
    for (unsigned r = 0; r < g->ranks; r++)
        if (r != g->rank) sum += (block[r].size + PIECE - 1) / PIECE;
    return sum;
}

/* Starts to receive the blocks, or to send them. */
static int start_blocks(const rank_group *g, const rank_block *block, bool receive, MPI_Request **next) {
    int code = MPI_SUCCESS;
    for (unsigned k = 1; k < g->ranks; k++) { /* not all to the same rank first */
        unsigned r = (receive ? g->rank + g->ranks - k : g->rank + k) % g->ranks;
        for (uint64_t at = 0; at < block[r].size && code == MPI_SUCCESS; at += PIECE) {
            char *bytes = (char *)block[r].bytes + at;
            int size = (int)(block[r].size - at < PIECE ? block[r].size - at : PIECE);
            code = receive ? MPI_Irecv(bytes, size, MPI_BYTE, (int)r, TAG, together, *next)
                           : MPI_Isend(bytes, size, MPI_BYTE, (int)r, TAG, together, *next);
            ++*next;
        }
    }
    return code;
}

static uint64_t bytes_of(const rank_group *g, const rank_block *block) {
    uint64_t sum = 0;
    for (unsigned r = 0; r < g->ranks; r++)
        if (r != g->rank) sum += block[r].size;
    return sum;
}

/* Most messages of ranks that compute in step come within microseconds, while a pause takes 50 at least.
 * Bytes between ranks of one machine move only while both poll, some 32 KiB at a time, so many bytes are
 * given more polls. Other ranks may compute for long, so the pauses become longer. *given_up: this rank was
 * asked to stop, and others do not come: a launcher that ends the job because a rank was lost waits a second
 * at most. */
static int wait_all(const rank_group *g, int count, MPI_Request *request, uint64_t bytes, bool *given_up) {
    static const long WAIT = 500000000; /* ns */
    static const uint64_t POLLS = 200, POLL_BYTES = 4096;
    struct timespec nap = {0, 1000};
    long waited = 0; /* ns since the request to stop was seen */
    uint64_t polls = 0;
    for (int done = 0;;) {
        int code = MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE);
        *given_up = !done && waited > WAIT;
        if (done || code != MPI_SUCCESS || *given_up) return code;
        if (polls++ < POLLS) continue;
        if (polls < bytes / POLL_BYTES) {
            sched_yield();
            continue;
        }
        nanosleep(&nap, NULL);
        if (g->stop && atomic_load(g->stop)) waited += nap.tv_nsec;
        if (nap.tv_nsec < 1000000) nap.tv_nsec += nap.tv_nsec / 4;
    }
}

static bough_status fail_stopped(bough_error *error) {
    error->status = BOUGH_INTERRUPTED;
    *error->place = 0;
    snprintf(error->reason, sizeof error->reason, "interrupted");
    return BOUGH_INTERRUPTED;
}

static bough_status swap_blocks(const rank_group *g, const rank_block *out, const rank_block *in,
                                bough_error *error) {
    uint64_t count = pieces_of(g, in) + pieces_of(g, out);
    MPI_Request *request = malloc((count + 1) * sizeof *request), *next = request;
    if (!request) return fail_memory(error, count * sizeof *request);
    int code = start_blocks(g, in, true, &next);
    if (code == MPI_SUCCESS) code = start_blocks(g, out, false, &next);
    bool given_up = false;
    if (code == MPI_SUCCESS)
        code = wait_all(g, (int)(next - request), request, bytes_of(g, in) + bytes_of(g, out), &given_up);
    if (given_up) return fail_stopped(error); /* the process ends, and MPI may still write to the requests */
    free(request);
    return code == MPI_SUCCESS ? BOUGH_OK : fail(error, "bytes cannot be exchanged", code);
}

/* Open MPI asks every library for networks whether there is one, and reads what mpirun tells it from files in
 * memory that it maps, which takes longer than the rest of its start. Ranks of one machine need neither; what
 * the user has chosen stays. */
static void choose_transport(void) {
#if defined(OPEN_MPI)
    const char *all = getenv("OMPI_COMM_WORLD_SIZE"), *local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (!all || !local || strcmp(all, local) != 0) return;
    setenv("OMPI_MCA_pml", "ob1", 0);
    setenv("PMIX_MCA_gds", "hash", 0);
#endif
}

/* Ranks on this machine. */
static unsigned count_local(void) {
    MPI_Comm local;
    int size = 1;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local) != MPI_SUCCESS)
        return 1;
    MPI_Comm_size(local, &size);
    MPI_Comm_free(&local);
    return size > 0 ? (unsigned)size : 1;
}

/* Of the number for loops; it stays until MPI ends. */
static MPI_Win window = MPI_WIN_NULL;

static _Atomic uint64_t *number_of_rank_0(const rank_group *g) {
    MPI_Aint size;
    int unit;
    void *number = NULL;
    const MPI_Aint own = g->rank == 0 ? sizeof(_Atomic uint64_t) : 0;
    if (MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &number, &window) != MPI_SUCCESS ||
        MPI_Win_lock_all(0, window) != MPI_SUCCESS ||
        MPI_Win_shared_query(window, 0, &size, &unit, &number) != MPI_SUCCESS)
        return NULL;
    return number;
}

/* In memory that the ranks of one machine share. NULL, on all ranks alike: there is none. */
static _Atomic uint64_t *share_number(const rank_group *g) {
    if (g->local != g->ranks) return NULL;
    _Atomic uint64_t *number = number_of_rank_0(g);
    int shared = number && atomic_is_lock_free(number);
    if (MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD) != MPI_SUCCESS) shared = 0;
    return shared ? number : NULL;
}

static bough_status open_team(rank_team *team, bough_error *error) {
    static const double PATIENCE = 300;
    static rank_group group;
    int provided = 0, rank = 0, ranks = 1;
    choose_transport();
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    if (code != MPI_SUCCESS) return fail(error, "it does not start", code);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    code = MPI_Comm_dup(MPI_COMM_WORLD, &together);
    if (code != MPI_SUCCESS) return fail(error, "it does not start", code);
    group = (rank_group){
        .rank = (unsigned)rank, .ranks = (unsigned)ranks, .local = count_local(), .swap = swap_blocks};
    group.claimed = share_number(&group);
    *team = (rank_team){.rank = (unsigned)rank,
                        .ranks = (unsigned)ranks,
                        .local = group.local,
                        .group = &group,
                        .patience = PATIENCE,
                        .send = send_bytes,
                        .receive = receive_bytes};
    if (provided >= MPI_THREAD_SERIALIZED) return BOUGH_OK;
    error->status = BOUGH_FAILED;
    *error->place = 0;
    snprintf(error->reason, sizeof error->reason,
             "this MPI does not support threads (MPI_THREAD_SERIALIZED)");
    return BOUGH_FAILED;
}

static void close_team(rank_team *team, int code, bool lost) {
    const struct timespec nap = {0, 1000000};
    if (lost) {
        fflush(NULL);
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    while (pending) {
        rank_message m;
        bool any = false;
        bough_error error;
        /* a large message leaves only while its receiver and its sender both call MPI */
        if (receive_bytes(team->context, &m, &any, &error)) break;
        if (any) free(m.bytes);
        if (pending) nanosleep(&nap, NULL);
    }
    if (window != MPI_WIN_NULL) {
        MPI_Win_unlock_all(window);
        MPI_Win_free(&window);
    }
    MPI_Finalize();
}

#if defined(OPEN_MPI)
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define LIBRARY    "Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION)
#elif defined(MPICH_VERSION)
#define LIBRARY "MPICH " MPICH_VERSION
#else
#define LIBRARY "MPI"
#endif

__attribute__((visibility("default"))) extern const mpi_module bough_mpi_module;
const mpi_module bough_mpi_module = {sizeof(mpi_module) + sizeof(rank_team) + sizeof(rank_group), open_team,
                                     close_team, LIBRARY};
