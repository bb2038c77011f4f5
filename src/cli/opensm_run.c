#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np */
#include "cli/opensm_run.h"

#include "base/clock.h"
#include "base/files/input.h"
#include "base/files/output.h"
#include "base/status/try.h"
#include "base/text/scanner.h"
#include "base/text/spec.h"
#include "base/text/text.h"
#include "network/node_identifiers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- engines ---- */

/* Values of OpenSM's options that its engines have; FILE_PARAM: of GUIDs. */
#define FILE_PARAM(name, what)                                                                               \
    { name, what, BOUGH_TEXT, "" }
#define ROOTS FILE_PARAM("roots", "GUIDs of the root switches, a file (-a)")
#define ORDER FILE_PARAM("order", "port GUIDs that are routed first, a file (-X)")
#define NODES                                                                                                \
    FILE_PARAM("cn", "port GUIDs of compute nodes, a file (-u)"),                                            \
        FILE_PARAM("io", "port GUIDs of I/O nodes, a file (-G)")
static const bough_param none[] = {BOUGH_PARAMS_END}, ordered[] = {ORDER, BOUGH_PARAMS_END},
                         rooted[] = {ROOTS, ORDER, BOUGH_PARAMS_END}, weighted[] = {NODES, BOUGH_PARAMS_END},
                         tree[] = {ROOTS,
                                   NODES,
                                   {"hops", "hops against the direction towards I/O nodes (-H)", BOUGH_INT,
                                    "0", 0, 64},
                                   BOUGH_PARAMS_END};
static const struct {
    const char *key, *option;
} option_of[] = {{"roots", "-a"}, {"order", "-X"}, {"cn", "-u"}, {"io", "-G"}, {"hops", "-H"}};
static const struct {
    const char *name;
    const bough_param *params;
} engines[] = {{"minhop", ordered}, {"updn", rooted}, {"dnup", rooted},     {"ftree", tree},
               {"lash", none},      {"dor", none},    {"torus-2QoS", none}, {"dfsssp", weighted},
               {"sssp", weighted},  {"nue", none},    {NULL, NULL}};

static bough_status find_params(const char *name, const bough_param **params, bough_error *error) {
    bough_text all = {0};
    for (size_t e = 0; engines[e].name; e++) {
        *params = engines[e].params;
        if (strcmp(engines[e].name, name) == 0) return BOUGH_OK;
    }
    for (size_t e = 0; engines[e].name; e++) bough_text_printf(&all, " %s", engines[e].name);
    char *names = bough_text_take(&all);
    bough_status status =
        bough_fail(error, BOUGH_INVALID, "--opensm", "OpenSM has no routing engine '%.40s'; it has%s", name,
                   names ? names : "");
    free(names);
    return status;
}

/* Appends an option; the programs run in another directory. */
static bough_status add_option(opensm_tables *t, const char *option, const char *value, bool file,
                               bough_error *error) {
    struct stat about;
    char *path = file ? realpath(value, NULL) : NULL, *word = NULL;
    bough_status status = BOUGH_OK;
    if (file && (!path || access(path, R_OK) != 0))
        status = bough_fail(error, BOUGH_INVALID, value, "cannot be read: %s", strerror(errno));
    else if (file && (stat(path, &about) || !S_ISREG(about.st_mode)))
        status = bough_fail(error, BOUGH_INVALID, value, "is not a file of GUIDs");
    TRY(arena_copy(t->memory, &word, file ? path : value, error));
    free(path);
    t->option[t->options++] = option;
    t->is_list[t->options] = file;
    t->option[t->options++] = word;
    return status;
}

/* The label has files without their directories. */
static bough_status take_params(opensm_tables *t, const bough_args *args, bough_error *error) {
    bough_text label = {0};
    char between = ':';
    bough_status status = BOUGH_OK;
    bough_text_printf(&label, "opensm %s", t->engine);
    for (size_t i = 0; i < sizeof option_of / sizeof *option_of; i++)
        for (size_t k = 0; args->params[k].key && !status; k++) {
            const bough_value *v = &args->value[k];
            if (!v->given || strcmp(args->params[k].key, option_of[i].key) != 0) continue;
            const bool file = args->params[k].type == BOUGH_TEXT;
            char number[24];
            snprintf(number, sizeof number, "%" PRId64, v->integer);
            const char *value = file ? v->text : number, *slash = strrchr(value, '/');
            bough_text_printf(&label, "%c%s=%s", between, option_of[i].key, slash ? slash + 1 : value);
            between = ',';
            status = add_option(t, option_of[i].option, value, file, error);
        }
    TRY(bough_text_keep(&label, t->memory, &t->label, error));
    bough_text_fini(&label);
    return status;
}

