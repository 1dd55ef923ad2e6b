/* question.c -- files of a small scenario out of choices. */
#include "question.h"

#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "fuzz.h"
#include "sim/net/fabric/fabric.h"
#include "sim/net/topology/topology.h"

enum { NODES = 6, DEVICES = 4, LAYERS = 6, MOST_LINKS = 50000 };

/* What is written, and where it goes. */
struct page {
    FILE *out;
    char *text;
    size_t length;
};

static FILE *begin(struct page *page)
{
    *page = (struct page){0};
    page->out = open_memstream(&page->text, &page->length);
    FUZZ_CHECK(page->out != NULL);
    return page->out;
}

static const char *end(struct page *page, struct fuzz_file *file)
{
    fclose(page->out);
    if (getenv("FUZZ_SHOW") != NULL)
        fprintf(stderr, "%s\n", page->text);
    const char *path = fuzz_file_fill(file, page->text, page->length);
    free(page->text);
    return path;
}

static void write_layer(FILE *out, struct fuzz_choices *c)
{
    static const char *const plain[] = {"relu", "batch_norm", "layer_norm", "dropout", "gelu"};
    const int kind = fuzz_below(c, 16);
    if (kind < 6) {
        fprintf(out, "{\"kind\": \"linear\", \"outputs\": %.0f}, ", fuzz_between(c, 1, 5000));
    } else if (kind < 15) {
        const int row = fuzz_below(c, (int)(sizeof(plain) / sizeof(plain[0])));
        fprintf(out, "{\"kind\": \"%s\"}, ", plain[row]);
    } else {
        const char *name = fuzz_word(c, dts_layer_kind_name);
        fprintf(out, "{\"kind\": \"%s\"", name);
        fuzz_fields(out, c, dts_layer_kind_find(name)->fields);
        fprintf(out, "}, ");
    }
}

static const char *write_model(struct fuzz_file *file, struct fuzz_choices *c)
{
    static const char *const inputs[] = {"[100]", "[3, 8, 8]", "[16]", "[4, 16]"};
    struct page page;
    FILE *out = begin(&page);
    const int input = fuzz_below(c, 5), layers = 1 + fuzz_below(c, LAYERS);
    fprintf(out, "{\"name\": \"m\", \"input\": %s, \"layers\": [", inputs[input % 4]);
    if (input == 2)
        fprintf(out,
                "{\"kind\": \"embedding\", \"vocabulary\": %.0f, \"features\": 8, \"sparse\": "
                "%s}, ",
                fuzz_between(c, 10, 5000), fuzz_below(c, 2) == 0 ? "true" : "false");
    if (input == 1)
        fprintf(out, "{\"kind\": \"conv2d\", \"channels\": 8, \"kernel\": 3, \"padding\": 1}, "
                     "{\"kind\": \"batch_norm\"}, {\"kind\": \"global_pool\"}, ");
    for (int l = 0; l < layers; l++)
        write_layer(out, c);
    fprintf(out, "{\"kind\": \"softmax_cross_entropy\"}]}");
    return end(&page, file);
}

static const char *write_device(struct fuzz_file *file, struct fuzz_choices *c)
{
    struct page page;
    FILE *out = begin(&page);
    fprintf(out,
            "{\"summary\": \"d\", \"kind\": \"gpu\", \"peak_flops_per_s\": {\"fp32\": %.6g, "
            "\"fp16\": 2e13, \"bf16\": 2e13}, \"memory\": {\"bytes\": %.6g, \"bytes_per_s\": "
            "%.6g}, \"efficiency\": {\"conv\": 0.5, \"matmul\": 0.6, \"memory\": 0.7}, "
            "\"call_s\": %.6g}",
            fuzz_between(c, 1e12, 1e13), fuzz_between(c, 1e8, 1e10),
            fuzz_between(c, 1e10, 1e12), fuzz_between(c, 1e-7, 1e-5));
    return end(&page, file);
}

static const char *write_stack(struct fuzz_file *file, struct fuzz_choices *c)
{
    struct page page;
    FILE *out = begin(&page);
    fprintf(out, "{\"summary\": \"k\", \"algorithm\": \"%s\"", fuzz_word(c, dts_coll_name));
    if (fuzz_below(c, 2) > 0)
        fprintf(out,
                ", \"buckets\": {\"first_bytes\": %.6g, \"bytes\": %.6g, \"cycle_s\": %.6g}",
                fuzz_between(c, 100, 1e6), fuzz_between(c, 1000, 1e7),
                fuzz_below(c, 2) > 0 ? fuzz_between(c, 1e-5, 1e-2) : 0);
    if (fuzz_below(c, 2) > 0)
        fprintf(out, ", \"fixed_s\": %.6g, \"overlap\": {\"slowdown\": %.6g}",
                fuzz_between(c, 1e-6, 1e-2), fuzz_between(c, 1e-3, 10));
    if (fuzz_below(c, 2) > 0)
        fprintf(out, ", \"noise\": {\"device_sigma\": %.6g, \"step_sigma\": %.6g}",
                fuzz_between(c, 1e-3, 1), fuzz_between(c, 1e-3, 1));
    if (fuzz_below(c, 2) > 0)
        fprintf(out, ", \"channels\": %d, \"shards\": %d, \"piece_bytes\": %.6g",
                1 + fuzz_below(c, 4), 1 + fuzz_below(c, 4), fuzz_between(c, 1000, 1e6));
    fputc('}', out);
    return end(&page, file);
}

