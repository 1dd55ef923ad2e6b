/* hash.h -- a number that tells jobs apart, for ranks that each built the job on their own. */
#ifndef DTS_PLAN_HASH_H
#define DTS_PLAN_HASH_H

#include <stdint.h>

#include "plan/plan.h"

/* Over everything that decides which messages are sent and what is waited for; not over
 * seconds, which each machine may measure for itself. Jobs that differ have different hashes
 * (but for chance: 64 bits). Continues from `hash`; begin with 0. */
uint64_t dts_job_hash(const struct dts_job *job, uint64_t hash);

/* The same for a setting beside the jobs. */
uint64_t dts_hash_word(uint64_t hash, const char *text);

#endif
