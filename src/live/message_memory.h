/* message_memory.h -- the memory in which the messages of a rank leave and arrive, and who
 * computes with the values there. That is the host, or a device whose memory MPI reads and
 * writes by itself. Each kind is one file; the caller of a run says which one is used
 * (dts_live.memory).
 *
 * Functions of a kind cannot fail: they end all ranks instead. Any thread may call them, each
 * for the stream that it runs. They are complete when they return: what they wrote can be sent,
 * and what they read can be overwritten.
 */
#ifndef DTS_LIVE_MESSAGE_MEMORY_H
#define DTS_LIVE_MESSAGE_MEMORY_H

#include "live/values.h"
#include "plan/plan.h"

struct dts_message_memory_kind {
    void *(*get)(void *self, size_t bytes);
    void (*give_back)(void *self, void *there); // NULL: nothing

    /* Every call of MPI lies between these two, since MPI may move the messages of one thread
     * in the calls of another. NULL: this memory needs neither. */
    void (*lend)(void *self);
    void (*take_back)(void *self);

    /* dts_values_pack() and so on (values.h), for arrays that all lie in this memory. */
    void (*pack)(void *self, enum dts_stream stream, const struct dts_values *v, void *message,
                 float *values, size_t count, bool round);
    void (*take)(void *self, enum dts_stream stream, const struct dts_values *v, void *to,
                 const void *message, size_t count);
    void (*add)(void *self, enum dts_stream stream, const struct dts_values *v, void *to,
                const void *message, size_t count);
    void (*round)(void *self, enum dts_stream stream, const struct dts_values *v, float *values,
                  size_t count);
};

extern const struct dts_message_memory_kind dts_message_memory_host;

struct dts_message_memory {
    const struct dts_message_memory_kind *kind;
    void *self;
    float *const *buffers; // of the plan, by number; doubles if elements have 8 bytes
};

/* In these functions NULL stands for the memory of the host. */
void dts_message_memory_give_back(const struct dts_message_memory *memory, void *there);

/* Returns room for at least so many bytes; the content is lost. *room is the size, 0 at first.
 */
void *dts_message_memory_grow(const struct dts_message_memory *memory, void *there,
                              size_t *room, size_t bytes);

void dts_message_memory_lend(const struct dts_message_memory *memory);
void dts_message_memory_take_back(const struct dts_message_memory *memory);

#endif
