#include "cli/ranks/launch.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "cli/ranks/mpi_module.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the launcher ---- */

/* The number in a variable of the environment; -1: there is none. */
static long number_of(const char *name) {
    const char *text = getenv(name);
    char *end;
    if (!text || !*text) return -1;
    long value = strtol(text, &end, 10);
    return *end || value < 0 || value > 100000000 ? -1 : value;
}

static const struct {
    const char *ranks, *rank;
    bool mpi;
} launcher[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", true}, /* mpirun of Open MPI */
    {"PMI_SIZE", "PMI_RANK", true},                         /* mpiexec of MPICH, srun --mpi=pmi2 */
    {"SLURM_STEP_NUM_TASKS", "PMIX_RANK", true},            /* srun --mpi=pmix */
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", false},        /* srun without MPI */
};

/* What the launcher says in the environment. */
typedef struct launch {
    unsigned rank, ranks; /* 0 of 1 without a launcher */
    bool mpi;             /* it supports MPI */
} launch;

static launch launched(void) {
    for (size_t i = 0; i < sizeof launcher / sizeof *launcher; i++) {
        long ranks = number_of(launcher[i].ranks), rank = number_of(launcher[i].rank);
        if (ranks > 1 && rank >= 0 && rank < ranks)
            return (launch){(unsigned)rank, (unsigned)ranks, launcher[i].mpi};
    }
    return (launch){0, 1, false};
}

/* Ends a rank that cannot exchange messages. mpirun ends all others as soon as one fails, so rank 0 has to be
 * the first: it prints the reason. */
static int refuse(const launch *l, const bough_error *error) {
    if (l->rank > 0) sleep(1);
    return cli_fail(error);
}

int cli_check_launch(const char *command) {
    launch l = launched();
    if (l.ranks > 1 || getenv("OMPI_COMM_WORLD_SIZE")) cli_expect_launcher();
    if (l.ranks == 1) return 0;
    if (l.rank > 0) cli_silence();
    if (strcmp(command, "run") == 0 || strcmp(command, "sim") == 0 || *command == '-' ||
        strcmp(command, "help") == 0)
        return 0;
    bough_error error;
    bough_fail(
        &error, BOUGH_INVALID, NULL,
        "`bough %s` was started on %u ranks, and only `bough run` and `bough sim` compute on several; start "
        "it without mpirun or srun",
        command, l.ranks);
    return refuse(&l, &error);
}

/* ---- the module ---- */

static const mpi_module *module; /* one per process, as MPI itself */
static rank_team team;

/* Beside the command, where it is built, or in the library folder of the installation. */
static void *load_module(void) {
    static const char *const folder[] = {"", BOUGH_MPI_FOLDER "/"};
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return NULL;
    self[length] = 0;
    char *slash = strrchr(self, '/');
    if (slash) slash[1] = 0;
    void *found = NULL;
    for (size_t i = 0; i < sizeof folder / sizeof *folder && !found; i++) {
        bough_text path = {0};
        bough_text_printf(&path, "%s%s%s", self, folder[i], MPI_MODULE_FILE);
        /* global: the plug-ins of Open MPI use its symbols */
        if (!path.failed && access(path.data, F_OK) == 0) found = dlopen(path.data, RTLD_NOW | RTLD_GLOBAL);
        bough_text_fini(&path);
    }
    return found;
}

static bough_status find_module(const launch *l, bough_error *error) {
    if (!l->mpi)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "srun started %u ranks without MPI; use `srun --mpi=pmix` or `--mpi=pmi2`, or "
                          "`--shard` with one task each",
                          l->ranks);
    void *handle = load_module();
    const mpi_module *m = handle ? dlsym(handle, MPI_MODULE_NAME) : NULL;
    if (!m || m->size != sizeof(mpi_module) + sizeof(rank_team))
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "started on %u ranks, but this bough has no MPI (%s); build it where MPI is "
            "installed, or use `--shard i/n` and `bough merge`",
            l->ranks, !handle ? "there is no " MPI_MODULE_FILE : MPI_MODULE_FILE " is of another version");
    module = m;
    return BOUGH_OK;
}

