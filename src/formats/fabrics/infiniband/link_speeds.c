/* The codes of widths and speeds are those of PortInfo. ibdiagnet writes the three fields of the speed as one
 * number: LinkSpeedActive in the lowest byte, LinkSpeedExtActive in the second, FDR10 in the third, and XDR
 * in the fourth. */
#include "formats/fabrics/infiniband/link_speeds.h"

static const struct {
    const char *name, *nominal, *signal; /* Gb/s */
    uint64_t code;
} speeds[] = {
    {"SDR", "2.5", "2.5", 1},          {"DDR", "5", "5.0", 2},
    {"QDR", "10", "10.0", 4},          {"FDR10", "FDR10", "FDR10", 1 << 16},
    {"FDR", "14", "14.0625", 1 << 8},  {"EDR", "25", "25.78125", 2 << 8},
    {"HDR", "50", "53.125", 4 << 8},   {"NDR", "100", "106.25", 8 << 8},
    {"XDR", "200", "212.5", 1U << 24},
};

static const struct {
    const char *name, *capital;
    uint64_t code;
} widths[] = {{"1x", "1X", 1}, {"4x", "4X", 2}, {"8x", "8X", 4}, {"12x", "12X", 8}, {"2x", "2X", 16}};

static bough_slice slice_of(const char *text) {
    return (bough_slice){text, strlen(text)};
}

bough_slice link_speed_name(bough_slice gigabits) {
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        if (bough_slice_is(gigabits, speeds[i].nominal) || bough_slice_is(gigabits, speeds[i].signal))
            return slice_of(speeds[i].name);
    return gigabits;
}

bough_slice link_speed_of_code(uint64_t code) {
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        if (speeds[i].code == code) return slice_of(speeds[i].name);
    return (bough_slice){"", 0};
}

bough_slice link_width_of_code(uint64_t code) {
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (widths[i].code == code) return slice_of(widths[i].name);
    return (bough_slice){"", 0};
}

bough_slice link_width_name(bough_slice width) {
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (bough_slice_is(width, widths[i].capital)) return slice_of(widths[i].name);
    return width;
}