static bool has_roots(const opensm_tables *t) {
    for (size_t i = 0; i < t->options; i += 2)
        if (strcmp(t->option[i], "-a") == 0) return true;
    return false;
}

static bough_status add_engine(opensm_run *run, const char *word, bough_error *error) {
    opensm_tables *t = &run->item[run->count++];
    const bough_param *params;
    *t = (opensm_tables){.memory = &run->memory};
    bough_spec spec = {0};
    bough_args args = {0};
    bough_status status = *word ? bough_spec_parse(word, &spec, error) : find_params("", &params, error);
    TRY(find_params(spec.name, &params, error));
    TRY(bough_args_bind(&spec, params, "OpenSM's engine", &args, error));
    if (!status) {
        status = arena_copy(t->memory, &t->engine, spec.name, error);
        TRY(take_params(t, &args, error));
        bough_args_fini(&args);
    }
    bough_spec_fini(&spec);
    return status;
}

/* The length of an engine with its parameters: a comma ends it unless `key=` follows. */
static size_t engine_length(const char *list) {
    bool quoted = false, given = false;
    size_t i = 0;
    for (; list[i]; i++) {
        if (list[i] == '"') quoted = !quoted;
        if (quoted && list[i] == '\\' && list[i + 1]) i++;
        given |= list[i] == ':';
        if (quoted || list[i] != ',') continue;
        const size_t word = strcspn(list + i + 1, "=:,");
        if (!given || list[i + 1 + word] != '=') break;
    }
    return i;
}

bough_status opensm_read_engines(const char *list, opensm_run *run, bough_error *error) {
    size_t most = run->count + 1;
    for (const char *c = list; *c; c++) most += *c == ',';
    bough_status status = arena_grow(&run->memory, &run->item, most, sizeof *run->item, error);
    for (const char *at = list; !status; at++) {
        const size_t length = engine_length(at);
        char *word = NULL;
        status = arena_copy_bytes(&run->memory, &word, at, length, error);
        TRY(add_engine(run, word, error));
        at += length;
        if (!*at) break;
    }
    return status;
}

bough_status opensm_set_roots(opensm_run *run, const char *path, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < run->count && !status; i++)
        if (!has_roots(&run->item[i])) status = add_option(&run->item[i], "-a", path, true, error);
    return status;
}

/* ---- the programs ---- */

/* ibsim; opensm and ibnetdiscover, which talk to it by a library that is loaded before theirs. */
enum { IBSIM, OPENSM, IBNETDISCOVER, IBSIM_RUN, PROGRAMS };
static const char *const program_names[] = {"ibsim", "opensm", "ibnetdiscover", "ibsim-run"};

typedef struct programs {
    char program[PROGRAMS][400];
    char library[400];
} programs;

/* ibsim-run is a script that names the library in a line sim_so=PATH. */
static bool find_library(const char *script, char *path, size_t size) {
    char line[500];
    bool found = false;
    FILE *file = fopen(script, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        if (strncmp(line, "sim_so=", 7) != 0) continue;
        char *value = line + 7 + (line[7] == '"');
        value[strcspn(value, "\"\n")] = 0;
        found = strlen(value) < size && access(value, R_OK) == 0;
        if (found) strcpy(path, value);
    }
    if (file) fclose(file);
    return found;
}

static bough_status find_tools(programs *t, bough_error *error) {
    const char *path = getenv("PATH"), *missing = NULL;
    for (int i = 0; i < PROGRAMS && !missing; i++)
        if (!(path && cli_find_program(path, program_names[i], t->program[i], sizeof t->program[i])) &&
            !cli_find_program("/usr/sbin:/sbin:/usr/local/sbin", program_names[i], t->program[i],
                              sizeof t->program[i]))
            missing = program_names[i];
    if (!missing && !find_library(t->program[IBSIM_RUN], t->library, sizeof t->library))
        missing = "the library of ibsim-run";
    if (!missing) return BOUGH_OK;
    return bough_fail(error, BOUGH_UNSUPPORTED, "--opensm",
                      "%s is missing; install OpenSM, ibsim and infiniband-diags (Debian: apt install opensm "
                      "ibsim-utils infiniband-diags)",
                      missing);
}

/* ---- processes ---- */

/* What one run shares: an ibsim of its own, known by the name of its socket. */
typedef struct bed {
    const programs *tools;
    atomic_bool *stop;
    const char *phase;
    double share;
    const char *directory;
    char *environment[16];
    char name[4][500];
} bed;

