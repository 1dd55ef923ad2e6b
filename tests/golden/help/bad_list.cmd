dtsim list collectivs
