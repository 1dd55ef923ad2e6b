for subject in scenario model platform device stack convergence accuracy check list new profile predict help; do dtsim help $subject; done | awk 'length > 80'
