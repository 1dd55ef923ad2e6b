/* version.h -- the version of dtsim, "0.2.0". */
#ifndef DTS_BASE_VERSION_H
#define DTS_BASE_VERSION_H

const char *dts_version(void);

#endif
