#include "cli/cli.h"

#include "base/files/output.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/escape.h"
#include "base/text/spec.h"
#include "base/text/text.h"
#include "bough.h"
#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80 };

/* Prints the words of a text from a column on; later lines start at indent. Returns the column where it
 * ends. */
static size_t fold(const char *text, size_t length, size_t column, size_t indent) {
    for (const char *c = text, *end = text + length; c < end;) {
        size_t word = 0;
        while (c + word < end && c[word] != ' ' && c[word] != '\n') word++;
        bool first = column == indent;
        if (word && !first && column + 1 + word > WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        if (word) column += (size_t)printf("%s%.*s", first ? "" : " ", (int)word, c);
        c += word + (c + word < end);
    }
    return column;
}

/* Lines that start with a blank are kept; other lines form paragraphs, which end with a full stop. */
static void print_notes(const char *text) {
    size_t column = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        bool plain = length && *text != ' ';
        if (!plain && column) column = 0, putchar('\n');
        if (plain)
            column = fold(text, length, column, 0);
        else
            printf("%.*s\n", (int)length, text);
        if (plain && text[length - 1] == '.') column = 0, putchar('\n');
        text += length + (text[length] == '\n');
    }
    if (column) putchar('\n');
}

/* The i-th of a group of options; counts *i down by those that it has. */
static const question_key *at_group(const question_key *group, size_t *i) {
    for (const question_key *o = group; o && o->name && (o == group || !o->after); o++)
        if ((*i)-- == 0) return o;
    return NULL;
}

/* The options that stand behind a key; NULL: none. */
static const question_key *group_after(const question_key *options, const char *key) {
    for (; options && options->name; options++)
        if (options->after && strcmp(options->after, key) == 0) return options;
    return NULL;
}

/* The i-th option of the command, without those of every command. */
static const question_key *own_option(const cli_usage *usage, size_t *i) {
    const question_key *options = usage->options, *found = NULL;
    if (options && !options->after) found = at_group(options, i);
    for (const question_key *k = usage->keys; k && k->name && !found; k++) {
        if (k->flags & KEY_PROGRAM) continue;
        if ((*i)-- == 0) return k;
        found = at_group(group_after(options, k->name), i);
    }
    return found;
}

const question_key *cli_option_at(const cli_usage *usage, size_t i) {
    static const question_key common[] = {
        {"plugin", 0, "FILE", "add the names of a plug-in: a shared object made with bough-ext.h", KEY_REPEAT,
         "FILE"},
        {"help", 'h', NULL, "this help", 0},
    };
    const question_key *own = own_option(usage, &i);
    return own ? own : i < sizeof common / sizeof *common ? &common[i] : NULL;
}

static void print_option(const question_key *o) {
    char left[64], letter[8] = "";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    size_t column = (size_t)printf("  %-24s ", left);
    fold(o->help, strlen(o->help), column, column);
    putchar('\n');
}

/* By its name, or by its letter where that is not 0. */
static const question_key *find_option(const cli_usage *usage, const char *name, size_t length, char letter) {
    const question_key *o;
    for (size_t i = 0; (o = cli_option_at(usage, i)); i++)
        if (letter ? o->letter == letter : strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

/* Whether a list of words, joined by blanks, has this one. */
static bool has_word(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncmp(at, word, length) == 0) return true;
    return false;
}

static bool is_grouped(const cli_help_group *group, const char *name) {
    for (; group && group->title; group++)
        if (has_word(group->names, name)) return true;
    return false;
}

static void print_group(const cli_usage *usage, const cli_help_group *group) {
    printf("\n%s:\n", group->title);
    for (const char *at = group->names; *at; at += strcspn(at, " "), at += *at == ' ') {
        const question_key *o = find_option(usage, at, strcspn(at, " "), 0);
        if (o) print_option(o);
    }
}

static void print_help(const cli_usage *usage) {
    const question_key *o;
    size_t column = (size_t)printf("usage: bough %s", usage->command);
    fold(usage->synopsis, strlen(usage->synopsis), column, 8);
    printf("\n\n%s\n", usage->summary);
    for (const cli_help_group *g = usage->groups; g && g->title; g++) print_group(usage, g);
    printf("\n%s:\n", usage->groups ? "every command" : "options");
    for (size_t i = 0; (o = cli_option_at(usage, i)); i++)
        if (!is_grouped(usage->groups, o->name)) print_option(o);
    if (usage->notes) putchar('\n'), print_notes(usage->notes);
}

static int unknown_option(const cli_usage *usage, const char *given, size_t length) {
    const char *names[CLI_OPTION_MAX + 1];
    size_t count = 0;
    names[count++] = "help";
    const question_key *o;
    for (size_t at = 0; count <= CLI_OPTION_MAX && (o = own_option(usage, &at)); at = count - 1)
        names[count++] = o->name;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, given);
    const char *near = bough_suggest(word, names, count);
    if (near) return cli_wrong(usage->command, "unknown option '--%s' (did you mean '--%s'?)", word, near);
    return cli_wrong(usage->command, "unknown option '--%s'", word);
}

