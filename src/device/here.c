/* here.c -- the device `here`: finds what was measured, has it measured, writes it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json/json_out.h"
#include "base/json/library.h"
#include "base/mem.h"
#include "base/os/ending.h"
#include "base/os/processor.h"
#include "base/os/program.h"
#include "base/os/scratch.h"
#include "base/text.h"
#include "device/here.h"

void dts_here_begin(const struct dts_roofline *r, const char *how, struct dts_json *json)
{
    char summary[480], threads[32] = "";
    if (r->threads > 0)
        snprintf(threads, sizeof(threads), "%d thread%s, ", r->threads,
                 r->threads > 1 ? "s" : "");
    snprintf(summary, sizeof(summary), "%s: %s, %s%s", how, r->name, threads, r->library);
    dts_json_object(json, NULL);
    dts_json_string(json, "summary", summary);
    dts_json_string(json, "kind", r->kind);
    dts_json_object(json, "peak_flops_per_s");
    for (int i = 0; i < DTS_PRECISIONS; i++)
        if (r->flops_per_s[i] > 0)
            dts_json_number(json, dts_precision_name(i), r->flops_per_s[i]);
    dts_json_string(json, "source", r->products);
    dts_json_end(json);
    dts_json_object(json, "memory");
    dts_json_number(json, "bytes", r->memory_bytes);
    dts_json_number(json, "bytes_per_s", r->memory_bytes_per_s);
    dts_json_string(json, "source", r->memory);
    dts_json_end(json);
    dts_json_object(json, "efficiency");
    dts_json_number(json, "conv", 0.7);
    dts_json_number(json, "matmul", 1);
    dts_json_number(json, "memory", 1);
    dts_json_string(json, "source",
                    "matmul and memory: the rates above were reached. conv: ASSUMED");
    dts_json_end(json);
    dts_json_number(json, "call_s", r->call_s);
    dts_json_string(json, "// call_s", r->call);
    dts_json_list(json, "assumed");
    dts_json_string(json, NULL, "efficiency.conv");
    dts_json_end(json);
}

void dts_here_print(const struct dts_roofline *roofline, FILE *out)
{
    struct dts_json json = {.out = out, .lines = 2};
    dts_here_begin(roofline, "measured on this machine", &json);
    dts_json_end(&json);
}

char *dts_here_folder(void)
{
    struct dts_text path = {0};
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache != NULL && cache[0] == '/')
        dts_text_add(&path, "%s/dtsim", cache);
    else if (home != NULL && home[0] == '/')
        dts_text_add(&path, "%s/.cache/dtsim", home);
    else
        return NULL;
    return dts_text_take(&path);
}

/* FNV-1a over what the measurement depends on. */
static uint64_t machine_hash(void)
{
    char machine[256], cpu[200];
    dts_processor_name(cpu, sizeof(cpu));
    snprintf(machine, sizeof(machine), "%s x %ld, fp32 fp64 bf16 fp16", cpu,
             sysconf(_SC_NPROCESSORS_ONLN));
    return dts_hash_bytes(14695981039346656037u, machine, strlen(machine));
}

/* The folder and the one above it; $HOME itself is not ours to make. */
static bool make_folder(const char *folder)
{
    char *above = dts_copy(folder);
    char *slash = strrchr(above, '/');
    if (slash != NULL && slash != above) {
        *slash = '\0';
        mkdir(above, 0755); // what matters is whether the folder itself can be made
    }
    free(above);
    return (mkdir(folder, 0755) == 0 || errno == EEXIST) && access(folder, W_OK | X_OK) == 0;
}

/* Can a file be written here? Asked before the machine is measured, which takes seconds: a disk
 * that is full says so only when something is written. */
static bool has_room(const char *path)
{
    static const char block[16384]; // more than is written
    struct dts_text name = {0};
    sigset_t before;
    dts_text_add(&name, "%s.XXXXXX", path);
    dts_ending_hold(&before);
    const int fd = mkstemp(name.chars);
    if (fd >= 0)
        dts_ending_remove(name.chars);
    dts_ending_release(&before);
    const bool room =
        fd >= 0 && write(fd, block, sizeof(block)) == (ssize_t)sizeof(block) && fsync(fd) == 0;
    if (fd >= 0) {
        close(fd);
        unlink(name.chars);
        dts_ending_keep(name.chars);
    }
    dts_text_free(&name);
    return room;
}

static void rename_device(struct dts_device *device)
{
    free(device->own_name);
    device->own_name = dts_copy(DTS_HERE);
    device->name = device->own_name;
}

static bool measure_unkept(struct dts_device *device, dts_here_fn measure, void *argument,
                           struct dts_error *err)
{
    struct dts_scratch *scratch;
    if (!dts_scratch_open(&scratch, "here", err))
        return false;
    const char *path = dts_scratch_file(scratch, "here.json");
    bool good = has_room(path);
    if (!good)
        dts_fail(err, DTS_SYSTEM, "%s: no room for what is measured (TMPDIR names the folder)",
                 path);
    good = good && measure(argument, path, err) && dts_device_load(device, path, err);
    dts_scratch_close(scratch);
    return good;
}

bool dts_here_load(struct dts_device *device, const char *folder, dts_here_fn measure,
                   void *argument, bool *kept, struct dts_error *err)
{
    struct dts_text path = {0};
    struct dts_error broken = {0};
    *kept = true;
    if (folder != NULL) {
        dts_text_add(&path, "%s/here-%016" PRIx64 ".json", folder, machine_hash());
        if (dts_device_load(device, path.chars, &broken)) {
            rename_device(device);
            dts_text_free(&path);
            return true;
        }
    }
    *kept = folder != NULL && make_folder(folder) && has_room(path.chars);
    const bool good =
        *kept ? measure(argument, path.chars, err) && dts_device_load(device, path.chars, err)
              : measure_unkept(device, measure, argument, err);
    dts_text_free(&path);
    if (good)
        rename_device(device);
    return good;
}

/* Runs the program that measures. */
static bool run_measure(char *program, const char *path, struct dts_error *err)
{
    if (access(program, X_OK) != 0)
        return dts_fail(err, DTS_UNSUPPORTED, "device here: this build has no OpenBLAS");
    char *kept = dts_copy(path);
    char verb[] = "here", *words[] = {program, verb, kept, NULL};
    const bool good = dts_program_run(words, "this machine was not measured", err);
    free(kept);
    return good;
}

bool dts_here_measure(void *argument, const char *path, struct dts_error *err)
{
    (void)argument;
    char *program = dts_library_program("dtsim-measure");
    const bool good = run_measure(program, path, err);
    free(program);
    return good;
}
