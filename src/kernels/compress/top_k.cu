/* top_k.cu -- the GPU version of top_k.c, which says what is computed: the
 * same two histograms, then blocks take pieces of the values and write what is sent of them in
 * its order. Counters of a histogram are integers, whose atomic sums have no order; no value is
 * added by atomics. The host waits for nothing: what is found stays in the GPU's memory.
 */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/compress/top_k.h"
}

enum { BUCKETS = DTS_TOP_K_BUCKETS, MOST_PIECES = 1024, WARPS = DTS_THREADS / DTS_WARP };

/* What the histograms say: bits of the k-th magnitude; how many values of its bucket, in the
 * end of those that equal it, are taken. */
struct found {
    uint32_t upper, kth;
    unsigned long long rank;
};

/* Of a piece: values above the k-th magnitude and equal to it; then of the pieces before it. */
struct piece {
    unsigned long long above, equal;
};

struct scratch {
    struct found *found;
    struct piece *pieces;
    uint32_t *histogram;
};

static struct scratch scratch_at(void *memory)
{
    struct scratch s;
    s.found = (struct found *)memory;
    s.pieces = (struct piece *)(s.found + 1);
    s.histogram = (uint32_t *)(s.pieces + MOST_PIECES);
    return s;
}

extern "C" size_t dts_top_k_scratch_cuda(size_t, int)
{
    return sizeof(struct found) + MOST_PIECES * sizeof(struct piece) +
           BUCKETS * sizeof(uint32_t);
}

static __device__ uint32_t magnitude(float x)
{
    return __float_as_uint(x) & 0x7fffffff;
}

/* From the largest bucket down: a thread adds some neighbours, the first thread then finds
 * whose the rank is, and which bucket. */
static __global__ void find(const uint32_t *histogram, struct found *found, size_t k,
                            bool lower)
{
    enum { EACH = BUCKETS / DTS_THREADS };
    __shared__ unsigned long long sums[DTS_THREADS];
    unsigned long long sum = 0, rank = lower ? found->rank : k;
    for (unsigned i = 0; i < EACH; i++)
        sum += histogram[BUCKETS - 1 - (threadIdx.x * EACH + i)];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    unsigned group = 0;
    while (group + 1 < DTS_THREADS && sums[group] < rank)
        rank -= sums[group++];
    uint32_t bucket = BUCKETS - 1 - group * EACH;
    while (bucket > 0 && histogram[bucket] < rank)
        rank -= histogram[bucket--];
    found->rank = rank;
    if (lower)
        found->kth = found->upper << 16 | bucket;
    else
        found->upper = bucket;
}

/* [first, end) of a block's piece. */
static __device__ size_t piece_begin(size_t count, unsigned piece)
{
    return (size_t)piece * ((count + gridDim.x - 1) / gridDim.x);
}

static __global__ void count_pieces(const float *x, size_t count, const struct found *found,
                                    struct piece *pieces)
{
    const size_t end = min(count, piece_begin(count, blockIdx.x + 1));
    const uint32_t kth = found->kth;
    unsigned mine_above = 0, mine_equal = 0;
    for (size_t i = piece_begin(count, blockIdx.x) + threadIdx.x; i < end; i += blockDim.x) {
        mine_above += magnitude(x[i]) > kth;
        mine_equal += magnitude(x[i]) == kth;
    }
    const struct piece sum = {dts_sum_over_block(mine_above), dts_sum_over_block(mine_equal)};
    if (threadIdx.x == 0)
        pieces[blockIdx.x] = sum;
}

/* Each piece's sums become those of the pieces before it. */
static __global__ void add_pieces(struct piece *pieces, unsigned count)
{
    struct piece before = {0, 0};
    for (unsigned i = 0; i < count; i++) {
        const struct piece here = pieces[i];
        pieces[i] = before;
        before.above += here.above;
        before.equal += here.equal;
    }
}

