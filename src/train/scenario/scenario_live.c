/* scenario_live.c -- the keys of "live": how `dtsim --live` runs a scenario. */
#include "train/scenario/scenario_live.h"

const char *dts_live_compute_name(int i)
{
    static const char *const words[] = {"timed", "kernels", NULL};
    return words[i];
}

const char *dts_live_data_name(int i)
{
    static const char *const words[] = {"made", "idx", NULL};
    return words[i];
}

const char *dts_live_device_name(int i)
{
    static const char *const words[] = {"cpu", "cuda", NULL};
    return words[i];
}

const char *dts_live_messages_name(int i)
{
    static const char *const words[] = {"auto", "staged", "direct", NULL};
    return words[i];
}

static const struct dts_field data_fields[] = {
    {DTS_KEY(struct dts_live_data, format), .type = DTS_STRING, .missing = "\"made\"",
     .choice = dts_live_data_name, .help = "made: of random numbers; idx: MNIST and its like"},
    {DTS_KEY(struct dts_live_data, folder), .type = DTS_STRING, .missing = "null",
     .help = "where the files of the data set are"},
    {0},
};

static const struct dts_field checkpoint_fields[] = {
    {DTS_KEY(struct dts_live_checkpoint, file), .type = DTS_STRING, .missing = "null",
     .help = "training goes on from it where it is there, and writes it"},
    {DTS_KEY(struct dts_live_checkpoint, every_steps), .type = DTS_INT, .min = 1,
     .max = 1000000000, .missing = "null",
     .help = "written after so many steps, and at the end"},
    {DTS_KEY(struct dts_live_checkpoint, every_epochs), .type = DTS_INT, .min = 1,
     .max = 1000000, .missing = "1", .help = "and after so many epochs"},
    {0},
};

static const struct dts_field scaling_fields[] = {
    {DTS_KEY(struct dts_live_scaling, rule), .type = DTS_STRING, .choice = dts_scaling_name,
     .help = "linear, square_root: learning_rate is that of `batch`; constant: of all"},
    {DTS_KEY(struct dts_live_scaling, batch), .type = DTS_INT, .min = 1, .max = 1 << 30,
     .help = "samples of a step, of all devices, that learning_rate is for"},
    {0},
};

const struct dts_field dts_live_fields[] = {
    {DTS_KEY(struct dts_live_settings, compute), .type = DTS_STRING, .missing = "\"timed\"",
     .choice = dts_live_compute_name,
     .help = "kernels: train for real; timed: wait for as long as predicted"},
    {DTS_KEY(struct dts_live_settings, steps), .type = DTS_INT, .min = 1, .max = 1000000,
     .missing = "20", .help = "steps that are measured"},
    {DTS_KEY(struct dts_live_settings, warm_up), .type = DTS_INT, .min = 1, .max = 1000000,
     .missing = "3", .help = "steps before them"},
    {DTS_KEY(struct dts_live_settings, device), .type = DTS_STRING, .missing = "\"cpu\"",
     .choice = dts_live_device_name,
     .help = "of each rank that trains, with kernels; cuda: an NVIDIA GPU of its own"},
    {DTS_KEY(struct dts_live_settings, device_messages), .type = DTS_STRING,
     .missing = "\"auto\"", .choice = dts_live_messages_name,
     .help = "direct: MPI reads and writes a device's memory; staged: it is copied to the "
             "host; auto: direct where MPI can"},
    {DTS_KEY(struct dts_live_settings, threads), .type = DTS_INT, .min = 1, .max = 1024,
     .missing = "1", .help = "of each rank on a CPU, with kernels"},
    {DTS_KEY(struct dts_live_settings, epochs), .type = DTS_INT, .min = 1, .max = 1000000,
     .missing = "null",
     .help = "with kernels: go on after the measured steps, for so many epochs in all"},
    {DTS_KEY(struct dts_live_settings, data), .type = DTS_OBJECT, .missing = "{}",
     .fields = data_fields, .help = "with kernels: what is trained on"},
    {DTS_KEY(struct dts_live_settings, learning_rate), .type = DTS_REAL, .min = 0, .max = 1e3,
     .missing = "0.01", .help = "of the optimizer, with kernels"},
    {DTS_KEY(struct dts_live_settings, loss_scale), .type = DTS_REAL, .min = 1, .max = 1e30,
     .missing = "65536", .help = "with kernels in fp16: what it begins with"},
    {DTS_KEY(struct dts_live_settings, schedule), .type = DTS_OBJECT, .missing = "{}",
     .fields = dts_schedule_fields, .help = "how the rate changes, with kernels"},
    {DTS_KEY(struct dts_live_settings, scaling), .type = DTS_OBJECT, .missing = "null",
     .fields = scaling_fields, .help = "how learning_rate follows the batch, with kernels"},
    {DTS_KEY(struct dts_live_settings, checkpoint), .type = DTS_OBJECT, .missing = "{}",
     .fields = checkpoint_fields, .help = "with kernels: what an interrupted run goes on from"},
    {DTS_KEY(struct dts_live_settings, mllog), .type = DTS_STRING, .missing = "null",
     .help = "with kernels: file for a log as MLPerf's rules want it; -: standard error"},
    {DTS_KEY(struct dts_live_settings, noise_scale), .type = DTS_BOOL, .missing = "null",
     .help = "with kernels: measure the gradient noise scale, too"},
    {DTS_KEY(struct dts_live_settings, weights), .type = DTS_STRING, .missing = "null",
     .help = "file that the trained weights go to, with kernels"},
    {0},
};

double dts_live_base_rate(const struct dts_live_settings *settings, double batch)
{
    const struct dts_live_scaling *scaling = &settings->scaling;
    return scaling->rule == NULL
               ? settings->learning_rate
               : settings->learning_rate *
                     dts_scaling_factor(scaling->rule, batch / scaling->batch);
}