static bool stopped(const bed *b) {
    return b->stop && atomic_load(b->stop);
}

static void pause_briefly(const bed *b) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    cli_on_progress(NULL, b->share, b->phase);
}

/* -1: it could not be started. Output goes to a file of the directory. */
static pid_t start(const bed *b, const char *const *argv, const char *output, bool simulated) {
    posix_spawn_file_actions_t actions;
    char path[600];
    pid_t pid = -1;
    snprintf(path, sizeof path, "%s/%s", b->directory, output);
    if (posix_spawn_file_actions_init(&actions)) return -1;
    int bad = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    bad |= posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bad |= posix_spawn_file_actions_adddup2(&actions, 1, 2);
    bad |= posix_spawn_file_actions_addchdir_np(&actions, b->directory); /* they leave files where they run */
    /* LD_PRELOAD is the first variable; ibsim itself goes without. */
    if (bad ||
        posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)argv, b->environment + (simulated ? 0 : 1)))
        pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void end_process(pid_t pid) {
    double until = clock_seconds() + 2;
    if (pid <= 0 || waitpid(pid, NULL, WNOHANG) != 0) return;
    kill(pid, SIGTERM);
    while (waitpid(pid, NULL, WNOHANG) == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        if (clock_seconds() > until) kill(pid, SIGKILL);
    }
}