/* How many threads of the block before this one have `mine`; *all: of the whole block. */
static __device__ unsigned rank_in_block(bool mine, unsigned *all)
{
    __shared__ unsigned warps[WARPS];
    const unsigned votes = __ballot_sync(0xffffffff, mine);
    const unsigned warp = threadIdx.x / DTS_WARP, lane = threadIdx.x % DTS_WARP;
    unsigned before = __popc(votes & ((1u << lane) - 1));
    __syncthreads(); // warps of an earlier call have been read
    if (lane == 0)
        warps[warp] = __popc(votes);
    __syncthreads();
    *all = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        before += w < warp ? warps[w] : 0;
        *all += warps[w];
    }
    return before;
}

static __global__ void take(float *x, size_t count, const struct found *found,
                            const struct piece *pieces, uint32_t *numbers, float *values)
{
    const size_t begin = piece_begin(count, blockIdx.x);
    const size_t end = min(count, piece_begin(count, blockIdx.x + 1));
    struct piece before = pieces[blockIdx.x];
    for (size_t first = begin; first < end; first += blockDim.x) {
        const size_t i = first + threadIdx.x;
        const uint32_t m = i < end ? magnitude(x[i]) : 0;
        const bool above = i < end && m > found->kth, equal = i < end && m == found->kth;
        unsigned all_above, all_equal;
        const unsigned long long a = before.above + rank_in_block(above, &all_above);
        const unsigned long long e = before.equal + rank_in_block(equal, &all_equal);
        if (above || (equal && e < found->rank)) {
            const unsigned long long at = a + min(e, found->rank);
            numbers[at] = (uint32_t)i;
            values[at] = x[i];
            x[i] = 0;
        }
        before.above += all_above;
        before.equal += all_equal;
    }
}

extern "C" void dts_top_k_compress_cuda(float *x, size_t count, double share, void *message,
                                        void *memory, const struct dts_place *place)
{
    const struct scratch s = scratch_at(memory);
    const size_t k = dts_top_k_selected(count, share), bytes = BUCKETS * sizeof(uint32_t);
    uint32_t *histogram = s.histogram, *numbers = (uint32_t *)message;
    const struct found *found = s.found;
    cudaStream_t queue = dts_stream(place);
    if (count == 0)
        return;
    const size_t most = (count + DTS_THREADS - 1) / DTS_THREADS;
    const unsigned pieces = (unsigned)(most < MOST_PIECES ? most : MOST_PIECES);
    cudaMemsetAsync(histogram, 0, bytes, queue);
    dts_for_each(count, place, [=] __device__(size_t i) {
        atomicAdd(&histogram[magnitude(x[i]) >> 16], 1u);
    });
    find<<<1, DTS_THREADS, 0, queue>>>(histogram, s.found, k, false);
    cudaMemsetAsync(histogram, 0, bytes, queue);
    dts_for_each(count, place, [=] __device__(size_t i) {
        const uint32_t m = magnitude(x[i]);
        if (m >> 16 == found->upper)
            atomicAdd(&histogram[m & 0xffff], 1u);
    });
    find<<<1, DTS_THREADS, 0, queue>>>(histogram, s.found, k, true);
    count_pieces<<<pieces, DTS_THREADS, 0, queue>>>(x, count, found, s.pieces);
    add_pieces<<<1, 1, 0, queue>>>(s.pieces, pieces);
    take<<<pieces, DTS_THREADS, 0, queue>>>(x, count, found, s.pieces, numbers,
                                            (float *)(numbers + k));
}

extern "C" void dts_top_k_add_cuda(float *sum, size_t count, double share, const void *message,
                                   const struct dts_place *place)
{
    const size_t k = dts_top_k_selected(count, share);
    const uint32_t *numbers = (const uint32_t *)message;
    const float *values = (const float *)(numbers + k);
    dts_for_each(k, place, [=] __device__(size_t i) { sum[numbers[i]] += values[i]; });
}