int cli_ranks_open(rank_session *session) {
    launch l = launched();
    bough_error error;
    *session = (rank_session){0};
    if (l.ranks == 1) return 0;
    bough_status status = find_module(&l, &error);
    TRY(module->open(&team, &error));
    if (!status && team.ranks != l.ranks)
        status =
            bough_fail(&error, BOUGH_INVALID, NULL,
                       "the launcher started %u ranks, but MPI sees %u; bough was built with %s: use its "
                       "launcher",
                       l.ranks, team.ranks, module->library);
    if (status) return refuse(&l, &error);
    session->team = &team;
    return 0;
}

int cli_ranks_close(rank_session *session, int code) {
    if (!session->team) return code;
    cli_flush(); /* before other ranks end, and mpirun this one with them */
    code = ranks_end(session, code);
    module->close(&team, code, session->lost);
    session->team = NULL;
    return code;
}

/* ---- before the run ---- */

static bough_status read_input(bough_text *text, bough_error *error) {
    char block[65536];
    ssize_t got;
    while ((got = read(STDIN_FILENO, block, sizeof block)) != 0) {
        if (got < 0 && errno != EINTR)
            return bough_fail(error, BOUGH_IO, NULL, "standard input cannot be read: %s", strerror(errno));
        if (got > 0) bough_text_add(text, block, (size_t)got);
    }
    return text->failed ? bough_fail_memory(error, text->length) : BOUGH_OK;
}

/* Standard input becomes a file with the text. */
static bough_status replace_input(const char *text, size_t size, bough_error *error) {
    FILE *file = tmpfile();
    bool done = file && (!size || fwrite(text, 1, size, file) == size) && fflush(file) == 0 &&
                fseek(file, 0, SEEK_SET) == 0 && dup2(fileno(file), STDIN_FILENO) >= 0;
    int reason = errno;
    if (file) fclose(file);
    return done ? BOUGH_OK
                : bough_fail(error, BOUGH_IO, NULL, "standard input cannot be copied: %s", strerror(reason));
}

bough_status cli_ranks_share_input(rank_session *session, bough_error *error) {
    bough_text input = {0};
    char *text = NULL;
    size_t size = 0;
    bough_error why;
    bough_status read = BOUGH_OK;
    if (session->team->rank == 0) {
        read = read_input(&input, error);
        size = input.length;
        text = bough_text_take(&input);
    }
    bough_status status = ranks_share_input(session, &text, &size, &why);
    if (status && !read) *error = why;
    if (read) status = read;
    TRY(replace_input(text, size, error));
    free(text);
    return status;
}

int cli_ranks_agree(rank_session *session, int code, const bough_error *error, const bough_study *study) {
    rank_report mine = {.code = code, .error = *error};
    bough_error why = {0};
    if (!code && study) {
        bough_status status = ranks_check_memory(study, session->team, &mine.error);
        TRY(ranks_hash(study, BOUGH_VERSION, &mine.hash, &mine.error));
        if (status) mine.code = cli_fail(&mine.error);
    }
    code = ranks_agree(session, &mine, &why);
    if (why.status) cli_ranks_fail(session, &why);
    return code;
}

unsigned cli_ranks_threads(const rank_session *session) {
    unsigned mine = bough_default_threads(), local = session->team->local;
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    if (all > 0 && mine < (unsigned long)all) return mine; /* the launcher has bound this rank */
    return mine / local > 0 ? mine / local : 1;
}

/* ---- the run ---- */

bough_status cli_ranks_study(rank_session *session, bough_study *study, const bough_study_options *options,
                             bough_error *error) {
    return session->team ? ranks_study(session, study, options, error)
                         : bough_study_run(study, options, error);
}

int cli_ranks_fail(const rank_session *session, const bough_error *error) {
    if (session->team && session->team->rank && session->lost) {
        sleep(1);
        cli_speak();
    }
    return cli_fail(error);
}
