/* test_launcher.c -- who started this process, by what the environment says. */
#include "train/live/launcher.h"

#include <stdlib.h>

#include "check.h"

static const char *const variables[] = {
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_RANK",
    "PMI_SIZE",
    "PMI_RANK",
    "MV2_COMM_WORLD_SIZE",
    "MV2_COMM_WORLD_RANK",
    "MPI_LOCALNRANKS",
    "MPI_LOCALRANKID",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_NTASKS",
    "SLURM_PROCID",
    "FLUX_JOB_SIZE",
    "FLUX_TASK_RANK",
    "PMIX_RANK",
};

/* What is found with these variables alone: name, value, ..., NULL. */
static struct dts_launcher with(const char *const *pairs)
{
    struct dts_launcher launcher;
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        unsetenv(variables[i]);
    for (int i = 0; pairs[i] != NULL; i += 2)
        setenv(pairs[i], pairs[i + 1], 1);
    dts_launcher_find(&launcher);
    return launcher;
}
#define WITH(...) with((const char *const[]){__VA_ARGS__, NULL})

static void each_launcher_tells_how_many_it_started(void)
{
    CHECK_INT(WITH("OMPI_COMM_WORLD_SIZE", "4", "OMPI_COMM_WORLD_RANK", "3").ranks, 4);
    CHECK_INT(WITH("PMI_SIZE", "2", "PMI_RANK", "1").ranks, 2);
    CHECK_INT(WITH("PMI_SIZE", "2", "PMI_RANK", "1").rank, 1);
    CHECK_INT(WITH("MPI_LOCALNRANKS", "8").ranks, 8);
    CHECK_INT(WITH("MPI_LOCALNRANKS", "8").rank, -1);
    CHECK_INT(WITH("SLURM_NTASKS", "16", "SLURM_PROCID", "0").ranks, 16);
    CHECK_INT(WITH("PMIX_RANK", "1").ranks, 2);
    CHECK_STRING(WITH("PMIX_RANK", "0", "SLURM_NTASKS", "2", "SLURM_PROCID", "0").name, "srun");
}

static void a_process_alone_has_none(void)
{
    CHECK(WITH("HOME", "/").name == NULL);
    CHECK_INT(WITH("HOME", "/").ranks, 0);
    CHECK_INT(WITH("PMI_SIZE", "two").ranks, 0);
    CHECK_INT(WITH("SLURM_NTASKS", "16").ranks, 0); // a shell of salloc
}

/* A batch job of two tasks in which mpirun starts one. */
static void a_job_does_not_count_where_a_launcher_does(void)
{
    const struct dts_launcher one = WITH("SLURM_NTASKS", "2", "SLURM_PROCID", "0",
                                         "OMPI_COMM_WORLD_SIZE", "1", "PMIX_RANK", "0");
    CHECK_INT(one.ranks, 1);
    CHECK_INT(WITH("SLURM_NTASKS", "2", "SLURM_STEP_NUM_TASKS", "1", "SLURM_PROCID", "0").ranks,
              1);
}

TESTS(TEST(each_launcher_tells_how_many_it_started), TEST(a_process_alone_has_none),
      TEST(a_job_does_not_count_where_a_launcher_does))
