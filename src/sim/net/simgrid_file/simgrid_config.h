/* simgrid_config.h -- what a SimGrid file sets of SimGrid itself (<config>), and does not here.
 */
#ifndef DTS_SIM_NET_SIMGRID_FILE_SIMGRID_CONFIG_H
#define DTS_SIM_NET_SIMGRID_FILE_SIMGRID_CONFIG_H

#include "base/text.h"
#include "sim/net/simgrid_file/xml_tag.h"

/* Of <config>, which was read, up to its end: refuses what would make SimGrid write or load
 * files, adds the names of the others to `unused`, and makes it all blank, so that SimGrid
 * never sees it. */
bool dts_simgrid_config(struct dts_xml *xml, const struct dts_xml_tag *config,
                        struct dts_text *unused, struct dts_error *err);

#endif
