/* space.h -- where the arrays of a rank that trains lie, and the place (op.h) where its kernels
 * run. One file and one row each.
 *
 * What messages, files and data sets meet is there twice: `here`, where code of the host reads
 * and writes, and `there`, where kernels do. Whoever hands over says so, by dts_mirror_store()
 * and dts_mirror_fetch(). On a CPU both are one array, and nothing is copied.
 *
 * What goes wrong on the way is kept, and the first of it asked for (dts_space_trouble()).
 */
#ifndef DTS_OPS_SPACE_H
#define DTS_OPS_SPACE_H

#include "base/error.h"
#include "ops/op.h"

enum { DTS_SPACE_IDENTITY = 16 };

struct dts_space_request {
    int number;  // of the device
    int threads; // of a CPU
    int queues;  // copies in flight at once, each from a thread of its own; queue 0 is in the
                 // order of the kernels
    bool tf32;   // products may round their operands so, where the device can
};

struct dts_space_kind {
    const char *name, *summary;
    bool apart; // the host's code cannot read what is there

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
    bool (*wait)(void *self, struct dts_error *err); // until all on queue 0 is done
};

extern const struct dts_space_kind *const dts_spaces[]; // ended by NULL
const struct dts_space_kind *dts_space_find(const char *name);

struct dts_space;

bool dts_space_open(struct dts_space **space, const struct dts_space_kind *kind,
                    const struct dts_space_request *request, struct dts_error *err);
void dts_space_close(struct dts_space *space); // NULL: nothing
const struct dts_place *dts_space_place(const struct dts_space *space);

/* The first failure since it was opened; its cause is DTS_NO_ERROR where there was none. */
struct dts_error dts_space_trouble(struct dts_space *space);

/* In all that follows space NULL is the host's memory. */
bool dts_space_is_apart(const struct dts_space *space);

/* Memory for kernels alone, zeros, aligned to 64 bytes. */
bool dts_space_get(struct dts_space *space, size_t bytes, void **there, struct dts_error *err);
void dts_space_give_back(struct dts_space *space, void *there); // NULL: nothing
void dts_space_clear(struct dts_space *space, void *there, size_t bytes);

/* Kernels are called between these. */
void dts_space_enter(struct dts_space *space);
void dts_space_leave(struct dts_space *space);
void dts_space_wait(struct dts_space *space); // until all that was called is done

/* What is there, for reading: the array itself, or a copy, which is *copy then, to be freed. */
const void *dts_space_look(struct dts_space *space, const void *there, size_t bytes,
                           void **copy);

/* An array on both sides. */
struct dts_mirror {
    struct dts_space *space;
    void *here, *there;
    size_t bytes;
    bool lent; // here is somebody else's
};

/* Zeros; here: memory for it (where the space is apart: dts_whole_pages()) that outlives the
 * mirror, or NULL: its own. */
bool dts_mirror_make(struct dts_mirror *mirror, struct dts_space *space, void *here,
                     size_t bytes, struct dts_error *err);
void dts_mirror_free(struct dts_mirror *mirror);

/* From now on it is that memory; what it holds does not come along. */
void dts_mirror_lie(struct dts_mirror *mirror, void *here);

/* So many bytes from `first` on, to here, and to there. */
void dts_mirror_fetch(const struct dts_mirror *mirror, int queue, size_t first, size_t bytes);
void dts_mirror_store(const struct dts_mirror *mirror, int queue, size_t first, size_t bytes);
void dts_mirror_fetch_all(const struct dts_mirror *mirror);
void dts_mirror_store_all(const struct dts_mirror *mirror);

#endif
