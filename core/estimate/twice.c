#include "core/estimate/twice.h"

/* One call or the other; the code for AVX2 is there where the compiler could make it. */
#ifdef HAVE_AVX2
#define BY_PROCESSOR(avx2, plain) __builtin_cpu_supports("avx2") ? avx2 : plain
#else
#define BY_PROCESSOR(avx2, plain) plain
#endif

#define SHEET(type, name, parameters, arguments)                                                                       \
    type name parameters                                                                                              \
    {                                                                                                                 \
        return BY_PROCESSOR(name##_avx2 arguments, name##_plain arguments);                                            \
    }
#include "core/estimate/twice.def"
