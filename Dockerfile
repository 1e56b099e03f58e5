# syntax=docker/dockerfile:1
# Roster as a container image: one executable, the C library, nothing else. See docs/deployment.md#containers.
ARG BUILD_IMAGE=node:22-bookworm-slim
ARG BASE_IMAGE=gcr.io/distroless/base-nossl-debian12:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json tsconfig.json bunfig.toml ./
RUN npm ci --no-audit --no-fund
COPY bin bin
COPY scripts scripts
COPY src src
RUN npm run build:executable && mkdir /data

FROM ${BASE_IMAGE}
COPY --from=build --chmod=0755 /src/dist/roster /usr/local/bin/roster
COPY --from=build --chown=65532:65532 --chmod=0700 /data /data
ENV HOST=0.0.0.0 \
    PORT=3000 \
    DATABASE_URL=/data/roster.db \
    PATH=/usr/local/bin
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s --retries=3 CMD ["/usr/local/bin/roster", "health", "--live"]
ENTRYPOINT ["/usr/local/bin/roster"]
CMD ["serve"]

ARG VERSION=dev
ARG REVISION=unknown
ARG CREATED=unknown
LABEL org.opencontainers.image.title="Roster" \
      org.opencontainers.image.description="A users directory with a REST API" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
