# DtsInstall -- what `cmake --install` adds to the programs, and the Debian package that `cpack -G DEB` makes of it.

# The library of names; base/json/library.c finds it beside bin/.
install(DIRECTORY models devices stacks platforms scenarios validation convergence accuracy profiles
  DESTINATION share/dtsim OPTIONAL)
install(DIRECTORY tools DESTINATION share/dtsim USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "*.py")
install(FILES LICENSE DESTINATION share/doc/dtsim RENAME copyright)
install(FILES README.md CHANGELOG.md DESTINATION share/doc/dtsim)
install(DIRECTORY docs DESTINATION share/doc/dtsim PATTERN "*.sh" EXCLUDE PATTERN "*.py" EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dtsim)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The developers of dtsim")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predicts and runs distributed deep-learning training")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "openmpi-bin, gnuplot-nox")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-torch")
set(description "How long will a training step take on a cluster, and how does it scale?
dtsim answers before the cluster is there, and lists everything that its
answer rests on. The same plan runs over MPI, and trains for real.")
if(DTSIM_NATIVE AND (DTSIM_OPENBLAS OR DTSIM_LIVE))
  string(APPEND description "
.
This build computes on processors like the one that it was built on alone:
-DDTSIM_NATIVE=OFF makes one for any of the family.")
endif()
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "${description}")
include(CPack)