/* The exit status; -1: it was stopped, or ended by a signal. */
static int wait_for(const bed *b, pid_t pid, double seconds) {
    double until = clock_seconds() + seconds;
    int status = 0;
    if (pid <= 0) return -1;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (stopped(b) || clock_seconds() > until) {
            end_process(pid);
            return -1;
        }
        pause_briefly(b);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- one engine ---- */

static bool is_ours(const char *variable) {
    static const char *const names[] = {
        "LD_PRELOAD=", "IBSIM_SOCKNAME=", "IBSIM_SERVER_NAME=", "OSM_CACHE_DIR=", "OSM_TMP_DIR="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* Of the user's environment only what programs need to run. */
static void make_environment(bed *b, size_t index) {
    static const char *const kept[] = {"PATH=", "HOME=", "LD_LIBRARY_PATH=", "TMPDIR=", "LANG="};
    size_t count = 0;
    snprintf(b->name[0], sizeof b->name[0], "LD_PRELOAD=%s", b->tools->library);
    snprintf(b->name[1], sizeof b->name[1], "IBSIM_SOCKNAME=bough-%ld-%zu", (long)getpid(), index);
    snprintf(b->name[2], sizeof b->name[2], "OSM_CACHE_DIR=%s", b->directory);
    snprintf(b->name[3], sizeof b->name[3], "OSM_TMP_DIR=%s", b->directory);
    for (int i = 0; i < 4; i++) b->environment[count++] = b->name[i];
    for (char **v = environ; *v && count < 15; v++)
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            if (!is_ours(*v) && strncmp(*v, kept[k], strlen(kept[k])) == 0 && count < 15)
                b->environment[count++] = *v;
    b->environment[count] = NULL;
}

/* Until ibsim answers; false: it does not. */
static bool wait_for_ibsim(const bed *b, pid_t ibsim) {
    const char *const discover[] = {b->tools->program[IBNETDISCOVER], NULL};
    double until = clock_seconds() + 30;
    while (!stopped(b) && clock_seconds() < until && waitpid(ibsim, NULL, WNOHANG) == 0) {
        if (wait_for(b, start(b, discover, "discovered", true), 10) == 0) return true;
        pause_briefly(b);
    }
    return false;
}

/* The engine that made the tables is told by the log alone: OpenSM exits with 0 also if minimal hops took
 * its place. name: "" where there is none. */
static void read_log(const char *path, char *name, size_t size, char *complaint, size_t room) {
    static const char said[] = " tables configured on all switches";
    char line[1000];
    FILE *file = fopen(path, "r");
    *name = *complaint = 0;
    while (file && fgets(line, sizeof line, file)) {
        char *at = strstr(line, said), *err = strstr(line, " ERR ");
        line[strcspn(line, "\r\n")] = 0;
        if (err && !*complaint) snprintf(complaint, room, "%s", err + 1);
        if (!at) continue;
        *at = 0;
        const char *word = strrchr(line, ' ');
        snprintf(name, size, "%s", word ? word + 1 : line);
    }
    if (file) fclose(file);
}

static bough_status complain(opensm_run *run, const opensm_tables *t, const char *text, const char *more,
                             bough_error *error) {
    return bough_findings_add(&run->findings, &(bough_finding_head){BOUGH_WARN, "opensm", t->label}, error,
                              "%s%s%s", text, *more ? ": " : "", more);
}

static bough_status take_tables(opensm_run *run, const bed *b, opensm_tables *t, bough_error *error) {
    char log[600], path[600], used[40], complaint[360], text[120];
    snprintf(log, sizeof log, "%s/opensm.log", b->directory);
    snprintf(path, sizeof path, "%s/opensm-lfts.dump", b->directory);
    read_log(log, used, sizeof used, complaint, 300);
    if (!*used || access(path, R_OK) != 0)
        return complain(run, t, "OpenSM made no tables with this engine", complaint, error);
    bough_status status = arena_copy(t->memory, &t->path, path, error);
    if (status) return status;
    if (strcmp(used, t->engine) == 0) return BOUGH_OK;
    snprintf(text, sizeof text, "OpenSM's %.20s could not route this fabric, and %.20s took its place",
             t->engine, used);
    status = arena_printf(t->memory, &t->label, error, "%s (gave up: %s)", t->label, used);
    if (status) return status;
    if (*complaint && !has_roots(t) && strcmp(t->engine, "ftree") == 0) {
        size_t length = strlen(complaint);
        snprintf(complaint + length, sizeof complaint - length,
                 "; --opensm-roots FILE names the roots to it");
    }
    return complain(run, t, text, complaint, error);
}

static bough_status run_engine(opensm_run *run, bed *b, opensm_tables *t, bough_error *error) {
    char netlist[600], log[600], options[600];
    snprintf(netlist, sizeof netlist, "%s/fabric.net", run->directory);
    snprintf(log, sizeof log, "%s/opensm.log", b->directory);
    snprintf(options, sizeof options, "%s/opensm.conf", b->directory);
    bough_status status = bough_output_write(options, "", 0, error);
    if (status) return status;
    /* Its own limits are 2048 nodes, 256 switches. */
    const char *const ibsim[] = {
        b->tools->program[IBSIM], "-s", "-N", "65536", "-S", "8192", "-P", "524288", "-n", netlist, NULL};
    const char *opensm[11 + OPENSM_OPTIONS + 1] = {
        b->tools->program[OPENSM], "-o", "-F", options, "-f", log, "-D", "0x43", "-R", t->engine};
    for (size_t i = 0; i < t->options; i++) opensm[10 + i] = t->option[i];
    pid_t pid = start(b, ibsim, "ibsim.log", false);
    bool alive = pid > 0 && wait_for_ibsim(b, pid);
    if (alive) wait_for(b, start(b, opensm, "opensm.out", true), OPENSM_SECONDS);
    if (alive || stopped(b)) end_process(pid);
    if (stopped(b)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
    if (!alive) {
        end_process(pid);
        return complain(run, t, "ibsim did not take the fabric", "", error);
    }
    return take_tables(run, b, t, error);
}

/* ---- all of it ---- */

static bough_status make_directory(opensm_run *run, bough_error *error) {
    const char *root = getenv("TMPDIR");
    bough_text path = {0};
    bough_text_printf(&path, "%s/bough-opensm.XXXXXX", root && *root ? root : "/tmp");
    char *directory = NULL;
    bough_status status = bough_text_keep(&path, &run->memory, &directory, error);
    if (status) return status;
    if (strlen(directory) > 300 || !mkdtemp(directory))
        return bough_fail(error, BOUGH_IO, directory, "cannot be made: %s", strerror(errno));
    run->directory = realpath(directory, NULL); /* the programs run in another one */
    return run->directory ? BOUGH_OK : bough_fail_memory(error, strlen(directory));
}

static bough_status write_netlist(const opensm_run *run, const bough_net *net, bough_error *error) {
    const bough_format *format = bough_formats;
    char path[600], *data = NULL;
    bough_text text = {0};
    while (format->name && (strcmp(format->name, "net") != 0 || !format->write)) format++;
    bough_status status = format->name ? format->write(net, &text, error)
                                       : bough_fail(error, BOUGH_UNSUPPORTED, NULL, "no netlists");
    if (status) bough_text_fini(&text);
    TRY(bough_text_finish(&text, &data, error));
    snprintf(path, sizeof path, "%s/fabric.net", run->directory);
    TRY(bough_output_write(path, data, strlen(data), error));
    free(data);
    return status;
}

/* ---- GUIDs of names ---- */

/* Appends the GUID of a line, which is a GUID or a name. roots: of switches; else of ports of endpoints. */
static bough_status put_guid(scanner *s, const bough_net *net, bool roots, bough_text *out) {
    const scanner line = *s;
    char word[200] = "", name[200];
    uint64_t guid;
    scan_blanks(s);
    if (scan_done(s) || *s->at == '#') return BOUGH_OK;
    size_t length = (size_t)(s->stop - s->at);
    while (length && strchr(" \t\r", s->at[length - 1])) length--;
    snprintf(name, sizeof name, "%.*s", (int)length, s->at);
    scan_next(s, " \t\r#", word, sizeof word);
    if (!net_guid_read(word, strlen(word), &guid)) {
        const uint64_t node = net_node_named(net, name);
        if (node == BOUGH_NONE || bough_is_switch(net, node) != roots)
            return scan_fail(&line, "'%.60s' is neither a GUID nor the name of %s", name,
                             roots ? "a switch" : "an endpoint");
        guid = net_port_guid(net, node);
    }
    bough_text_printf(out, "0x%016" PRIx64 "\n", guid);
    return BOUGH_OK;
}

/* Replaces the file of an option by one of GUIDs alone. */
static bough_status make_list(const opensm_run *run, const bough_net *net, opensm_tables *t, size_t i,
                              bough_error *error) {
    const bool roots = strcmp(t->option[i - 1], "-a") == 0;
    bough_input input;
    bough_text guids = {0}, path = {0};
    char *made = NULL;
    bough_status status = bough_input_read(t->option[i], &input, error);
    if (status) return status;
    for (size_t k = 0; k < input.count && !status; k++) {
        scanner s = scan_piece(&input.piece[k], error);
        while (!status && scan_line(&s)) status = put_guid(&s, net, roots, &guids);
    }
    bough_input_fini(&input);
    bough_text_printf(&path, "%s/%zu.%zu.guids", run->directory, (size_t)(t - run->item), i);
    TRY(bough_text_keep(&path, t->memory, &made, error));
    TRY(bough_output_write_text(made, &guids, error));
    bough_text_fini(&path);
    bough_text_fini(&guids);
    t->option[i] = made;
    return status;
}

static bough_status make_lists(const opensm_run *run, const bough_net *net, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t e = 0; e < run->count; e++)
        for (size_t i = 1; i < run->item[e].options && !status; i += 2)
            if (run->item[e].is_list[i]) status = make_list(run, net, &run->item[e], i, error);
    return status;
}

static bough_status route_all(opensm_run *run, const programs *tools, bough_error *error) {
    bough_status status = BOUGH_OK;
    size_t made = 0;
    for (size_t i = 0; i < run->count && !status; i++) {
        char directory[400];
        bed b = {.tools = tools,
                 .stop = run->stop,
                 .phase = "OpenSM routes in ibsim",
                 .share = (double)i / (double)run->count,
                 .directory = directory};
        snprintf(directory, sizeof directory, "%s/%zu-%.20s", run->directory, i, run->item[i].engine);
        if (mkdir(directory, 0700) != 0)
            return bough_fail(error, BOUGH_IO, directory, "cannot be made: %s", strerror(errno));
        make_environment(&b, i);
        status = run_engine(run, &b, &run->item[i], error);
        made += run->item[i].path != NULL;
    }
    if (!status && !made)
        status = bough_fail(error, BOUGH_FAILED, "--opensm", "no engine made tables: %s",
                            run->findings.count ? run->findings.item[0].text : "");
    return status;
}

bough_status opensm_route(opensm_run *run, const bough_net *net, bough_error *error) {
    programs tools;
    if (!net->fabric)
        return bough_fail(error, BOUGH_UNSUPPORTED, "--opensm",
                          "takes a fabric file, and %s is none; `bough net %s -o tree.net` writes one",
                          net->spec, net->spec);
    bough_status status = find_tools(&tools, error);
    TRY(make_directory(run, error));
    TRY(write_netlist(run, net, error));
    TRY(make_lists(run, net, error));
    if (status) return status;
    return route_all(run, &tools, error);
}

/* Links are removed, not followed. */
static void remove_directory(const char *path) {
    DIR *directory = opendir(path);
    for (struct dirent *e; directory && (e = readdir(directory));) {
        char inner[1000];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (unlink(inner) != 0 && (errno == EISDIR || errno == EPERM)) remove_directory(inner);
    }
    if (directory) closedir(directory);
    rmdir(path);
}

void opensm_fini(opensm_run *run) {
    if (run->directory) remove_directory(run->directory);
    arena_fini(&run->memory);
    free(run->directory);
    bough_findings_fini(&run->findings);
    *run = (opensm_run){0};
}
