/* launcher.c -- variables that launchers set for each rank.
 *
 * Sources: ompi/mca/schizo of Open MPI (OMPI_*); PMI-1 of MPICH's hydra, which Intel MPI has,
 * too (PMI_*, MPI_LOCAL*); MVAPICH2's user guide (MV2_*); srun(1), "OUTPUT ENVIRONMENT
 * VARIABLES" (SLURM_*); flux-environment(7) (FLUX_*); the PMIx standard (PMIX_RANK).
 */
#include "train/live/launcher.h"

#include <stdlib.h>

#include "base/text.h"

static const struct kind {
    const char *name, *ranks, *rank;

    /* A batch job has these variables, too, and starts mpirun by itself: they count only where
     * no other launcher was seen. */
    bool of_a_job;
} kinds[] = {
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", false},
    {"a launcher with PMI (MPICH's mpiexec, srun)", "PMI_SIZE", "PMI_RANK", false},
    {"MVAPICH2's launcher", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", false},
    {"MPICH's or Intel MPI's mpiexec", "MPI_LOCALNRANKS", "MPI_LOCALRANKID", false},
    {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", true},
    {"srun", "SLURM_NTASKS", "SLURM_PROCID", true},
    {"flux run", "FLUX_JOB_SIZE", "FLUX_TASK_RANK", true},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* -1: the variable is not there, or no such number. */
static int number_of(const char *variable)
{
    const char *text = getenv(variable);
    char *end;
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return -1;
    const long value = strtol(text, &end, 10);
    return *end == '\0' && value < 1 << 30 ? (int)value : -1;
}

/* Where several tell, the one that started most; of a job the first, which is a step's. */
static void look(bool of_a_job, struct dts_launcher *launcher)
{
    for (int k = 0; k < KINDS && (!of_a_job || launcher->name == NULL); k++) {
        const int ranks = number_of(kinds[k].ranks), rank = number_of(kinds[k].rank);
        if (kinds[k].of_a_job == of_a_job && (rank >= 0 || !of_a_job) &&
            ranks > launcher->ranks)
            *launcher = (struct dts_launcher){kinds[k].name, kinds[k].ranks, ranks, rank};
    }
}

void dts_launcher_find(struct dts_launcher *launcher)
{
    *launcher = (struct dts_launcher){.rank = -1};
    look(false, launcher);
    if (launcher->name == NULL)
        look(true, launcher);
    const int rank = number_of("PMIX_RANK"); // which does not say how many there are
    if (rank >= launcher->ranks)
        *launcher = (struct dts_launcher){"a launcher with PMIx", "PMIX_RANK", rank + 1, rank};
}

bool dts_launcher_check(const struct dts_launcher *launcher, const struct dts_wire *wire,
                        const char *what, struct dts_error *err)
{
    char library[80];
    if (dts_wire_size(wire) > 1 || launcher->ranks <= 1)
        return true;
    dts_wire_library(library, sizeof(library));
    return dts_fail(err, DTS_BAD_INPUT,
                    "%s: %s started %d ranks (%s), and each found itself alone: dtsim-live is "
                    "built with %s and needs its mpirun, or srun --mpi=pmix",
                    what, launcher->name, launcher->ranks, launcher->variable, library);
}
