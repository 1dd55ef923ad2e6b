for subject in scenario model platform device stack convergence accuracy family result check list new profile predict help; do dtsim help $subject; done | awk 'length > 80'