/* Takes one option at argv[*i]; its value may be the next word. Returns 0, or the exit status. */
static int take_option(const cli_usage *usage, int argc, char **argv, int *i, cli_args *args) {
    const char *word = argv[*i], *value = NULL;
    const question_key *option = NULL;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        option = find_option(usage, word + 2, length, 0);
        if (!option) return unknown_option(usage, word + 2, length);
        if (word[2 + length]) value = word + 3 + length;
    } else {
        option = find_option(usage, NULL, 0, word[1]);
        if (!option) return cli_wrong(usage->command, "unknown option '-%c'", word[1]);
        if (word[2]) value = word + 2;
    }
    if (!option->argument && value) return cli_wrong(usage->command, "--%s takes no value", option->name);
    if (option->argument && !value) {
        if (*i + 1 >= argc)
            return cli_wrong(usage->command, "--%s needs a value: --%s %s", option->name, option->name,
                             option->argument);
        value = argv[++*i];
    }
    if (!(option->flags & KEY_REPEAT) && cli_has(args, option->name))
        return cli_wrong(usage->command, "--%s is given twice", option->name);
    args->given.item[args->given.count++] = (key_setting){option, value ? value : ""};
    return 0;
}

bough_status cli_load_listed(bough_registry *registry, const char *list, bough_error *error) {
    bough_status status = BOUGH_OK;
    while (list && *list && !status) {
        size_t length = strcspn(list, ":");
        bough_text path = {0};
        bough_text_add(&path, list, length);
        if (path.failed) status = bough_fail_memory(error, length);
        if (length) TRY(bough_registry_load(registry, path.data, error));
        bough_text_fini(&path);
        list += length + (list[length] == ':');
    }
    return status;
}

/* Those of the environment and those of the command line. */
static bough_status load_plugins(cli_args *args, bough_error *error) {
    const char *list = getenv("BOUGH_PLUGINS");
    if (!(list && *list) && !cli_has(args, "plugin")) return BOUGH_OK;
    bough_status status = bough_registry_create(&args->registry, error);
    TRY(cli_load_listed(args->registry, list, error));
    for (size_t i = 0; cli_value_at(args, "plugin", i) && !status; i++)
        status = bough_registry_load(args->registry, cli_value_at(args, "plugin", i), error);
    return status;
}

/* Two options that write one file: the second would replace what the first wrote. */
static int check_written(const cli_args *args) {
    const key_setting *given = args->given.item;
    for (size_t i = 0; i < args->given.count; i++)
        for (size_t k = 0; k < i; k++)
            if (given[i].key->flags & given[k].key->flags & KEY_WRITES &&
                strcmp(given[i].value, given[k].value) == 0 && !bough_output_is_device(given[i].value))
                return cli_wrong(args->usage->command, "--%s and --%s name the same file, %s",
                                 given[k].key->name, given[i].key->name, given[i].value);
    return CLI_GO;
}

int cli_parse(const cli_usage *usage, int argc, char **argv, cli_args *args) {
    size_t words = (size_t)argc + 1;
    bough_error error = {0};
    *args = (cli_args){.usage = usage, .given.command = true};
    bough_status status = bough_alloc(&args->positional, words, sizeof *args->positional, &error);
    TRY(bough_alloc(&args->given.item, words, sizeof *args->given.item, &error));
    int code = status ? cli_fail(&error) : CLI_GO;
    bool options = true;
    cli_progress_begin();
    for (int i = 1; i < argc && code == CLI_GO; i++) {
        const char *word = argv[i];
        if (options && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            print_help(usage);
            code = 0;
        } else if (options && strcmp(word, "--") == 0) {
            options = false;
        } else if (options && word[0] == '-' && word[1]) { /* a lone - is standard input */
            int wrong = take_option(usage, argc, argv, &i, args);
            if (wrong) code = wrong;
        } else {
            args->positional[args->positionals++] = word;
        }
    }
    if (code == CLI_GO) code = check_written(args);
    if (code == CLI_GO && load_plugins(args, &error)) code = cli_fail(&error);
    if (code != CLI_GO) cli_args_fini(args);
    return code;
}

void cli_args_fini(cli_args *args) {
    bough_registry_destroy(args->registry);
    FREE_ALL(args->positional, args->given.item);
    *args = (cli_args){0};
}

const char *cli_value_at(const cli_args *args, const char *name, size_t i) {
    for (size_t k = 0; k < args->given.count; k++)
        if (strcmp(args->given.item[k].key->name, name) == 0 && i-- == 0) return args->given.item[k].value;
    return NULL;
}

const char *cli_value(const cli_args *args, const char *name) {
    return keys_value(&args->given, name);
}

bool cli_has(const cli_args *args, const char *name) {
    return cli_value(args, name) != NULL;
}

void cli_put_options(bough_text *out, const cli_args *args, const question_key *table) {
    for (size_t i = 0; i < args->given.count; i++) {
        const key_setting *s = &args->given.item[i];
        if (!keys_find(table, s->key->name)) continue;
        bough_text_printf(out, " --%s", s->key->name);
        if (!s->key->argument) continue;
        bough_text_put(out, " ");
        bough_text_put_word(out, s->value);
    }
}

bough_status cli_integer(const cli_args *args, const char *name, cli_range range, uint64_t *value,
                         bough_error *error) {
    const char *text = cli_value(args, name);
    if (!text) return BOUGH_OK;
    char what[48];
    snprintf(what, sizeof what, "--%s", name);
    return bough_parse_between(text, what, range, value, error);
}
