/* machines.c -- what platforms are in a few numbers. docs/platforms.md defines them. */
#include "cli/print/machines.h"

#include "base/json/json_out.h"
#include "base/text.h"

/* "12.5 GB/s", in the unit with one to three digits in front. */
static const char *rate(double bytes_per_s, char *words, size_t room)
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1e15, "PB/s"}, {1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1, "B/s"}};
    int i = 0;
    while (units[i].size > bytes_per_s && units[i].size > 1)
        i++;
    snprintf(words, room, "%.4g %s", bytes_per_s / units[i].size, units[i].name);
    return words;
}

static void print_bisection(const struct dts_platform_figures *figures, FILE *out)
{
    char words[32];
    struct dts_text text = {0};
    dts_text_add(&text, "%s, ", rate(figures->bisection_bytes_per_s, words, sizeof(words)));
    if (figures->halves != NULL)
        dts_text_add(&text, "%s", figures->halves);
    else
        dts_text_add(&text, "all that the NICs of half of the nodes carry");
    if (figures->surely == DTS_ONE_CUT)
        dts_text_add(&text, "; other halves may carry less");
    if (figures->surely == DTS_AT_LEAST)
        dts_text_add(&text, "; any halves carry at least this");
    dts_text_wrap(out, "  bisection    ", 15, DTS_HELP_WIDTH, dts_text_string(&text));
    dts_text_free(&text);
}

void dts_machine_text(const struct dts_platform *platform,
                      const struct dts_platform_figures *figures, FILE *out)
{
    char one[32], all[32];
    struct dts_text lead = {0};
    dts_text_add(&lead, "%s: ", platform->name);
    dts_text_wrap(out, dts_text_string(&lead), 2, DTS_HELP_WIDTH, platform->summary);
    dts_text_free(&lead);
    fprintf(out, "  nodes        %d with %d %s each, %d in all\n", figures->nodes,
            platform->devices_per_node, platform->device, figures->devices);
    fprintf(out, "  network      %s, %s: %lld, links between them: %lld\n", figures->topology,
            figures->called, figures->switches, figures->links);
    fprintf(out, "  injection    %s of a node (%d NIC%s), %s of all\n",
            rate(figures->node_injection_bytes_per_s, one, sizeof(one)), figures->nics,
            dts_plural(figures->nics), rate(figures->injection_bytes_per_s, all, sizeof(all)));
    print_bisection(figures, out);
    fprintf(out, "  diameter     %d link%s from node to node, %d of them between %s\n",
            figures->hops, dts_plural(figures->hops), figures->switch_hops, figures->called);
    fprintf(out, "  latency      %.4g us at most from device to device\n",
            figures->latency_s * 1e6);
}

void dts_machine_text_notes(FILE *out)
{
    fprintf(out, "\nRates are one way, a cable that carries both ways is two links. Routes are "
                 "minimal.\nLatency is without software. docs/platforms.md defines each.\n");
}

void dts_machine_json(const struct dts_platform *platform,
                      const struct dts_platform_figures *figures, struct dts_json *json)
{
    dts_json_object(json, NULL);
    dts_json_string(json, "name", platform->name);
    dts_json_string(json, "summary", platform->summary);
    dts_json_string(json, "topology", figures->topology);
    dts_json_integer(json, "nodes", figures->nodes);
    dts_json_integer(json, "devices", figures->devices);
    dts_json_integer(json, "nics_per_node", figures->nics);
    dts_json_integer(json, "switches", figures->switches);
    dts_json_integer(json, "switch_links", figures->links);
    dts_json_number(json, "node_injection_bytes_per_s", figures->node_injection_bytes_per_s);
    dts_json_number(json, "injection_bytes_per_s", figures->injection_bytes_per_s);
    dts_json_number(json, "bisection_bytes_per_s", figures->bisection_bytes_per_s);
    dts_json_string(json, "bisection_bound_by", figures->halves != NULL ? "links" : "nics");
    dts_json_string(json, "bisection_halves", figures->halves);
    dts_json_string(json, "bisection_is",
                    figures->surely == DTS_EXACT      ? "exact"
                    : figures->surely == DTS_AT_LEAST ? "at_least"
                                                      : "one_cut");
    dts_json_integer(json, "diameter_links", figures->hops);
    dts_json_integer(json, "diameter_switch_links", figures->switch_hops);
    dts_json_number(json, "latency_longest_s", figures->latency_s);
    dts_json_end(json);
}