/* Keys of a transport (sim/net/transport_read.c), each optional. */
static const struct dts_field *transport_fields(void)
{
    static const struct dts_field fields[] = {
        {.key = "efficiency", .type = DTS_REAL, .min = 0.001, .max = 1, .missing = ""},
        {.key = "overhead_s", .type = DTS_REAL, .min = 0, .max = 10, .missing = ""},
        {.key = "flow_bytes_per_s", .type = DTS_REAL, .min = 0, .max = 1e15, .missing = ""},
        {.key = "flows", .type = DTS_INT, .min = 1, .max = 1024, .missing = ""},
        {.key = "host_bytes_per_s", .type = DTS_REAL, .min = 0, .max = 1e15, .missing = ""},
        {.key = "staged", .type = DTS_BOOL, .missing = ""},
        {.key = "blocking", .type = DTS_BOOL, .missing = ""},
        {.key = "reduce_bytes_per_s", .type = DTS_REAL, .min = 0, .max = 1e15, .missing = ""},
        {0},
    };
    return fields;
}

static void write_transport(FILE *out, struct fuzz_choices *c, const char *key)
{
    fprintf(out, "\"%s\": {\"name\": \"%s\"", key, fuzz_word(c, dts_transport_name));
    fuzz_fields(out, c, transport_fields());
    fputc('}', out);
}

/* A kind of a table, and its keys. */
static void write_kind(FILE *out, struct fuzz_choices *c, const char *name,
                       const struct dts_field *fields)
{
    fprintf(out, "{\"kind\": \"%s\"", name);
    fuzz_fields(out, c, fields);
    fputc('}', out);
}

static void write_node(FILE *out, struct fuzz_choices *c, int nodes, const char *device)
{
    const char *fabric = fuzz_word(c, dts_fabric_name);
    fprintf(out,
            "\"node\": {\"device\": \"%s\", \"devices\": %d, \"host_memory_bytes\": 1e10, "
            "\"host_memory_bytes_per_s\": %.6g, \"fabric\": ",
            device, 1 + fuzz_below(c, DEVICES), fuzz_between(c, 1e9, 1e11));
    write_kind(out, c, fabric, dts_fabric_find(fabric)->fields);
    if (fuzz_once_in(c, 4))
        fprintf(out, ", \"slow\": {\"factor\": %.6g, \"count\": %d}", fuzz_between(c, 1, 10),
                1 + fuzz_below(c, nodes));
    if (fuzz_once_in(c, 4))
        fprintf(out,
                ", \"compute\": {\"together\": [1, %.6g], \"communicating\": %.6g, "
                "\"messages\": %.6g}",
                fuzz_between(c, 1, 4), fuzz_between(c, 1e-3, 4), fuzz_between(c, 1e-3, 4));
    fprintf(out, "}, ");
}

static const char *write_platform(struct fuzz_file *file, struct fuzz_choices *c,
                                  const char *device)
{
    struct page page;
    FILE *out = begin(&page);
    const int nodes = 1 + fuzz_below(c, NODES);
    fprintf(out, "{\"name\": \"p\", \"summary\": \"p\", \"nodes\": %d, ", nodes);
    write_node(out, c, nodes, device);
    fprintf(out,
            "\"nics\": {\"count\": %d, \"bytes_per_s\": %.6g, \"latency_us\": %.6g, \"rails\": "
            "\"%s\"}, ",
            1 + fuzz_below(c, 2), fuzz_between(c, 1e6, 1e11), fuzz_between(c, 1e-2, 1e3),
            fuzz_word(c, dts_rails_name));
    const char *topology = fuzz_word(c, dts_topology_name);
    fprintf(out, "\"network\": ");
    write_kind(out, c, topology, dts_topology_find(topology)->fields);
    fprintf(out, ", \"transports\": {");
    write_transport(out, c, "within");
    fprintf(out, ", ");
    write_transport(out, c, "between");
    fprintf(out, "}");
    if (fuzz_once_in(c, 4))
        fprintf(out,
                ", \"storage\": {\"shared_bytes_per_s\": %.6g, \"node_bytes_per_s\": %.6g}",
                fuzz_between(c, 1e6, 1e11), fuzz_between(c, 1e6, 1e11));
    fputc('}', out);
    return end(&page, file);
}

