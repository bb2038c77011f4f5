#include "base/text/utf8.h"

#include <string.h>

size_t bough_utf8_read(const char *bytes, size_t length, uint32_t *code) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800,
                                     0x10000}; /* smallest code per length; smaller codes are overlong */
    unsigned char first = (unsigned char)bytes[0];
    size_t size = first < 0x80   ? 1
                  : first < 0xc2 ? 0
                  : first < 0xe0 ? 2
                  : first < 0xf0 ? 3
                  : first < 0xf5 ? 4
                                 : 0;
    if (size == 0 || size > length) return 0;
    uint32_t c = size == 1 ? first : first & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if (((unsigned char)bytes[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | ((unsigned char)bytes[i] & 0x3f);
    }
    bool surrogate = c >= 0xd800 && c < 0xe000;
    if (c < least[size] || c > 0x10ffff || surrogate) return 0;
    *code = c;
    return size;
}

bool bough_utf8_is_control(uint32_t c) {
    if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return true;
    return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

bool bough_utf8_is_hidden(uint32_t c) {
    static const struct {
        uint32_t first, last;
    } range[] = {
        {0x061c, 0x061c},   /* Arabic letter mark */
        {0x180e, 0x180e},   /* Mongolian vowel separator */
        {0x200b, 0x200f},   /* zero width, direction marks */
        {0x2028, 0x202e},   /* line and paragraph separators; direction embeddings and overrides */
        {0x2060, 0x206f},   /* word joiner, isolates, others without a glyph */
        {0xfeff, 0xfeff},   /* byte order mark */
        {0xfff9, 0xfffb},   /* annotations */
        {0xe0000, 0xe007f}, /* tags */
    };
    if (c < 0x80) return c < 0x20 || c == 0x7f;
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (c >= range[i].first && c <= range[i].last) return true;
    return bough_utf8_is_control(c);
}

size_t bough_utf8_whole(const char *bytes, size_t length) {
    for (size_t back = 1; back <= 3 && back <= length; back++) {
        unsigned char c = (unsigned char)bytes[length - back];
        if (c < 0x80) return length;
        if (c >= 0xc0) return (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) > back ? length - back : length;
    }
    return length;
}

void bough_utf8_mend(char *text) {
    uint32_t code;
    for (size_t left = strlen(text), step; left; text += step, left -= step) {
        step = bough_utf8_read(text, left, &code);
        if (step) continue;
        *text = '?';
        step = 1;
    }
}

size_t bough_copy_printable(const char *bytes, size_t length, char *out, size_t size) {
    while (length && (unsigned char)bytes[0] <= ' ') bytes++, length--;
    while (length && (unsigned char)bytes[length - 1] <= ' ') length--;
    size_t used = 0;
    uint32_t code;
    for (size_t i = 0; i < length;) {
        size_t step = bough_utf8_read(bytes + i, length - i, &code);
        bool kept = step && !bough_utf8_is_control(code);
        if (used + (kept ? step : 1) >= size) break;
        if (kept)
            memcpy(out + used, bytes + i, step);
        else
            out[used] = '?';
        used += kept ? step : 1;
        i += step ? step : 1;
    }
    while (used && out[used - 1] == ' ') used--;
    out[used] = 0;
    return used;
}
