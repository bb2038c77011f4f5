#include "bough/plan.h"

#include "base/files/input.h"
#include "base/status/try.h"
#include "base/text/csv_line.h"
#include "bough/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PRICE_MOST 1e15 /* costs of all that fits stay numbers */

/* Copies a cell into word; refused as `what` if it does not fit, or is no text. */
static bough_status take_word(const csv_cell *cell, const char *what, char *word, size_t size,
                              bough_error *error) {
    for (size_t i = 0; i < cell->length; i++)
        if (iscntrl((unsigned char)cell->text[i]))
            return bough_fail(error, BOUGH_INVALID, NULL, "%s contains a control character", what);
    size_t length = csv_copy(cell, word, size);
    if (length < size) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL, "%s has %zu characters; at most %zu are taken", what,
                      length, size - 1);
}

/* seen: bit i for the item i, which has its price. */
static bough_status read_line(const char *line, size_t length, bough_prices *p, unsigned *seen,
                              bough_error *error) {
    struct {
        const char *name;
        double *price;
    } item[] = {{"switch", &p->switches}, {"cable", &p->cables}, {"host", &p->hosts}};
    char name[32], value[64];
    csv_cell left, right;
    const char *end = line + length, *at = line;
    const char *wrong = csv_next(&at, end, &left);
    if (!wrong && !at && !left.length) return BOUGH_OK;
    if (!wrong && left.text[0] == '#') return BOUGH_OK;
    if (!wrong && !at) wrong = "a line is `item,price`, as in switch,20000";
    if (!wrong) wrong = csv_next(&at, end, &right);
    if (!wrong && at) wrong = "more than two cells; a line is `item,price`";
    if (wrong) return bough_fail(error, BOUGH_INVALID, NULL, "%s", wrong);
    bough_status status = take_word(&left, "the item", name, sizeof name, error);
    TRY(take_word(&right, "the price", value, sizeof value, error));
    if (status) return status;
    if (strcmp(name, "item") == 0) return BOUGH_OK; /* a heading */
    if (strcmp(name, "currency") == 0)
        return take_word(&right, "the currency", p->currency, sizeof p->currency, error);
    for (size_t i = 0; i < sizeof item / sizeof *item; i++) {
        if (strcmp(name, item[i].name) != 0) continue;
        if (*seen & 1u << i) return bough_fail(error, BOUGH_INVALID, NULL, "%s has a price already", name);
        *seen |= 1u << i;
        status = bough_parse_real(value, name, item[i].price, error);
        if (!status && *item[i].price < 0)
            status = bough_fail(error, BOUGH_INVALID, NULL, "%s: a price must not be negative", name);
        if (!status && *item[i].price > PRICE_MOST)
            status = bough_fail(error, BOUGH_INVALID, NULL, "%s: %s is too large; a price is at most 1e15",
                                name, value);
        return status;
    }
    return bough_fail(error, BOUGH_INVALID, NULL, "no item '%s'; there are switch, cable, host and currency",
                      name);
}

bough_status bough_prices_read(const char *path, bough_prices *prices, bough_error *error) {
    bough_input input;
    unsigned seen = 0;
    *prices = (bough_prices){.given = true};
    bough_status status = bough_input_read(path, &input, error);
    if (status) return status;
    for (size_t i = 0; i < input.count && !status; i++) {
        const bough_input_piece *piece = &input.piece[i];
        const char *cursor = piece->data, *line;
        size_t length;
        for (unsigned n = 1; !status && (line = bough_next_line(&cursor, piece->data + piece->size, &length));
             n++) {
            status = read_line(line, length, prices, &seen, error);
            if (status && error) snprintf(error->place, sizeof error->place, "%.240s:%u", piece->name, n);
        }
    }
    bough_input_fini(&input);
    if (!status && prices->switches + prices->cables + prices->hosts == 0)
        status = bough_fail(error, BOUGH_INVALID, path, "names no price; a line is switch,20000");
    return status;
}
