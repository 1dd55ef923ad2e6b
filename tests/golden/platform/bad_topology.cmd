dtsim in/small.json --set platform.network.kind=dragonfli
