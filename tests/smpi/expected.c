/* expected.c -- what the engine `exact` says of the jobs of cases.h on a SimGrid platform.
 *
 *     expected PLATFORM.xml RANKS    prints "NAME RANKS step_s messages bytes" for each case
 */
#include "cases.h"
#include "sim/engine.h"
#include "sim/net/simgrid_file/net_simgrid.h"

static bool run(const char *name, const struct dts_job *job, const struct dts_net *net)
{
    struct dts_error err = {0};
    struct dts_timing timing;
    struct dts_traffic traffic;
    int endpoints[MOST_NODES];
    for (int r = 0; r < job->ranks; r++)
        endpoints[r] = r;
    const struct dts_simulation simulation = {
        .job = job, .net = net, .endpoint = endpoints, .steps = STEPS};
    if (!dts_engine_find("exact")->run(&simulation, &timing, &err)) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        return false;
    }
    dts_job_traffic(job, &traffic);
    printf("%s %d %.9e %.0f %.0f\n", name, job->ranks, timing.step_s, traffic.messages,
           traffic.bytes);
    dts_timing_free(&timing);
    return true;
}

int main(int argc, char **argv)
{
    struct dts_error err = {0}, note = {0};
    struct dts_net net;
    struct dts_job job;
    const char *name;
    bool good = true;
    if (argc != 3 || !dts_net_from_simgrid(&net, argv[1], NULL, &note, &err)) {
        fprintf(stderr, "%s\n", argc == 3 ? err.text : "usage: expected PLATFORM.xml RANKS");
        return 2;
    }
    for (int i = 0; case_of(i, atoi(argv[2]), &name, &job); i++)
        if (name != NULL) {
            good = run(name, &job, &net) && good;
            free_job(&job);
        }
    dts_net_free(&net);
    return good ? 0 : 1;
}
