# Dockerfile -- dtsim on Debian 12:
#
#     docker build -t dtsim .
#     docker run --rm -v "$PWD:/here" --user "$(id -u):$(id -g)" dtsim imagenet_1h
#     docker run --rm -v "$PWD:/here" --user "$(id -u):$(id -g)" dtsim imagenet_1h -o scaling.svg
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
        cmake gcc libc6-dev g++ ninja-build pkg-config dpkg-dev file \
        libjansson-dev libopenblas-dev zlib1g-dev libsimgrid-dev libopenmpi-dev openmpi-bin \
    && rm -rf /var/lib/apt/lists/*
COPY . /dtsim
WORKDIR /build
# The image may run on another processor than the one that built it.
RUN cmake -S /dtsim -B /build -G Ninja -DDTSIM_NATIVE=OFF -DDTSIM_TESTS=OFF -DDTSIM_CUDA=OFF \
    && cmake --build /build && cpack -G DEB

FROM debian:12-slim
COPY --from=build /build/dtsim_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/dtsim_*.deb openmpi-bin \
        gnuplot-nox \
    && rm -rf /var/lib/apt/lists/* /tmp/dtsim_*.deb
WORKDIR /here
ENTRYPOINT ["dtsim"]
