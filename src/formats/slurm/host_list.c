/* The number of a name are its last digits; what stands before is the prefix. Names of one prefix share a
 * bracket, and consecutive numbers a range, if the numbers are written alike: 9 and 10, 09 and 10, but not 9
 * and 010. */
#include "formats/slurm/host_list.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DIGITS_MAX = 18 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bough_status host_list_add(host_list *list, const char *place, bough_slice name, bough_error *error) {
    if (list->count >= HOST_LIST_MAX || list->bytes + name.length >= HOST_LIST_BYTES)
        return bough_fail(error, BOUGH_TOO_LARGE, place,
                          "lists more than %" PRIu32 " names, or %d MiB of them", HOST_LIST_MAX,
                          (int)(HOST_LIST_BYTES >> 20));
    bough_status status = arena_grow(&list->memory, &list->name, list->count + 1, sizeof *list->name, error);
    TRY(arena_copy_bytes(&list->memory, &list->name[list->count], name.text, name.length, error));
    list->count += !status;
    list->bytes += name.length + 1;
    return status;
}

/* ---- expressions ---- */

/* One name of an expression while its brackets are filled in. */
typedef struct expansion {
    host_list *list;
    const char *place;
    bough_slice text; /* for messages */
    char name[2 * HOST_NAME_MAX_];
    size_t length;
    unsigned brackets;
    bough_error *error;
} expansion;

static bough_status fail(const expansion *x, const char *what) {
    return bough_fail(x->error, BOUGH_INVALID, x->place, "hostlist '%s': %s; expected names as node[001-016]",
                      bough_shown(x->text, (char[48]){0}, 48), what);
}

static bough_status put(expansion *x, const char *text, size_t length) {
    if (x->length + length > HOST_NAME_MAX_) return fail(x, "a name is longer than 63 bytes");
    memcpy(x->name + x->length, text, length);
    x->length += length;
    return BOUGH_OK;
}

static bough_status expand_rest(expansion *x, bough_slice rest);

/* A number of a range; false if it is none. */
static bool read_number(bough_slice *text, uint64_t *value, size_t *width) {
    for (*value = 0, *width = 0; *width < text->length && is_digit(text->text[*width]); ++*width)
        if (*width < DIGITS_MAX) *value = 10 * *value + (uint64_t)(text->text[*width] - '0');
    text->text += *width;
    text->length -= *width;
    return *width > 0 && *width <= DIGITS_MAX;
}

/* "001-016" or "020", before what follows the bracket. */
static bough_status expand_range(expansion *x, bough_slice range, bough_slice rest) {
    uint64_t from, to;
    size_t width, width_to, length = x->length;
    bough_status status = BOUGH_OK;
    if (!read_number(&range, &from, &width)) return fail(x, "a range is not a number");
    to = from;
    if (range.length && *range.text == '-') {
        range = (bough_slice){range.text + 1, range.length - 1};
        if (!read_number(&range, &to, &width_to)) return fail(x, "a range has no second number");
    }
    if (range.length) return fail(x, "a range is not a number");
    if (to < from) return fail(x, "a range falls");
    if (to - from >= HOST_LIST_MAX) return fail(x, "a range has more than 1048576 names");
    for (uint64_t n = from; n <= to && !status; n++) {
        char number[32];
        int digits = snprintf(number, sizeof number, "%0*" PRIu64, (int)width, n);
        x->length = length;
        status = put(x, number, (size_t)digits);
        TRY(expand_rest(x, rest));
    }
    x->length = length;
    return status;
}

/* The ranges of a bracket; `rest` follows it. */
static bough_status expand_bracket(expansion *x, bough_slice inside, bough_slice rest) {
    bough_status status = BOUGH_OK;
    if (++x->brackets > HOST_LIST_BRACKETS) return fail(x, "a name has more than 8 brackets");
    for (bool more = true; more && !status;) {
        const char *comma = memchr(inside.text, ',', inside.length);
        size_t length = comma ? (size_t)(comma - inside.text) : inside.length;
        status = expand_range(x, (bough_slice){inside.text, length}, rest);
        more = comma != NULL;
        if (more) inside = (bough_slice){comma + 1, inside.length - length - 1};
    }
    x->brackets--;
    return status;
}

/* Completes the name by what follows: text, then perhaps a bracket and more. */
static bough_status expand_rest(expansion *x, bough_slice rest) {
    size_t length = x->length;
    const char *open = memchr(rest.text, '[', rest.length);
    size_t before = open ? (size_t)(open - rest.text) : rest.length;
    if (memchr(rest.text, ']', before)) return fail(x, "] without [");
    bough_status status = put(x, rest.text, before);
    if (!status && open) {
        const char *close = memchr(open, ']', rest.length - before);
        if (!close) return fail(x, "[ without ]");
        const char *end = rest.text + rest.length;
        status = expand_bracket(x, (bough_slice){open + 1, (size_t)(close - open - 1)},
                                (bough_slice){close + 1, (size_t)(end - close - 1)});
    } else if (!status) {
        status = x->length ? host_list_add(x->list, x->place, (bough_slice){x->name, x->length}, x->error)
                           : fail(x, "a name is empty");
    }
    x->length = length;
    return status;
}

/* The length up to the next comma that is in no bracket. */
static size_t token_length(bough_slice text) {
    size_t i = 0;
    for (bool inside = false; i < text.length && (inside || text.text[i] != ','); i++)
        inside = text.text[i] == '[' || (inside && text.text[i] != ']');
    return i;
}

