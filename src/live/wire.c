/* wire.c -- starts MPI, a communicator for each stream, and the few calls that all ranks make.
 */
#include "live/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "live/idle_wait.h"
#include "live/mpi_call.h"

struct dts_wire {
    int rank, size;
    MPI_Comm all, streams[DTS_STREAMS];
};

void dts_mpi_check(int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0, rank = -1;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, text, &length);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "dtsim: rank %d: %.*s: %s\n", rank, (int)strcspn(call, "("), call, text);
    MPI_Abort(MPI_COMM_WORLD, DTS_SYSTEM);
}

enum { AT_ONCE = 1 << 30, TAG = 1 }; // MPI counts in int

static MPI_Comm copy_world(void)
{
    MPI_Comm copy;
    DTS_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    DTS_MPI(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
    return copy;
}

/* More ranks than cores on this machine. */
static bool is_crowded(MPI_Comm all)
{
    MPI_Comm node;
    int ranks;
    DTS_MPI(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    DTS_MPI(MPI_Comm_size(node, &ranks));
    MPI_Comm_free(&node);
    return ranks > sysconf(_SC_NPROCESSORS_ONLN);
}

bool dts_wire_open(struct dts_wire **wire, bool threads, int *argc, char ***argv,
                   struct dts_error *err)
{
    int level;
    int needed = threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    if (MPI_Init_thread(argc, argv, needed, &level) != MPI_SUCCESS)
        return dts_fail(err, DTS_SYSTEM, "MPI cannot be started");
    if (level < needed) {
        MPI_Finalize();
        return dts_fail(err, DTS_UNSUPPORTED, "this MPI cannot be used by several threads");
    }
    struct dts_wire *w = dts_alloc(1, sizeof(*w));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    w->all = copy_world();
    for (int s = 0; s < DTS_STREAMS; s++)
        w->streams[s] = copy_world();
    DTS_MPI(MPI_Comm_rank(w->all, &w->rank));
    DTS_MPI(MPI_Comm_size(w->all, &w->size));
    dts_idle_wait_begin(is_crowded(w->all));
    *wire = w;
    return true;
}

void dts_wire_close(struct dts_wire *wire)
{
    for (int s = 0; s < DTS_STREAMS; s++)
        MPI_Comm_free(&wire->streams[s]);
    MPI_Comm_free(&wire->all);
    MPI_Finalize();
    free(wire);
}

/* What comes behind is the package, the date, or how it was configured. */
void dts_wire_library(char *name, size_t room)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    DTS_MPI(MPI_Get_library_version(text, &length));
    const size_t version = strncmp(text, "MPICH", 5) == 0 ? 0 : strcspn(text, ",");
    const size_t line = strcspn(text, "\n");
    snprintf(name, room, "%.*s", (int)(version > 0 && version < line ? version : line), text);
    for (char *c = name; *c != '\0'; c++) // "MPICH Version:\t4.0.2"
        if (*c == '\t')
            *c = ' ';
}

int dts_wire_rank(const struct dts_wire *wire)
{
    return wire->rank;
}

int dts_wire_size(const struct dts_wire *wire)
{
    return wire->size;
}

MPI_Comm dts_wire_comm(const struct dts_wire *wire, enum dts_stream stream)
{
    return wire->streams[dts_stream_wire(stream)];
}

MPI_Comm dts_wire_all(const struct dts_wire *wire)
{
    return wire->all;
}

void dts_wire_barrier(const struct dts_wire *wire)
{
    DTS_MPI(MPI_Barrier(wire->all));
}

void dts_wire_idle_barrier(const struct dts_wire *wire)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    MPI_Request request;
    int done = 0;
    DTS_MPI(MPI_Ibarrier(wire->all, &request));
    for (;;) {
        DTS_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        if (done)
            return;
        nanosleep(&pause, NULL);
    }
}

void dts_wire_gather(const struct dts_wire *wire, const double *mine, int count, double *all)
{
    DTS_MPI(MPI_Gather(mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, 0, wire->all));
}

void dts_wire_share(const struct dts_wire *wire, void *bytes, size_t count)
{
    for (size_t done = 0; done < count; done += AT_ONCE) {
        const size_t part = count - done < AT_ONCE ? count - done : AT_ONCE;
        DTS_MPI(MPI_Bcast((char *)bytes + done, (int)part, MPI_BYTE, 0, wire->all));
    }
}

void dts_wire_merge(const struct dts_wire *wire, void *bytes, size_t count)
{
    for (size_t done = 0; done < count; done += AT_ONCE) {
        const size_t part = count - done < AT_ONCE ? count - done : AT_ONCE;
        DTS_MPI(MPI_Allreduce(MPI_IN_PLACE, (char *)bytes + done, (int)part, MPI_BYTE, MPI_BOR,
                              wire->all));
    }
}

/* Between rank 0 and this one, or on rank 0 between it and `other`, part by part. */
static void move(const struct dts_wire *wire, void *bytes, size_t count, int other, bool send)
{
    for (size_t done = 0; done < count; done += AT_ONCE) {
        const size_t left = count - done;
        const int part = (int)(left < AT_ONCE ? left : AT_ONCE);
        if (send)
            DTS_MPI(MPI_Send((char *)bytes + done, part, MPI_BYTE, other, TAG, wire->all));
        else
            DTS_MPI(MPI_Recv((char *)bytes + done, part, MPI_BYTE, other, TAG, wire->all,
                             MPI_STATUS_IGNORE));
    }
}

/* Both ways between a rank's own bytes and their place in all. */
static void exchange(const struct dts_wire *wire, char *all, void *mine, size_t count,
                     bool collect)
{
    const double own = (double)count;
    double *counts = dts_alloc((size_t)wire->size, sizeof(*counts));
    dts_wire_gather(wire, &own, 1, counts);
    if (wire->rank > 0)
        move(wire, mine, count, 0, collect);
    else if (count > 0)
        memcpy(collect ? all : mine, collect ? mine : all, count);
    for (int r = 1; wire->rank == 0 && r < wire->size; r++) {
        all += (size_t)counts[r - 1];
        move(wire, all, (size_t)counts[r], r, !collect);
    }
    free(counts);
}

void dts_wire_collect(const struct dts_wire *wire, const void *mine, size_t count, void *all)
{
    exchange(wire, all, (void *)mine, count, true); // it is only read then
}

void dts_wire_deal(const struct dts_wire *wire, const void *all, void *mine, size_t count)
{
    exchange(wire, (char *)all, mine, count, false);
}

bool dts_wire_all_say(const struct dts_wire *wire, bool mine)
{
    const int says = mine;
    int all;
    DTS_MPI(MPI_Allreduce(&says, &all, 1, MPI_INT, MPI_MIN, wire->all));
    return all != 0;
}

void dts_wire_abort(const struct dts_wire *wire, const char *why)
{
    fprintf(stderr, "dtsim: %s\n", why);
    MPI_Abort(wire->all, DTS_SYSTEM);
}

bool dts_wire_agree(const struct dts_wire *wire, struct dts_error *err)
{
    int mine = err->cause != DTS_NO_ERROR ? wire->rank : wire->size, first;
    DTS_MPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, wire->all));
    if (first == wire->size)
        return true;
    DTS_MPI(MPI_Bcast(err, (int)sizeof(*err), MPI_BYTE, first, wire->all));
    return false;
}
