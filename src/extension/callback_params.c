#include "extension/callbacks.h"

#include "base/memory/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    bough_ext_type ext;
    bough_type type;
} types[] = {
    {BOUGH_EXT_INT, BOUGH_INT},     {BOUGH_EXT_REAL, BOUGH_REAL}, {BOUGH_EXT_SHARE, BOUGH_SHARE},
    {BOUGH_EXT_FLAG, BOUGH_FLAG},   {BOUGH_EXT_TEXT, BOUGH_TEXT}, {BOUGH_EXT_CHOICE, BOUGH_CHOICE},
    {BOUGH_EXT_BYTES, BOUGH_BYTES}, {BOUGH_EXT_TIME, BOUGH_TIME}, {BOUGH_EXT_RATE, BOUGH_RATE},
};
enum { TYPES = sizeof types / sizeof *types };

static bool set_type(const bough_ext_param *given, bough_param *p) {
    for (int i = 0; i < TYPES; i++) {
        if (types[i].ext != given->type) continue;
        p->type = types[i].type;
        return true;
    }
    return false;
}

static bough_status convert(const callback_head *h, const bough_ext_param *given, bough_param *p,
                            bough_error *error) {
    *p = (bough_param){.key = given->key,
                       .summary = given->summary ? given->summary : "",
                       .fallback = given->fallback,
                       .min = given->low,
                       .max = given->high,
                       .choices = given->choices,
                       .echo = !given->fallback};
    if (!set_type(given, p))
        return bough_fail(error, BOUGH_INVALID, h->name, "parameter %s has no type of bough_ext_type",
                          given->key);
    if (given->type == BOUGH_EXT_CHOICE && !given->choices)
        return bough_fail(error, BOUGH_INVALID, h->name, "parameter %s has no choices", given->key);
    return BOUGH_OK;
}

/* Keys are words of specs, once each. */
static bool is_key(const bough_ext_param *params, size_t i) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *key = params[i].key;
    bool good = *key && strspn(key, letters) == strlen(key);
    for (size_t k = 0; k < i; k++) good = good && strcmp(params[k].key, key) != 0;
    return good;
}

static size_t count_params(const bough_ext_param *params) {
    size_t count = 0;
    while (params && params[count].key) count++;
    return count;
}

static bough_status check_head(const callback_head *h, bough_error *error) {
    if (h->size != h->expected)
        return bough_fail(error, BOUGH_INVALID, h->what,
                          "the descriptor has size %zu; it must be sizeof(bough_ext_%s), %zu", h->size,
                          h->what, h->expected);
    if (!h->name || !h->summary)
        return bough_fail(error, BOUGH_INVALID, h->what, "the descriptor needs a name and a summary");
    if (count_params(h->params) >= BOUGH_PARAM_MAX)
        return bough_fail(error, BOUGH_INVALID, h->name, "more than %d parameters", BOUGH_PARAM_MAX - 1);
    return BOUGH_OK;
}

bough_status callback_params(const callback_head *head, bough_param **params, bough_error *error) {
    *params = NULL;
    bough_status status = check_head(head, error);
    if (status) return status;
    size_t count = count_params(head->params);
    status = bough_alloc(params, count + 1, sizeof **params, error);
    for (size_t i = 0; i < count && !status; i++)
        if (!is_key(head->params, i))
            status = bough_fail(
                error, BOUGH_INVALID, head->name,
                "the key of parameter %zu is given twice, or is no word of letters, digits, _ and -", i + 1);
    for (size_t i = 0; i < count && !status; i++)
        status = convert(head, &head->params[i], &(*params)[i], error);
    if (!status) return BOUGH_OK;
    free(*params);
    *params = NULL;
    return status;
}

void callback_begin(bough_error *error) {
    if (error) *error = (bough_error){.status = BOUGH_OK};
}

bough_status callback_end(const char *name, bough_status status, bough_error *error) {
    if (!status) return BOUGH_OK;
    if ((int)status < 0 || status > BOUGH_INTERRUPTED)
        return bough_fail(error, BOUGH_FAILED, name, "its code returned %d, which is no status", (int)status);
    if (status == BOUGH_INTERRUPTED) return bough_fail(error, status, NULL, "interrupted");
    if (error && error->status != status)
        return bough_fail(error, status, name, "its code failed (%s) without a reason",
                          bough_status_text(status));
    return status;
}

void callback_values(const bough_args *args, bough_ext_value value[BOUGH_PARAM_MAX]) {
    for (unsigned i = 0; i < BOUGH_PARAM_MAX && args->params[i].key; i++) {
        const bough_value *v = &args->value[i];
        value[i] = (bough_ext_value){v->integer, v->real, v->text};
    }
}
