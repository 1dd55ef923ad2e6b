/* oracle_values.h -- the numbers that tests/oracle/operations.py starts from: nothing is
 * stored, both sides make them from counters. */
#ifndef DTS_TESTS_ORACLE_VALUES_H
#define DTS_TESTS_ORACLE_VALUES_H

#include <stdint.h>

/* 32 random bits from two counters, as `word` in operations.py. */
static inline uint32_t oracle_word(uint32_t stream, uint32_t i)
{
    uint32_t h = i * 0x9e3779b1u + stream * 0x85ebca77u + 0xc2b2ae3du;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

/* From -2 to 2, such that a float holds them exactly: `reals` there. */
static inline double oracle_real(uint32_t stream, uint32_t i)
{
    return (oracle_word(stream, i) >> 8) * 0x1p-22 - 2;
}

#endif
