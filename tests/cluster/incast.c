/* incast.c -- all ranks send to rank 0 at once; prints the rate at which it receives, in bits a
 * second, the best of a few tries: `incast 1.91e+08`. Run on a shaped cluster (cluster.sh).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 2 << 20, TRIES = 4 };

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *data = calloc((size_t)size, BYTES);
    MPI_Request *requests = calloc((size_t)size, sizeof(MPI_Request));
    double best = 0;
    for (int i = 0; i < TRIES; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin_s = MPI_Wtime();
        for (int r = 1; rank == 0 && r < size; r++)
            MPI_Irecv(data + (size_t)r * BYTES, BYTES, MPI_BYTE, r, 0, MPI_COMM_WORLD,
                      &requests[r - 1]);
        if (rank > 0)
            MPI_Send(data, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        else
            MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
        double rate = 8.0 * BYTES * (size - 1) / (MPI_Wtime() - begin_s);
        best = rate > best ? rate : best;
    }
    if (rank == 0)
        printf("incast %.4g\n", best);
    free(data);
    free(requests);
    MPI_Finalize();
    return 0;
}