bough_status host_list_expand(host_list *list, const char *place, bough_slice text, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (bool more = true; more && !status;) {
        expansion x = {.list = list, .place = place, .text = text, .error = error};
        size_t length = token_length(text);
        status = expand_rest(&x, (bough_slice){text.text, length});
        more = length < text.length;
        text = more ? (bough_slice){text.text + length + 1, text.length - length - 1} : text;
    }
    return status;
}

/* ---- names ---- */

bool host_name_fits(const char *name) {
    size_t length = strlen(name);
    if (length == 0 || length > HOST_NAME_MAX_) return false;
    if (strcasecmp(name, "ALL") == 0 || strcasecmp(name, "DEFAULT") == 0) return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i])) return false;
    return true;
}

/* Compares the numbers at the start of both texts and moves behind them. */
static int compare_numbers(const char **a, const char *a_end, const char **b, const char *b_end) {
    const char *x = *a, *y = *b;
    while (x < a_end && *x == '0') x++;
    while (y < b_end && *y == '0') y++;
    size_t m = 0, n = 0;
    while (x + m < a_end && is_digit(x[m])) m++;
    while (y + n < b_end && is_digit(y[n])) n++;
    *a = x + m;
    *b = y + n;
    if (m != n) return m < n ? -1 : 1;
    return memcmp(x, y, m);
}

static int compare_parts(const char *a, size_t m, const char *b, size_t n) {
    const char *x = a, *y = b, *x_end = a + m, *y_end = b + n;
    while (x < x_end && y < y_end) {
        int order = is_digit(*x) && is_digit(*y) ? compare_numbers(&x, x_end, &y, y_end)
                                                 : (unsigned char)*x++ - (unsigned char)*y++;
        if (order) return order;
    }
    if (x < x_end || y < y_end) return x < x_end ? 1 : -1;
    int order = memcmp(a, b, m < n ? m : n);
    return order ? order : (m > n) - (m < n);
}

int host_name_compare(const char *a, const char *b) {
    return compare_parts(a, strlen(a), b, strlen(b));
}

/* ---- writing ---- */

typedef struct part {
    const char *name;
    size_t prefix; /* its length */
    bool numbered; /* what follows is a number: */
    uint64_t number;
    int width; /* at least so many digits; 0: as many as it needs */
} part;

static part split(const char *name) {
    size_t length = strlen(name), digits = 0;
    while (digits < length && is_digit(name[length - 1 - digits])) digits++;
    if (digits == 0 || digits > DIGITS_MAX) return (part){.name = name, .prefix = length};
    const char *number = name + length - digits;
    return (part){name, length - digits, true, strtoull(number, NULL, 10),
                  *number == '0' && digits > 1 ? (int)digits : 0};
}

static int by_prefix(const void *a, const void *b) {
    const part *x = a, *y = b;
    int order = compare_parts(x->name, x->prefix, y->name, y->prefix);
    return order ? order : (int)x->numbered - (int)y->numbered;
}

static int by_number(const void *a, const void *b) {
    const part *x = a, *y = b;
    int order = by_prefix(a, b);
    if (order) return order;
    if (x->width != y->width) return x->width < y->width ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int digits_of(uint64_t number) {
    int digits = 1;
    while (number >= 10) number /= 10, digits++;
    return digits;
}

/* Numbers without leading zeros that are as long as padded ones count as padded: 099, 100. */
static void match_widths(part *p, size_t count) {
    bool used[DIGITS_MAX + 1] = {false};
    for (size_t i = 0; i < count; i++) used[p[i].width] = true;
    for (size_t i = 0; i < count; i++) {
        int width = digits_of(p[i].number);
        if (!p[i].numbered || p[i].width) continue;
        while (width && !used[width]) width--;
        p[i].width = width;
    }
}

static void put_ranges(bough_text *out, const part *p, size_t count) {
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && p[next].width == p[i].width; next++)
            if (p[next].number != p[next - 1].number + 1) break;
        bough_text_printf(out, "%s%0*" PRIu64, i ? "," : "", p[i].width, p[i].number);
        if (next > i + 1) bough_text_printf(out, "-%0*" PRIu64, p[i].width, p[next - 1].number);
    }
}

/* Names of one prefix. */
static void put_prefix(bough_text *out, const part *p, size_t count) {
    bool bracket = p->numbered && count > 1;
    bough_text_add(out, p->name, p->prefix);
    if (bracket) bough_text_put(out, "[");
    if (p->numbered) put_ranges(out, p, count);
    if (bracket) bough_text_put(out, "]");
}

/* Sorted names, once each. */
static size_t unique(part *p, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || by_number(&p[i], &p[kept - 1]) != 0) p[kept++] = p[i];
    return kept;
}

static bough_status put_names(bough_text *out, const char *const *name, size_t count, bool sorted,
                              bough_error *error) {
    part *p = NULL;
    bough_status status = bough_alloc(&p, count, sizeof *p, error);
    if (status) return status;
    for (size_t i = 0; i < count; i++) p[i] = split(name[i]);
    if (sorted && count) {
        qsort(p, count, sizeof *p, by_number);
        count = unique(p, count);
    }
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && by_prefix(&p[i], &p[next]) == 0;) next++;
        match_widths(p + i, next - i);
        if (sorted) qsort(p + i, next - i, sizeof *p, by_number);
        if (i) bough_text_put(out, ",");
        put_prefix(out, p + i, next - i);
    }
    free(p);
    return out->failed ? bough_fail_memory(error, out->length) : BOUGH_OK;
}

bough_status host_list_put(bough_text *out, const char *const *name, size_t count, bough_error *error) {
    return put_names(out, name, count, true, error);
}

bough_status host_list_put_in_order(bough_text *out, const char *const *name, size_t count,
                                    bough_error *error) {
    return put_names(out, name, count, false, error);
}
