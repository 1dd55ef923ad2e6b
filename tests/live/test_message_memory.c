/* test_message_memory.c -- messages that leave and arrive in memory of another kind than the
 * host's leave the bits there that the host would have: of every all-reduce, in messages of 64,
 * 32 and 16 bits, whole and in many pieces; and of servers. Run under mpirun.
 *
 * That memory is open while MPI is called and while a verb of it works; whoever touches it at
 * another time dies.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/os/clock.h"
#include "check.h"
#include "live/live.h"
#include "live_jobs.h"
#include "plan/coll/coll.h"

enum { ROOM = 1 << 26, ALIGN = 64, STEPS = 2, LARGE = 50021, SMALL_PIECE = 1 << 10 };

static struct dts_wire *wire;

/* All of it is given out from the front, and nothing is given back before the next run. */
static struct {
    char *memory;
    size_t used;
    int inside;
    long adds;
    pthread_mutex_t lock;
} there = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void protect(int change)
{
    pthread_mutex_lock(&there.lock);
    there.inside += change;
    mprotect(there.memory, ROOM, there.inside > 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
    pthread_mutex_unlock(&there.lock);
}

static void lend(void *self)
{
    (void)self;
    protect(1);
}

static void take_back(void *self)
{
    (void)self;
    protect(-1);
}

static void *get(void *self, size_t bytes)
{
    (void)self;
    pthread_mutex_lock(&there.lock);
    char *memory = there.memory + there.used;
    there.used += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    pthread_mutex_unlock(&there.lock);
    return CHECK(there.used <= ROOM) ? memory : NULL;
}

static void give_back(void *self, void *memory)
{
    (void)self, (void)memory;
}

static void pack(void *self, enum dts_stream stream, const struct dts_values *v, void *message,
                 float *values, size_t count, bool round)
{
    (void)stream;
    lend(self);
    dts_values_pack(v, message, values, count, round);
    take_back(self);
}

static void take(void *self, enum dts_stream stream, const struct dts_values *v, void *to,
                 const void *message, size_t count)
{
    (void)stream;
    lend(self);
    dts_values_take(v, to, message, count);
    take_back(self);
}

static void add(void *self, enum dts_stream stream, const struct dts_values *v, void *to,
                const void *message, size_t count)
{
    (void)stream;
    lend(self);
    there.adds++; // of one stream
    dts_values_add(v, to, message, count);
    take_back(self);
}

static void round_values(void *self, enum dts_stream stream, const struct dts_values *v,
                         float *values, size_t count)
{
    (void)stream;
    lend(self);
    dts_values_round(v, values, count);
    take_back(self);
}

static const struct dts_message_memory_kind guarded = {
    .get = get,
    .give_back = give_back,
    .lend = lend,
    .take_back = take_back,
    .pack = pack,
    .take = take,
    .add = add,
    .round = round_values,
};

/* A server's weights become the sums, wherever they are. */
static bool open_sums(const struct dts_executor_rank *rank, void **self, struct dts_error *err)
{
    (void)err;
    *self = rank->context;
    return true;
}

static double call(void *self, const struct dts_op *op, int step, double due_s)
{
    float *const *buffers = self;
    (void)step, (void)due_s;
    if (op->call.pass == DTS_AGGREGATE) {
        const size_t first = (size_t)op->bucket * ELEMENTS;
        protect(1);
        memcpy(buffers[1] + first, buffers[0] + first, ELEMENTS * sizeof(float));
        protect(-1);
    }
    return dts_now_s();
}

static void close_sums(void *self)
{
    (void)self;
}

static const struct dts_executor sums = {
    .name = "sums", .summary = "", .open = open_sums, .call = call, .close = close_sums};

static bool has_doubles(const struct dts_live_rank *rank, int buffer)
{
    return rank->role->plan.buffers[buffer].element_bytes == sizeof(double);
}

static size_t bytes_of(const struct dts_live_rank *rank, int buffer)
{
    return rank->role->plan.buffers[buffer].count *
           (has_doubles(rank, buffer) ? sizeof(double) : sizeof(float));
}

/* Thirds: what is added in another order has other bits. */
static void fill(struct dts_live_rank *rank)
{
    for (int b = 0; b < rank->role->plan.buffer_count; b++)
        for (size_t e = 0; e < rank->role->plan.buffers[b].count; e++) {
            const double value = ((double)(e % 97) + 1) / (3 * (rank->rank + 1)) - b;
            if (has_doubles(rank, b))
                ((double *)(void *)rank->buffers[b])[e] = value;
            else
                rank->buffers[b][e] = (float)value;
        }
}

/* The rank's buffers after some steps that began there. `left` has room. */
static void run(const struct dts_job *job, enum dts_half half, size_t piece_bytes,
                bool on_device, struct dts_live_rank *left)
{
    float *buffers[2] = {NULL};
    const struct dts_message_memory memory = {.kind = &guarded, .buffers = buffers};
    struct dts_live live = {.job = job,
                            .wire = wire,
                            .executor = &sums,
                            .steps = STEPS,
                            .half = half,
                            .context = on_device ? buffers : left->buffers,
                            .memory = on_device ? &memory : NULL,
                            .piece_bytes = piece_bytes};
    struct dts_live_times times;
    struct dts_error err = {0};
    there.used = 0;
    fill(left);
    for (int b = 0; on_device && b < left->role->plan.buffer_count; b++) {
        const size_t bytes = bytes_of(left, b);
        buffers[b] = get(NULL, bytes);
        protect(1);
        memcpy(buffers[b], left->buffers[b], bytes);
        protect(-1);
        memset(left->buffers[b], 0xff, bytes); // nobody reads it
    }
    if (CHECK(dts_live_run(&live, left, &times, &err)))
        dts_live_times_free(&times);
    protect(1);
    for (int b = 0; on_device && b < left->role->plan.buffer_count; b++)
        memcpy(left->buffers[b], buffers[b], bytes_of(left, b));
    protect(-1);
}

/* The same bits on the host and there. */
static void compare(const struct dts_job *job, enum dts_half half, size_t piece_bytes)
{
    const struct dts_live live = {.job = job, .wire = wire};
    struct dts_live_rank here, elsewhere;
    struct dts_error err = {0};
    if (!CHECK(dts_live_open(&live, &here, &err)) ||
        !CHECK(dts_live_open(&live, &elsewhere, &err)))
        return;
    run(job, half, 0, false, &here);
    run(job, half, piece_bytes, true, &elsewhere);
    for (int b = 0; b < here.role->plan.buffer_count; b++)
        CHECK(memcmp(here.buffers[b], elsewhere.buffers[b], bytes_of(&here, b)) == 0);
    dts_live_close(&here);
    dts_live_close(&elsewhere);
}

/* What messages hold. */
static const struct format {
    size_t bytes;
    enum dts_half half;
} formats[] = {{4, DTS_HALF_BF16}, {2, DTS_HALF_BF16}, {2, DTS_HALF_FP16}, {8, DTS_HALF_BF16}};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

/* Whatever one rank found wrong fails the test on rank 0. */
static void tell_all(void)
{
    double mine = check_failures, all[64];
    dts_wire_gather(wire, &mine, 1, all);
    for (int r = 1; dts_wire_rank(wire) == 0 && r < dts_wire_size(wire); r++)
        check_failures += (int)all[r];
}

static void collective(const struct format *format, const struct dts_coll *algorithm,
                       enum dts_coll_kind kind, size_t count, size_t piece_bytes)
{
    const int ranks = dts_wire_size(wire);
    const struct dts_collective c = {.algorithm = algorithm,
                                     .shape = {kind, ranks, 1, 1, 1, dts_coll_find("ring")},
                                     .group = {.stride = 1, .size = ranks},
                                     .data = {.count = count},
                                     .channels = 1};
    const char *why;
    // in 16 bits MPI's own takes what the host has
    if (!dts_coll_fits(algorithm, &c.shape, &why) ||
        (algorithm->by_library && format->bytes == sizeof(uint16_t)))
        return;
    struct dts_job job = job_of(ranks);
    dts_plan_buffer(&job.roles[0].plan, count, format->bytes);
    dts_plan_collective(&job.roles[0].plan, DTS_DATA, algorithm->name, c);
    compare(&job, format->half, piece_bytes);
    dts_job_free(&job);
}

static void every_row(enum dts_coll_kind kind)
{
    for (int a = 0; dts_colls[a] != NULL; a++)
        for (int f = 0; f < FORMATS; f++) {
            collective(&formats[f], dts_colls[a], kind, ELEMENTS, 0);
            collective(&formats[f], dts_colls[a], kind, LARGE, SMALL_PIECE); // windows again
        }
}

static void every_collective_leaves_the_same_bits_there(void)
{
    every_row(DTS_ALLREDUCE);
    every_row(DTS_ALLTOALL);
    every_row(DTS_SHIFT);
    CHECK(dts_wire_size(wire) == 1 || there.adds > 0);
    tell_all();
}

static void servers_sum_there_what_lies_there(void)
{
    const int ranks = dts_wire_size(wire);
    for (int f = 0; f < FORMATS - 1 && ranks > 1; f++) { // floats
        struct dts_job job = server_job(ranks - 1, 1, false, formats[f].bytes);
        compare(&job, formats[f].half, SMALL_PIECE);
        dts_job_free(&job);
    }
    tell_all();
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        TEST(every_collective_leaves_the_same_bits_there),
        TEST(servers_sum_there_what_lies_there),
    };
    int failed;
    if (!open_wire(&wire, &argc, &argv, &failed))
        return failed;
    there.memory =
        mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    failed =
        there.memory == MAP_FAILED || check_run(tests, (int)(sizeof(tests) / sizeof(tests[0])));
    dts_wire_close(wire);
    return failed;
}
