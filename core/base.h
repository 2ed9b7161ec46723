/* core/base.h - what every file may use: sizes in bytes, and how long an array is. */
#pragma once

#define MIB 0x1p20
#define GIB 0x1p30

/** Elements of an array (not of a pointer). */
#define LENGTH(array) (sizeof(array) / sizeof *(array))
