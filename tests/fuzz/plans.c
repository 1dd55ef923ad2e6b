/* plans.c -- an input becomes the plans of a small scenario. They must be sound, send what is
 * counted of them, and be the same each time.
 */
#include <math.h>
#include <stdlib.h>

#include "fuzz.h"
#include "plan/check.h"
#include "plan/hash.h"
#include "plan/run.h"
#include "question.h"

enum {
    MOST_WORK = 20000,
    MOST_PERIOD = 50, // in steps, of operations that act in some only
};

static const double most_messages = 2e5;

/* What all ranks send and receive in the steps of a period. */
struct walked {
    struct dts_traffic sent, received;
};

static void walk_stream(const struct dts_role *role, int rank, enum dts_stream stream,
                        long step, struct walked *walked)
{
    struct dts_walk walk = {.role = role, .rank = rank, .stream = stream, .step = step};
    struct dts_event event;
    while (dts_walk_next(&walk, &event))
        for (int m = 0; event.kind == DTS_EVENT_EXCHANGE && m < event.count; m++) {
            const struct dts_message *message = &event.messages[m];
            struct dts_traffic *side = message->send ? &walked->sent : &walked->received;
            side->messages++;
            side->bytes += (double)message->bytes;
        }
    dts_walk_free(&walk);
}

static void walk_all(const struct dts_job *job, long step, struct walked *walked)
{
    for (int r = 0; r < job->role_count; r++)
        for (int i = 0; i < job->roles[r].count; i++)
            for (enum dts_stream s = 0; s < DTS_STREAMS; s++)
                walk_stream(&job->roles[r], job->roles[r].first + i, s, step, walked);
}

/* A count that is not exact is off by an element, at most 8 bytes, for each message
 * (plan/check.h). */
static void check_traffic(const struct dts_job *job, const struct dts_traffic *counted)
{
    struct walked walked = {{0}, {0}};
    const int period = dts_job_period(job);
    for (int p = 0; p < period; p++)
        walk_all(job, dts_job_settled(job) + p, &walked);
    FUZZ_CHECK(walked.sent.messages == walked.received.messages);
    FUZZ_CHECK(walked.sent.bytes == walked.received.bytes);
    const double messages = walked.sent.messages / period, bytes = walked.sent.bytes / period;
    FUZZ_CHECK(fabs(messages - counted->messages) <= 1e-9 * counted->messages);
    FUZZ_CHECK(fabs(bytes - counted->bytes) <= 8 * counted->messages + 1e-9 * counted->bytes);
}

static void check_times(const struct dts_job *job)
{
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++) {
            const struct dts_op *op = &job->roles[r].plan.ops[o];
            FUZZ_CHECK(op->kind != DTS_OP_CALL ||
                       (isfinite(op->call.seconds) && op->call.seconds >= 0));
        }
}

static void check_same_again(const struct fuzz_question *q)
{
    struct dts_error err = {0};
    struct dts_built again;
    FUZZ_CHECK(dts_built_make(&q->question, &again, &err));
    FUZZ_CHECK(dts_job_hash(&again.job, 0) == dts_job_hash(&q->built.job, 0));
    FUZZ_CHECK(again.ranks == q->built.ranks && again.ranks == again.job.ranks);
    dts_built_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_question q;
    if (!fuzz_question_open(&q, bytes, size, MOST_WORK))
        return 0;
    struct dts_error err = {0};
    struct dts_traffic traffic;
    dts_job_traffic(&q.built.job, &traffic);
    const int period = dts_job_period(&q.built.job);
    check_times(&q.built.job);
    check_same_again(&q);
    fuzz_check_answer(dts_job_check_ops(&q.built.job, &err), &err);
    FUZZ_CHECK(err.cause == DTS_NO_ERROR);
    if (traffic.messages * period <= most_messages && period <= MOST_PERIOD) {
        check_traffic(&q.built.job, &traffic);
        if (!dts_job_check(&q.built.job, &err))
            fprintf(stderr, "%s\n", err.text);
        FUZZ_CHECK(err.cause == DTS_NO_ERROR);
    }
    fuzz_question_close(&q);
    return 0;
}
