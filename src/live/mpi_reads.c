/* mpi_reads.c -- asks the MPI library at run time, by the extension that Open MPI and MPICH
 * have for it; MPI itself has no such question. CMake says whether the library at hand has it.
 */
#include "live/mpi_reads.h"

#include <mpi.h>
#include <string.h>
#ifdef DTS_MPI_EXT // Open MPI declares it there
#include <mpi-ext.h>
#endif

static bool reads_cuda(const char **why)
{
#ifdef DTS_MPI_CUDA_QUERY
    *why = "it is not CUDA-aware (MPIX_Query_cuda_support)";
    return MPIX_Query_cuda_support() == 1;
#else
    *why = "it cannot be asked whether it is CUDA-aware (it has no MPIX_Query_cuda_support)";
    return false;
#endif
}

bool dts_mpi_reads(const char *device, const char **why)
{
    static const struct {
        const char *device;
        bool (*reads)(const char **why);
    } rows[] = {{"cuda", reads_cuda}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].device, device) == 0)
            return rows[i].reads(why);
    *why = "it knows no such device";
    return false;
}
