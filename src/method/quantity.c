#include "method/quantity.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SIGNIFICANT = 4, DECIMALS_MAX = 9 };

/* ---- units ---- */

/* Powers of ten: of the metric's unit, and of the smallest and largest one that is shown. GB/s stays, as in
 * nccl-tests. */
typedef struct scaled_unit {
    const char *unit, *stem;
    int power, least, most;
} scaled_unit;

static const scaled_unit scaled[] = {
    {"s", "s", 0, -12, 0},    {"s per bit", "s per bit", 0, -15, 0},
    {"ns", "s", -9, -12, 0},  {"Gb/s", "b/s", 9, 0, 15},
    {"bytes", "B", 0, 0, 15}, {"mm", "m", -3, -9, 0},
    {"um", "m", -6, -9, 0},
};
enum { SCALED = sizeof scaled / sizeof *scaled };

static const char *const prefix[] = {"f", "p", "n", "u", "m", "", "k", "M", "G", "T", "P"}; /* from 10^-15 */

quantity_unit quantity_unit_of(bough_metric_id metric, double value) {
    const bough_metric *m = &bough_metrics[metric];
    quantity_unit unit = {.factor = 1};
    bool said =
        strcmp(m->unit, m->name) == 0 || strcmp(m->unit, "share") == 0 || strcmp(m->unit, "probability") == 0;
    snprintf(unit.name, sizeof unit.name, "%s", said ? "" : m->unit);
    const scaled_unit *s = scaled;
    while (s < scaled + SCALED && strcmp(s->unit, m->unit) != 0) s++;
    if (s == scaled + SCALED || !isfinite(value) || value == 0) return unit;
    /* 999.96 us would be shown as 1000 us */
    int power = s->power + 3 * (int)floor(log10(fabs(value) * 1.00005) / 3);
    power = power < s->least ? s->least : power > s->most ? s->most : power;
    if (power == s->power) return unit;
    unit.factor = pow(10, s->power - power);
    snprintf(unit.name, sizeof unit.name, "%s%s", prefix[power / 3 + 5], s->stem);
    return unit;
}

/* Units that are counted end in s. "times" is not one: 1 times as long. */
char *quantity_unit_behind(const quantity_unit *unit, const char *shown, char *buffer) {
    size_t length = strlen(unit->name);
    strcpy(buffer, unit->name);
    if (strcmp(shown, "1") != 0 || length < 4 || buffer[length - 1] != 's' || strcmp(buffer, "times") == 0)
        return buffer;
    bool es = strcmp(buffer + length - 3, "ses") == 0 || strcmp(buffer + length - 3, "hes") == 0;
    buffer[length - (es && strcmp(buffer, "phases") != 0 ? 2 : 1)] = 0;
    return buffer;
}

/* ---- digits ---- */

static bool has_interval(double interval) {
    return interval > 0 && isfinite(interval);
}

/* After the point, so that the interval keeps two significant digits. */
static int decimals_for(double interval) {
    int decimals = 1 - (int)floor(log10(interval));
    return decimals < 0 ? 0 : decimals;
}

static char *format_plain(double value, char *buffer) {
    double size = fabs(value);
    if (value == floor(value) && size < 1e15) {
        snprintf(buffer, QUANTITY_TEXT, "%.0f", value == 0 ? 0 : value);
        return buffer;
    }
    if (size < 1e-4 || size >= 1e15) {
        snprintf(buffer, QUANTITY_TEXT, "%.*g", SIGNIFICANT, value);
        return buffer;
    }
    int decimals = SIGNIFICANT - 1 - (int)floor(log10(size));
    snprintf(buffer, QUANTITY_TEXT, "%.*f", decimals < 0 ? 0 : decimals, value);
    if (!strchr(buffer, '.')) return buffer;
    size_t end = strlen(buffer);
    while (buffer[end - 1] == '0') end--;
    if (buffer[end - 1] == '.') end--;
    buffer[end] = 0;
    return buffer;
}

char *quantity_format(double shown, double interval, char *buffer) {
    if (!isfinite(shown)) {
        strcpy(buffer, "-");
        return buffer;
    }
    if (!has_interval(interval)) return format_plain(shown, buffer);
    int decimals = decimals_for(interval);
    if (decimals > DECIMALS_MAX || fabs(shown) >= 1e15) {
        double most = fmax(fabs(shown), interval);
        int digits = 2 + (int)floor(log10(most)) - (int)floor(log10(interval));
        snprintf(buffer, QUANTITY_TEXT, "%#.*g", digits > 15 ? 15 : digits, shown);
    } else {
        snprintf(buffer, QUANTITY_TEXT, "%.*f", decimals, shown);
    }
    return buffer;
}

char *quantity_format_interval(double shown, double interval, char *buffer) {
    int decimals = has_interval(interval) ? decimals_for(interval) : 0;
    if (!isfinite(interval))
        strcpy(buffer, "-");
    else if (decimals > DECIMALS_MAX || fabs(shown) >= 1e15 || interval >= 1e15)
        snprintf(buffer, QUANTITY_TEXT, "%.2g", interval);
    else
        snprintf(buffer, QUANTITY_TEXT, "%.*f", decimals, interval);
    return buffer;
}
