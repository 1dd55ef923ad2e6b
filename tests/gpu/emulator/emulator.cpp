/* emulator.cpp -- the threads of a block in turns, each on a stack of its own. A warp runs
 * until all of it wait for the block or have ended, then another one; the order of warps, and
 * of threads in a warp, is another one each time. So what is read before it is written, or
 * written before all have read, is not what was meant. What a GPU refuses, or leaves undefined,
 * ends the program. */
#include "emulator.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <ucontext.h>
#include <vector>

#include "cuda_runtime.h"

dim3 threadIdx, blockIdx, blockDim, gridDim;
cudaError_t emulated_error;

enum { WARP = 32, STACK = 1 << 16, MOST_THREADS = 1024, MOST_Y = 65535 };

enum waiting { RUNS, FOR_BLOCK, FOR_WARP, ENDED };

/* What it gives to others has two places in turns: who is late still reads the one before. */
struct thread {
    ucontext_t context;
    dim3 index;
    waiting state;
    int turn;
    int flag[2];
    char value[2][sizeof(double)];
};

static thread threads[MOST_THREADS];
static char stacks[MOST_THREADS][STACK];
static size_t count; // of the block's threads
static thread *now;
static ucontext_t scheduler;
static const std::function<void()> *body;
static std::mt19937 random_bits(1);

static void refuse(const char *what)
{
    fprintf(stderr, "emulator: %s: block %u, %u of %u, %u with %u x %u threads\n", what,
            blockIdx.x, blockIdx.y, gridDim.x, gridDim.y, blockDim.x, blockDim.y);
    abort();
}

static void begin_thread()
{
    (*body)();
    now->state = ENDED;
    swapcontext(&now->context, &scheduler);
}

static void wait_for(waiting whom)
{
    now->state = whom;
    swapcontext(&now->context, &scheduler);
}

void __syncthreads()
{
    wait_for(FOR_BLOCK);
}

int __syncthreads_or(int value)
{
    const int turn = now->turn ^= 1;
    int any = 0;
    now->flag[turn] = value;
    wait_for(FOR_BLOCK);
    for (size_t i = 0; i < count; i++)
        any |= threads[i].flag[turn];
    return any;
}

/* Of the warp of the thread that runs. */
static const thread *warp()
{
    return threads + (now - threads) / WARP * WARP;
}

unsigned __ballot_sync(unsigned mask, int value)
{
    const int turn = now->turn ^= 1;
    unsigned votes = 0;
    if (mask != 0xffffffff)
        refuse("a vote of part of a warp");
    now->flag[turn] = value;
    wait_for(FOR_WARP);
    for (int i = 0; i < WARP; i++)
        votes |= (unsigned)(warp()[i].flag[turn] != 0) << i;
    return votes;
}

const void *emulated_shuffle(unsigned mask, const void *value, size_t bytes, unsigned lane)
{
    const int turn = now->turn ^= 1;
    if (mask != 0xffffffff || bytes > sizeof(now->value[0]))
        refuse("a shuffle of part of a warp, or of much");
    memcpy(now->value[turn], value, bytes);
    wait_for(FOR_WARP);
    return warp()[lane].value[turn];
}

static size_t how_many(waiting state, size_t from, size_t end)
{
    size_t found = 0;
    for (size_t i = from; i < end && i < count; i++)
        found += threads[i].state == state;
    return found;
}

static void go_on(size_t from, size_t end)
{
    for (size_t i = from; i < end && i < count; i++)
        if (threads[i].state != ENDED)
            threads[i].state = RUNS;
}

/* A warp runs for as long as it waits for nobody but itself. */
static void run_warp(size_t first)
{
    size_t order[WARP];
    std::iota(order, order + WARP, first);
    do {
        std::shuffle(order, order + WARP, random_bits);
        for (size_t i : order)
            if (i < count && threads[i].state == RUNS) {
                now = &threads[i];
                threadIdx = now->index;
                swapcontext(&scheduler, &now->context);
            }
        if (how_many(FOR_WARP, first, first + WARP) < WARP)
            return;
        go_on(first, first + WARP);
    } while (true);
}

/* All warps have run as far as they can. False: all have ended. */
static bool meet()
{
    const size_t ended = how_many(ENDED, 0, count), there = how_many(FOR_BLOCK, 0, count);
    if (ended + there < count)
        refuse("not all of a warp are at its shuffle");
    go_on(0, count);
    return there > 0;
}

static void begin_block()
{
    count = (size_t)blockDim.x * blockDim.y;
    for (size_t i = 0; i < count; i++) {
        thread *t = &threads[i];
        t->index = dim3(i % blockDim.x, i / blockDim.x);
        t->state = RUNS;
        t->turn = t->flag[0] = t->flag[1] = 0;
        getcontext(&t->context);
        t->context.uc_stack.ss_sp = stacks[i];
        t->context.uc_stack.ss_size = STACK;
        makecontext(&t->context, begin_thread, 0);
    }
}

static void run_block()
{
    std::vector<size_t> warps;
    begin_block();
    for (size_t first = 0; first < count; first += WARP)
        warps.push_back(first);
    do {
        std::shuffle(warps.begin(), warps.end(), random_bits);
        for (size_t first : warps)
            run_warp(first);
    } while (meet());
}

void emulated_run(dim3 grid, dim3 block, const std::function<void()> &thread)
{
    const size_t wanted = (size_t)block.x * block.y;
    gridDim = grid, blockDim = block, blockIdx = dim3(0, 0), body = &thread;
    if (wanted < 1 || wanted > MOST_THREADS || grid.x < 1 || grid.x > INT32_MAX || grid.y < 1 ||
        grid.y > MOST_Y || grid.z != 1 || block.z != 1)
        refuse("no such launch");
    for (unsigned y = 0; y < grid.y; y++)
        for (unsigned x = 0; x < grid.x; x++) {
            blockIdx = dim3(x, y);
            run_block();
        }
}
