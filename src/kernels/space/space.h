/* space.h -- where the arrays of a rank that trains lie, and the place (op.h) where its kernels
 * run. One file and one row each.
 *
 * What messages, files and data sets meet is there twice: `here`, where code of the host reads
 * and writes, and `there`, where kernels do (mirror.h). On a CPU both are one array, and
 * nothing is copied.
 *
 * What goes wrong on the way is kept, and the first of it asked for (dts_space_trouble()).
 */
#ifndef DTS_KERNELS_SPACE_SPACE_H
#define DTS_KERNELS_SPACE_SPACE_H

#include "base/error.h"
#include "base/measure/pace.h"
#include "kernels/call/precision.h"
#include "kernels/op.h"

enum { DTS_SPACE_IDENTITY = 16 };

struct dts_space_request {
    int number;  // of the device
    int threads; // of a CPU

    /* Copies in flight at once, each from a thread of its own; queue 0 is in the order of the
     * kernels. */
    int queues;

    bool tf32; // products may round their operands so, where the device can
};

/* What there is to say of a device that is open. */
struct dts_space_facts {
    char name[200], library[160];     // "NVIDIA H200"; what computes, with versions
    double memory_bytes, spare_bytes; // what it has, and what of that is free now
    double cache_bytes;               // its last cache; 0: not known
    double clock_hz, memory_clock_hz; // the highest; 0: not known
    int threads;                      // of a CPU; else 0
};

struct dts_space;
struct dts_roofline; // kernels/space/roofline.h
struct dts_roofline_words;

struct dts_space_kind {
    const char *name, *summary;
    bool apart; // the host's code cannot read what is there
    bool tf32;  // takes the request's

    /* Devices of this machine; at 0 *why is a clause for the message. */
    int (*count)(const char **why);
    void (*identity)(int number, char id[DTS_SPACE_IDENTITY]); // alike: the same device

    /* Fills *self and the place. */
    bool (*open)(const struct dts_space_request *request, void **self, struct dts_place *place,
                 struct dts_error *err);
    void (*close)(void *self);
    bool (*get)(void *self, size_t bytes, void **there, struct dts_error *err);
    void (*give_back)(void *self, void *there); // NULL: nothing
    bool (*clear)(void *self, void *there, size_t bytes, struct dts_error *err); // on queue 0

    /* For who times kernels: each line of a cache is read and written as it is, on queue 0;
     * how fast it runs at this moment (NULL: nobody disturbs it); its peaks, with operands in
     * memory of the space. */
    void (*facts)(void *self, struct dts_space_facts *facts);
    void (*touch)(void *self, void *there, size_t bytes);
    struct dts_pace (*pace)(void *self);
    void (*busy)(void *self); // computes for microseconds, in the first caches; NULL: no need,
                              // since it does not tire (dts_space_tires())
    bool (*roofline)(struct dts_space *space, double budget_s, struct dts_roofline *out,
                     struct dts_roofline_words *words, struct dts_error *err);

    /* Where it is apart; else NULL. Any thread may call these, each with a queue of its own. A
     * copy is complete when it returns. */
    bool (*pin)(void *self, void *here, size_t bytes, struct dts_error *err);
    void (*unpin)(void *self, void *here);
    bool (*copy_in)(void *self, int queue, void *there, const void *here, size_t bytes,
                    struct dts_error *err);
    bool (*copy_out)(void *self, int queue, void *here, const void *there, size_t bytes,
                     struct dts_error *err);
    void (*enter)(void *self); // this thread calls kernels now
    bool (*leave)(void *self, struct dts_error *err);
    bool (*wait)(void *self, int queue, struct dts_error *err); // until all on it is done

    /* Where what is done between calls (place.h) runs, in the order of a queue, for the thread
     * whose queue it is. */
    struct dts_place (*place)(void *self, int queue);

    /* A library that reads and writes there by itself is called by this thread between these,
     * as MPI may (live/mpi_reads.h). NULL: none does. */
    void (*lend)(void *self);
    void (*take_back)(void *self);

