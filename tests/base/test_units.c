/* test_units.c -- numbers with units mean what people mean by them. */
#include "base/json/units.h"
#include "check.h"

static void units_are_those_of_the_key(void)
{
    static const struct {
        const char *key, *text;
        double want; // < 0: refused
    } cases[] = {
        {"bytes_per_s", "10Gb/s", 1.25e9},
        {"bytes_per_s", "10Gb", 1.25e9},
        {"bytes_per_s", "10 Gbit/s", 1.25e9},
        {"bytes_per_s", "100Gbps", 1.25e10},
        {"link_bytes_per_s", "1.25GB/s", 1.25e9},
        {"bytes_per_s", "12.5GB", 1.25e10},
        {"bytes_per_s", "1GiB/s", 1073741824},
        {"bytes_per_s", "8b/s", 1},
        {"bytes_per_s", "1e3kB/s", 1e6},
        {"bytes_per_s", "10G", -1},
        {"bytes_per_s", "10", -1},
        {"bytes_per_s", "10GB/h", -1},
        {"bucket_bytes", "25MB", 25e6},
        {"bucket_bytes", "64MiB", 67108864},
        {"bytes", "4kB", 4e3},
        {"bytes", "4KiB", 4096},
        {"bytes", "4Gb", -1},
        {"bytes", "4", -1},
        {"latency_us", "250ns", 0.25},
        {"latency_us", "2ms", 2000},
        {"latency_us", "1h", -1},
        {"overhead_s", "5us", 5e-6},
        {"fixed_s", "3min", 180},
        {"fixed_s", "2h", 7200},
        {"fp32_flops_per_s", "1s", -1},
        {"nodes", "5B", -1},
        {"steps", "5s", -1},
        {"overhead_s", "infs", -1},
        {"overhead_s", "s", -1},
        {"overhead_s", "", -1},
        {"bytes", "-4kB", -4e3},
        {"bytes_per_s", "+nanB/s", -1},
        {"bytes_per_s", "nanB/s", -1},
        {"latency_us", "+infus", -1},
        {"latency_us", "1e400us", -1},
        {"latency_us", "--1us", -1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double value = -1;
        const bool read = dts_unit_read(cases[i].key, cases[i].text, &value);
        if (!CHECK(cases[i].want == -1 ? !read
                                       : read && value / cases[i].want > 1 - 1e-12 &&
                                             value / cases[i].want < 1 + 1e-12))
            printf("%s: %s: %g\n", cases[i].key, cases[i].text, value);
    }
}

TESTS(TEST(units_are_those_of_the_key))
