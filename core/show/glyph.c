#include "core/show/glyph.h"

#include "core/base.h"

#include <stddef.h>

bool glyph_is_safe(uint32_t glyph)
{
    static const struct {
        uint32_t first, last;
    } unsafe[] = {
        {0, 0x1f},           {0x7f, 0x9f},                       /* control characters */
        {0xad, 0xad},        {0x34f, 0x34f},   {0x61c, 0x61c},   /* soft hyphen, joiner, Arabic letter mark */
        {0x115f, 0x1160},    {0x17b4, 0x17b5}, {0x180b, 0x180f}, /* fillers, inherent vowels, Mongolian separators */
        {0x200b, 0x200f},    {0x2028, 0x202e}, {0x2060, 0x206f}, /* zero width, line ends, directions */
        {0x3164, 0x3164},    {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, /* filler, variations, byte order mark */
        {0xffa0, 0xffa0},    {0xfff0, 0xfffb},                   /* filler, annotations */
        {0x1bca0, 0x1bca3},  {0x1d173, 0x1d17a},                 /* shorthand and musical formats */
        {0xe0000, 0xe0fff},                                      /* tags and further variations */
    };
    for (size_t i = 0; i < LENGTH(unsafe); i++)
        if (glyph <= unsafe[i].last)
            return glyph < unsafe[i].first;
    return true;
}