static void write_strategy(FILE *out, struct fuzz_choices *c)
{
    const char *name = fuzz_word(c, dts_strategy_name);
    fprintf(out, ", \"strategies\": [");
    write_kind(out, c, name, dts_strategy_find(name)->fields);
    fprintf(out, "]");
}

static void write_placement(FILE *out, struct fuzz_choices *c)
{
    const char *kind = fuzz_word(c, dts_placement_name);
    fprintf(out, ", \"placement\": {\"kind\": \"%s\", \"seed\": %d", kind, fuzz_below(c, 256));
    if (strcmp(kind, "listed") == 0)
        fprintf(out, ", \"nodes\": [%d, %d, %d]", fuzz_below(c, 2), 2 + fuzz_below(c, 2),
                4 + fuzz_below(c, 2));
    fputc('}', out);
}

static void write_batch(FILE *out, struct fuzz_choices *c)
{
    const char *of = fuzz_once_in(c, 4) ? "global" : "per_device";
    fprintf(out, ", \"batch\": {\"%s\": %d", of, 1 + fuzz_below(c, 64));
    if (fuzz_once_in(c, 4))
        fprintf(out, ", \"accumulate\": %d", 1 + fuzz_below(c, 4));
    fputc('}', out);
}

static const char *write_scenario(struct fuzz_choices *c, const char *model, const char *stack,
                                  const char *platform)
{
    static struct fuzz_file file;
    struct page page;
    FILE *out = begin(&page);
    fprintf(
        out,
        "{\"model\": \"%s\", \"stack\": \"%s\", \"platform\": \"%s\", \"engine\": \"fluid\"",
        model, stack, platform);
    fprintf(out, ", \"dataset\": {\"name\": \"t\", \"samples\": 1e4, \"sample_bytes\": %d}",
            1000 * fuzz_below(c, 256));
    fprintf(out, ", \"devices\": %d", 1 + fuzz_below(c, NODES * DEVICES));
    fprintf(out, ", \"precision\": \"%s\"", fuzz_below(c, 2) > 0 ? "fp16" : "fp32");
    fprintf(out, ", \"optimizer\": \"%s\"", fuzz_word(c, dts_optimizer_name));
    fprintf(out, ", \"steps\": %d, \"seed\": %d", 2 + fuzz_below(c, 4), fuzz_below(c, 256));
    if (fuzz_once_in(c, 4))
        fprintf(out, ", \"batch_norm\": \"synchronized\"");
    write_batch(out, c);
    write_placement(out, c);
    write_strategy(out, c);
    fputc('}', out);
    return end(&page, &file);
}

/* The scenario of all choices; its path. */
static const char *write_files(struct fuzz_choices *c)
{
    static struct fuzz_file model, device, stack, platform;
    write_device(&device, c);
    write_model(&model, c);
    write_stack(&stack, c);
    write_platform(&platform, c, device.path);
    return write_scenario(c, model.path, stack.path, platform.path);
}

static bool open_scene(struct dts_scene *scene, const uint8_t *bytes, size_t size)
{
    const struct dts_changes none = {0};
    struct fuzz_choices choices = {bytes, size};
    struct dts_error err = {0};
    struct dts_doc *doc;
    const char *path = write_files(&choices);
    const bool good =
        dts_doc_load(&doc, path, &err) && dts_scene_read(&none, doc, 0, scene, &err);
    if (getenv("FUZZ_SHOW") != NULL)
        fprintf(stderr, "%s\n", good ? "read" : err.text);
    fuzz_check_answer(good, &err);
    return good;
}

static double work_of(const struct dts_job *job)
{
    double work = 0;
    for (int r = 0; r < job->role_count; r++)
        work += (double)job->roles[r].count * job->roles[r].plan.op_count;
    return work;
}

bool fuzz_question_open(struct fuzz_question *q, const uint8_t *bytes, size_t size, double most)
{
    struct dts_error err = {0};
    if (!open_scene(&q->scene, bytes, size))
        return false;
    q->question = (struct dts_question){
        .scenario = &q->scene.scenario,
        .platform = &q->scene.platform,
        .device = &q->scene.device,
        .strategy = &q->scene.scenario.strategies[0],
        .devices = q->scene.scenario.devices[0],
        .setting = "",
    };
    const bool good = dts_built_make(&q->question, &q->built, &err);
    if (getenv("FUZZ_SHOW") != NULL)
        fprintf(stderr, "%s\n", good ? "built" : err.text);
    fuzz_check_answer(good, &err);
    if (good && work_of(&q->built.job) <= most && q->scene.platform.net.links <= MOST_LINKS)
        return true;
    if (good)
        dts_built_free(&q->built);
    dts_scene_close(&q->scene);
    return false;
}

void fuzz_question_close(struct fuzz_question *q)
{
    dts_built_free(&q->built);
    dts_scene_close(&q->scene);
}
