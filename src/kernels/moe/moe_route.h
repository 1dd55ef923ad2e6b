/* moe_route.h -- who goes to which expert, of moe.c: once for reals in double and once in
 * float, on a CPU and on a GPU. A row is one position's: probabilities of all experts, its
 * choices. */
#ifndef DTS_KERNELS_MOE_MOE_ROUTE_H
#define DTS_KERNELS_MOE_MOE_ROUTE_H

#include <math.h>

#include "kernels/moe/moe_call.h"

#ifdef __CUDACC__
#define DTS_MOE_HERE static __host__ __device__ inline
#else
#define DTS_MOE_HERE static inline
#endif

/* Expert of a choice, whether or not it took the position. */
#define DTS_MOE_EXPERT(choice) ((size_t)((choice) < 0 ? -1 - (choice) : (choice)))

#define DTS_MOE_ROUTE(real, name)                                                              \
    /* From scores to probabilities, in place, and the experts of the largest. */              \
    DTS_MOE_HERE void dts_moe_choose_##name(const struct dts_op_call *call, real *p,           \
                                            real *choices)                                     \
    {                                                                                          \
        real most = p[0], sum = 0;                                                             \
        for (int e = 1; e < call->experts; e++)                                                \
            most = p[e] > most ? p[e] : most;                                                  \
        for (int e = 0; e < call->experts; e++)                                                \
            sum += p[e] = (real)exp((double)(p[e] - most));                                    \
        for (int e = 0; e < call->experts; e++)                                                \
            p[e] /= sum;                                                                       \
        for (int j = 0; j < call->chosen; j++) {                                               \
            int best = -1;                                                                     \
            for (int e = 0; e < call->experts; e++) {                                          \
                bool taken = false;                                                            \
                for (int k = 0; k < j; k++)                                                    \
                    taken = taken || choices[k] == (real)e;                                    \
                if (!taken && (best < 0 || p[e] > p[best]))                                    \
                    best = e;                                                                  \
            }                                                                                  \
            choices[j] = (real)best;                                                           \
        }                                                                                      \
    }                                                                                          \
    /* Of one sample and expert: what is beyond its capacity is not taken. */                  \
    DTS_MOE_HERE void dts_moe_limit_##name(const struct dts_moe *m, real *choices,             \
                                           size_t sample, size_t expert)                       \
    {                                                                                          \
        real *mine = choices + sample * m->positions * m->chosen;                              \
        size_t taken = 0;                                                                      \
        for (size_t i = 0; i < m->positions * m->chosen; i++)                                  \
            if (mine[i] == (real)expert && ++taken > m->capacity)                              \
                mine[i] = -1 - (real)expert;                                                   \
    }                                                                                          \
    DTS_MOE_HERE real dts_moe_share_##name(const struct dts_op_call *call, const real *p,      \
                                           const real *choices, size_t j)                      \
    {                                                                                          \
        real sum = 0;                                                                          \
        for (int k = 0; k < call->chosen; k++)                                                 \
            sum += p[DTS_MOE_EXPERT(choices[k])];                                              \
        return p[DTS_MOE_EXPERT(choices[j])] / (call->normalized ? sum : 1);                   \
    }                                                                                          \
    /* dr of an expert, from dc of the choices. */                                             \
    DTS_MOE_HERE real dts_moe_slope_##name(const struct dts_op_call *call, const real *p,      \
                                           const real *choices, const real *dc, size_t expert) \
    {                                                                                          \
        real mean = 0, own = 0, share = call->normalized ? 0 : p[expert];                      \
        for (int k = 0; k < call->chosen; k++) {                                               \
            const real c = dts_moe_share_##name(call, p, choices, (size_t)k);                  \
            const bool mine = DTS_MOE_EXPERT(choices[k]) == expert;                            \
            mean += c * dc[k];                                                                 \
            own += mine ? dc[k] : 0;                                                           \
            share = mine ? c : share;                                                          \
        }                                                                                      \
        return share * (own - mean);                                                           \
    }

DTS_MOE_ROUTE(double, double)
DTS_MOE_ROUTE(float, float)

#endif