    /* c = a b of side x side numbers, for dts_roofline_there(): queued like a kernel. False: it
     * cannot in that precision. */
    bool (*multiply)(void *self, enum dts_precision precision, size_t side, const void *a,
                     const void *b, void *c);
};

extern const struct dts_space_kind *const dts_spaces[]; // ended by NULL
const struct dts_space_kind *dts_space_find(const char *name);

/* The row of that name, if this machine has its device of that number; fails (DTS_UNSUPPORTED)
 * with why it has not. `what` names the setting in that message. */
bool dts_space_choose(const struct dts_space_kind **kind, const char *what, const char *name,
                      int number, struct dts_error *err);

bool dts_space_open(struct dts_space **space, const struct dts_space_kind *kind,
                    const struct dts_space_request *request, struct dts_error *err);
void dts_space_close(struct dts_space *space); // NULL: nothing
const struct dts_place *dts_space_place(const struct dts_space *space);

/* The first failure since it was opened; its cause is DTS_NO_ERROR where there was none. */
struct dts_error dts_space_trouble(struct dts_space *space);

void dts_space_facts(const struct dts_space *space, struct dts_space_facts *facts);
void dts_space_busy(struct dts_space *space);

/* Whether time that passes without work counts: clocks fall, and others throw out what lies in
 * the caches. A GPU is nobody else's. */
bool dts_space_tires(const struct dts_space *space);

struct dts_pace dts_space_pace(const struct dts_space *space); // take_s NULL: it has none
bool dts_space_roofline(struct dts_space *space, double budget_s, struct dts_roofline *out,
                        struct dts_roofline_words *words, struct dts_error *err);

/* The row's roofline where it has `multiply` (roofline_there.c). */
bool dts_roofline_there(struct dts_space *space, double budget_s, struct dts_roofline *out,
                        struct dts_roofline_words *words, struct dts_error *err);
bool dts_space_multiply(const struct dts_space *space, enum dts_precision precision,
                        size_t side, const void *a, const void *b, void *c);

/* In all that follows space NULL is the host's memory. */
bool dts_space_is_apart(const struct dts_space *space);

/* Memory for kernels alone, zeros, aligned to 64 bytes. */
bool dts_space_get(struct dts_space *space, size_t bytes, void **there, struct dts_error *err);
void dts_space_give_back(struct dts_space *space, void *there); // NULL: nothing
void dts_space_clear(struct dts_space *space, void *there, size_t bytes);
void dts_space_touch(struct dts_space *space, void *there, size_t bytes);

/* Copies of a pattern of the host's, one behind the other; the last one may be cut. */
void dts_space_fill(struct dts_space *space, void *there, size_t bytes, const void *pattern,
                    size_t period);

/* Kernels are called between these. */
void dts_space_enter(struct dts_space *space);
void dts_space_leave(struct dts_space *space);
void dts_space_wait(struct dts_space *space); // until all that was called is done
void dts_space_wait_for(struct dts_space *space, int queue);
struct dts_place dts_space_queue(const struct dts_space *space,
                                 int queue); // for values (place.h)

/* Libraries that know such memory. */
bool dts_space_lends(const struct dts_space *space);
void dts_space_lend(const struct dts_space *space); // only where it lends
void dts_space_take_back(const struct dts_space *space);

/* What is there, for reading: the array itself, or a copy, which is *copy then, to be freed. */
const void *dts_space_look(struct dts_space *space, const void *there, size_t bytes,
                           void **copy);

/* For arrays on both sides (mirror.h); nothing is done where it is not apart. */
void dts_space_copy_out(struct dts_space *space, int queue, void *here, const void *there,
                        size_t bytes);
void dts_space_copy_in(struct dts_space *space, int queue, void *there, const void *here,
                       size_t bytes);
void dts_space_pin(struct dts_space *space, void *here, size_t bytes);
void dts_space_unpin(struct dts_space *space, void *here, size_t bytes);

#endif
