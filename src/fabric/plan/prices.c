#include "fabric/plan/plan.h"

#include "base/files/input.h"
#include "base/status/try.h"
#include "base/text/csv_reader.h"
#include "base/text/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PRICE_MOST 1e15 /* costs of all that fits stay numbers */

/* Refuses a cell of `most` characters or more, or that is no text. */
static bough_status check_word(const char *word, const char *what, size_t most, bough_error *error) {
    for (const char *p = word; *p; p++)
        if (iscntrl((unsigned char)*p))
            return bough_fail(error, BOUGH_INVALID, NULL, "%s contains a control character", what);
    if (strlen(word) < most) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL, "%s has %zu characters; at most %zu are taken", what,
                      strlen(word), most - 1);
}

/* seen: bit i for the item i, which has its price. */
static bough_status read_row(const csv_reader *csv, bough_prices *p, unsigned *seen, bough_error *error) {
    struct {
        const char *name;
        double *price;
    } item[] = {{"switch", &p->switches}, {"cable", &p->cables}, {"host", &p->hosts}};
    if (csv->cells != 2)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s",
                          csv->cells < 2 ? "a line is `item,price`, as in switch,20000"
                                         : "more than two cells; a line is `item,price`");
    const char *name = csv->cell[0], *value = csv->cell[1];
    bough_status status = check_word(name, "the item", 32, error);
    TRY(check_word(value, "the price", 64, error));
    if (status) return status;
    if (strcmp(name, "item") == 0) return BOUGH_OK; /* a heading */
    if (strcmp(name, "currency") == 0) {
        status = check_word(value, "the currency", sizeof p->currency, error);
        if (!status) snprintf(p->currency, sizeof p->currency, "%s", value);
        return status;
    }
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
    csv_reader csv = {.in.error = error};
    for (size_t i = 0; i < input.count && !status; i++) {
        csv_open(&csv, input.piece[i].name, input.piece[i].data, input.piece[i].size);
        while (!status && !(status = csv_row(&csv)) && csv.cells)
            status = scan_at(&csv.in, read_row(&csv, prices, &seen, error));
    }
    csv_close(&csv);
    bough_input_fini(&input);
    if (!status && prices->switches + prices->cables + prices->hosts == 0)
        status = bough_fail(error, BOUGH_INVALID, path, "names no price; a line is switch,20000");
    return status;
}
