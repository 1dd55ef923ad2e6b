cd $TMP && ln -s loop loop && dtsim loop
