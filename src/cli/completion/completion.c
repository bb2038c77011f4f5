/* bough --complete WORD...: completes the last word for a shell. The words follow `bough`.
 *
 * The first line is the part of the last word that stays; then a line for each candidate that may follow it:
 * a letter, the candidate, its summary, separated by tabs. Letters: w, the word is complete with it; p, it
 * may go on; f and d, names of files and of directories, which the shell knows. Nothing is an error: a word
 * that cannot be completed has no candidates. */
#include "bough.h"
#include "cli/cli.h"
#include "cli/completion/candidates.h"
#include "report/catalogue/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the words before the last one are. */
typedef struct place {
    const cli_usage *usage;
    const char *const *word; /* those after the command, without the last one */
    size_t words;
    size_t operand[8], operands; /* indices of words; more than these do not matter */
    const question_key *pending; /* the last word is the value of this option; else NULL */
    bool ended;                  /* by -- */
} place;

static const question_key *option_of(const cli_usage *usage, const char *word) {
    size_t length = word[1] == '-' ? strcspn(word + 2, "=") : 1;
    const question_key *o;
    for (size_t i = 0; (o = cli_option_at(usage, i)); i++) {
        bool named = strlen(o->name) == length && strncmp(o->name, word + 2, length) == 0;
        if (word[1] == '-' ? named : o->letter == word[1]) return o;
    }
    return NULL;
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
            const question_key *o = option_of(p->usage, word);
            if (o && o->argument && !has_value(word)) p->pending = o;
        } else if (p->operands < sizeof p->operand / sizeof *p->operand) {
            p->operand[p->operands++] = i;
        }
    }
}

static bool is_used(const place *p, const question_key *option) {
    for (size_t i = 0; i < p->words; i++)
        if (p->word[i][0] == '-' && p->word[i][1] && option_of(p->usage, p->word[i]) == option) return true;
    return false;
}

static void add_options(candidates *c, const place *p) {
    char text[64];
    const question_key *o;
    for (size_t i = 0; (o = cli_option_at(p->usage, i)); i++) {
        if (!(o->flags & KEY_REPEAT) && is_used(p, o)) continue;
        snprintf(text, sizeof text, "--%s", o->name);
        candidates_add(c, text, o->help, true);
    }
}

/* Faults are joined by +, lists by commas; what comes before the last one stays. */
static void add_option_value(candidates *c, const question_key *o) {
    const char *value = c->word + c->kept, *last = NULL;
    if (o->flags & KEY_LISTED) last = strrchr(value, ',');
    if (o->values && strcmp(o->values, "FAULTS") == 0) last = strrchr(value, '+');
    c->open = c->open || (o->flags & KEY_LISTED);
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
    if (!(o[i].flags & KEY_REPEAT)) {
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
        const question_key *o = option_of(p->usage, c->word);
        c->kept = (size_t)(strchr(c->word, '=') + 1 - c->word);
        if (o && o->argument) add_option_value(c, o);
    } else {
        add_options(c, p);
    }
}

/* The names of plug-ins: those of BOUGH_PLUGINS, and of --plugin before the word. One that cannot be loaded
 * adds none. */
static bough_registry *read_plugins(const place *p) {
    bough_registry *registry;
    if (bough_registry_create(&registry, NULL)) return NULL;
    cli_load_listed(registry, getenv("BOUGH_PLUGINS"), NULL);
    for (size_t i = 0; i < p->words; i++) {
        bool whole = strcmp(p->word[i], "--plugin") == 0 && i + 1 < p->words;
        if (whole || strncmp(p->word[i], "--plugin=", 9) == 0)
            bough_registry_load(registry, whole ? p->word[i + 1] : p->word[i] + 9, NULL);
    }
    return registry;
}

int completion_command(int argc, char **argv) {
    if (argc < 2) return 0;
    bough_error error = {0};
    candidates c = {.word = argv[argc - 1]};
    if (argc == 2) {
        add_commands(&c);
    } else {
        const cli_command *command = cli_find_command(argv[1]);
        place p = {command ? command->usage : NULL, (const char *const *)argv + 2, (size_t)argc - 3};
        bough_registry *registry = command ? read_plugins(&p) : NULL;
        c.registry = registry;
        if (command) complete(&c, &p);
        bough_registry_destroy(registry);
    }
    bough_text out = {0};
    bough_text_add(&out, c.word, c.kept);
    bough_text_put(&out, "\n");
    bough_text_join(&out, &c.out);
    return cli_print_data(&out, &error) ? cli_fail(&error) : 0;
}
