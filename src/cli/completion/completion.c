/* bough --complete WORD...: completes the last word for a shell. The words follow `bough`.
 *
 * The first line is the part of the last word that stays; then a line for each candidate that may follow it:
 * a letter, the candidate, its summary, separated by tabs. Letters: w, the word is complete with it; p, it
 * may go on; f and d, names of files and of directories, which the shell knows. Nothing is an error: a word
 * that cannot be completed has no candidates. */
#include "cli/cli.h"
#include "cli/completion/candidates.h"
#include "report/catalogue/catalogue.h"

#include <stdio.h>
#include <string.h>

/* What the words before the last one are. */
typedef struct place {
    const cli_usage *usage;
    const char *const *word; /* those after the command, without the last one */
    size_t words;
    size_t operand[8], operands; /* indices of words; more than these do not matter */
    const cli_option *pending;   /* the last word is the value of this option; else NULL */
    bool ended;                  /* by -- */
} place;

static const cli_option *option_among(const cli_option *o, const char *word) {
    size_t length = word[1] == '-' ? strcspn(word + 2, "=") : 1;
    for (; o->name; o++) {
        bool named = strlen(o->name) == length && strncmp(o->name, word + 2, length) == 0;
        if (word[1] == '-' ? named : o->letter == word[1]) return o;
    }
    return NULL;
}

static const cli_option *option_of(const cli_usage *usage, const char *word) {
    const cli_option *o = option_among(usage->options, word);
    return o ? o : option_among(cli_common_options, word);
}

static bool has_value(const char *word) {
    return word[1] == '-' ? strchr(word, '=') != NULL : word[2] != 0;
}

static void read_words(place *p) {
    for (size_t i = 0; i < p->words; i++) {
        const char *word = p->word[i];
        if (p->pending) {
            p->pending = NULL;
        } else if (!p->ended && strcmp(word, "--") == 0) {
            p->ended = true;
        } else if (!p->ended && word[0] == '-' && word[1]) {
            const cli_option *o = option_of(p->usage, word);
            if (o && o->argument && !has_value(word)) p->pending = o;
        } else if (p->operands < sizeof p->operand / sizeof *p->operand) {
            p->operand[p->operands++] = i;
        }
    }
}

static bool is_used(const place *p, const cli_option *option) {
    for (size_t i = 0; i < p->words; i++)
        if (p->word[i][0] == '-' && p->word[i][1] && option_of(p->usage, p->word[i]) == option) return true;
    return false;
}

static void add_options(candidates *c, const place *p, const cli_option *o) {
    char text[64];
    for (; o->name; o++) {
        if (!(o->flags & CLI_REPEAT) && is_used(p, o)) continue;
        snprintf(text, sizeof text, "--%s", o->name);
        candidates_add(c, text, o->help, true);
    }
}

/* Faults are joined by +, lists by commas; what comes before the last one stays. */
static void add_option_value(candidates *c, const cli_option *o) {
    const char *value = c->word + c->kept, *last = NULL;
    if (o->flags & CLI_LIST) last = strrchr(value, ',');
    if (o->values && strcmp(o->values, "FAULTS") == 0) last = strrchr(value, '+');
    c->open = c->open || (o->flags & CLI_LIST);
    if (last) c->kept = (size_t)(last + 1 - c->word);
    candidates_add_values(c, o->values, NULL);
}

/* Whether one of the operands from the i-th on is a spec of this kind: a name has one kind. */
static bool is_given(const candidates *c, const place *p, size_t i, const catalogue_kind *kind) {
    for (; i < p->operands; i++)
        if (candidates_is_spec(c, p->word[p->operand[i]], kind)) return true;
    return false;
}

/* Whether the i-th operand may stand at place `at`. One that may be missing leaves its place to the next, and
 * may come after it: bough sim NETWORK METHOD TRAFFIC. */
static bool may_stand(const candidates *c, const place *p, size_t i) {
    const cli_operand *o = p->usage->operands;
    size_t at = p->operands;
    if (i == at) return true;
    if (!(o[i].flags & CLI_REPEAT)) {
        const catalogue_kind *kind = candidates_kind(o[i].values);
        return i < at && (o[i].flags & CLI_OPTIONAL) && kind && !is_given(c, p, i, kind);
    }
    return i < at || (o[i - 1].flags & CLI_OPTIONAL && i - 1 == at);
}

static void add_operands(candidates *c, const place *p) {
    const cli_operand *o = p->usage->operands;
    const char *kind = p->operands ? p->word[p->operand[0]] : NULL;
    size_t kept = c->kept;
    for (size_t i = 0; o[i].name && c->kept == kept; i++) /* no other operand once one has the word's name */
        if (may_stand(c, p, i)) candidates_add_values(c, o[i].values, kind);
}

static void add_commands(candidates *c) {
    for (const cli_command *k = cli_commands; k->usage; k++)
        candidates_add(c, k->usage->command, k->summary, true);
    candidates_add(c, "--help", "the commands", true);
    candidates_add(c, "--version", "the version", true);
}

static void complete(candidates *c, place *p) {
    read_words(p);
    if (p->pending) {
        add_option_value(c, p->pending);
    } else if (p->ended || c->word[0] != '-') {
        add_operands(c, p);
    } else if (strncmp(c->word, "--", 2) == 0 && strchr(c->word, '=')) {
        const cli_option *o = option_of(p->usage, c->word);
        c->kept = (size_t)(strchr(c->word, '=') + 1 - c->word);
        if (o && o->argument) add_option_value(c, o);
    } else {
        add_options(c, p, p->usage->options);
        add_options(c, p, cli_common_options);
    }
}

/* Loads the plug-ins of the words and of the environment, as far as they can be loaded. */
static void load_plugins(cli_args *args, int argc, char **argv) {
    enum { MOST = 16 };
    const cli_option *option[MOST];
    const char *value[MOST];
    bough_error error;
    *args = (cli_args){.value = value, .option = option};
    for (int i = 1; i + 1 < argc && args->values < MOST; i++) {
        bool next = strcmp(argv[i], "--plugin") == 0;
        if (!next && strncmp(argv[i], "--plugin=", 9) != 0) continue;
        option[args->values] = cli_common_options;
        value[args->values++] = next ? argv[i + 1] : argv[i] + 9;
    }
    (void)cli_load_plugins(args, &error);
    *args = (cli_args){.registry = args->registry};
}

int completion_command(int argc, char **argv) {
    if (argc < 2) return 0;
    cli_args args;
    load_plugins(&args, argc, argv);
    if (argc > 2 && strncmp(argv[1], "--plugin", 8) == 0) { /* may stand before the command */
        int words = strchr(argv[1], '=') || argc == 3 ? 1 : 2;
        argc -= words, argv += words;
    }
    bough_error error = {0};
    candidates c = {.word = argv[argc - 1], .registry = args.registry};
    if (argc == 2) {
        add_commands(&c);
    } else {
        const cli_command *command = cli_find_command(argv[1]);
        place p = {command ? command->usage : NULL, (const char *const *)argv + 2, (size_t)argc - 3};
        if (command) complete(&c, &p);
    }
    bough_text out = {0};
    bough_text_add(&out, c.word, c.kept);
    bough_text_put(&out, "\n");
    bough_text_join(&out, &c.out);
    int code = cli_print_data(&out, &error) ? cli_fail(&error) : 0;
    cli_args_fini(&args);
    return code;
}
