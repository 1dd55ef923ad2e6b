/* hash.h -- a hash of a job, by which ranks see that all of them built the same one. */
#ifndef DTS_PLAN_HASH_H
#define DTS_PLAN_HASH_H

#include <stdint.h>

#include "plan/plan.h"

/* A hash of 64 bits over all that decides which messages are sent and which operations wait for
 * which. Seconds have no part in it: each machine may measure its own. Continues from `hash`,
 * which is 0 at the beginning. */
uint64_t dts_job_hash(const struct dts_job *job, uint64_t hash);

/* Adds a setting that is not in the jobs. */
uint64_t dts_hash_word(uint64_t hash, const char *text);

#endif
