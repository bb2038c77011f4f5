/* Messages between ranks over MPI. Only non-blocking calls are used: the blocking ones of Open MPI poll
 * without a pause. A message is sent with MPI_Isend from a copy, which is kept until the send has completed.
 */
#include "cli/ranks/mpi_module.h"

#include <limits.h>
#include <mpi.h>
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

static bough_status open_team(rank_team *team, bough_error *error) {
    static const double PATIENCE = 300;
    int provided = 0, rank = 0, ranks = 1;
    choose_transport();
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    if (code != MPI_SUCCESS) return fail(error, "it does not start", code);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    *team = (rank_team){.rank = (unsigned)rank,
                        .ranks = (unsigned)ranks,
                        .local = count_local(),
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
const mpi_module bough_mpi_module = {sizeof(mpi_module) + sizeof(rank_team), open_team, close_team, LIBRARY};
