# syntax=docker/dockerfile:1
# docker build -t diorama . && docker run -p 3000:3000 -e DATABASE_URL=postgres://… diorama
#
# The bases are tags, which get security fixes. For a build that is the same again, give their digests:
#   docker build --build-arg RUNTIME_IMAGE=gcr.io/distroless/base-debian12:nonroot@sha256:… .
ARG BUN_IMAGE=oven/bun:1.4.5
ARG POSTGRES_IMAGE=postgres:17-bookworm
ARG RUNTIME_IMAGE=gcr.io/distroless/base-debian12:nonroot

FROM ${BUN_IMAGE} AS build
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY scripts/patches scripts/patches
RUN --mount=type=cache,target=/root/.bun/install/cache bun install --frozen-lockfile --ignore-scripts
COPY tsconfig.json LICENSE ./
COPY scripts scripts
COPY seeds seeds
COPY src src
ARG VERSION
RUN DIORAMA_VERSION=$VERSION bun run build

# For one test, as a sidecar: with a Postgres of its own, and a shell for the hooks of a harness.
#   docker build --target task -t diorama:task . && docker run -e DIORAMA_TASK=TEST_ID diorama:task
FROM ${POSTGRES_IMAGE} AS task
RUN apt-get update && apt-get install -y --no-install-recommends curl && rm -rf /var/lib/apt/lists/*
COPY --from=build /app/dist/diorama /usr/local/bin/diorama
COPY scripts/task /usr/local/bin/diorama-task
ENV ENVIRONMENT=production PORT=3000 POSTGRES_HOST_AUTH_METHOD=trust
# Not in the volume of the base image, whose contents a build does not keep.
ENV DATABASE_URL=postgres://postgres@127.0.0.1:5432/postgres PGDATA=/var/lib/postgresql/task
RUN diorama-task prepare
EXPOSE 3000
HEALTHCHECK --interval=1s --timeout=3s --start-period=30s CMD ["curl", "-sf", "http://127.0.0.1:3000/task"]
ENTRYPOINT ["diorama-task"]

# A suite as an environment of OpenEnv, at port 8000 and without a key. Made of the files alone: the image of Postgres
# declares a volume, which OpenEnv's validator rejects. Any user can run it, on a read-only file system but for /tmp.
#   docker build --target suite -t diorama:suite . && docker run -p 8000:8000 -e DIORAMA_SUITE="Chat benchmark" diorama:suite
FROM scratch AS suite
COPY --from=task / /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/postgresql/17/bin LANG=en_US.utf8 HOME=/tmp
ENV ENVIRONMENT=production PORT=8000 DATABASE_URL=postgres://postgres@127.0.0.1:5432/postgres PGDATA=/var/lib/postgresql/task
USER 65532:65532
EXPOSE 8000
HEALTHCHECK --interval=1s --timeout=3s --start-period=30s CMD ["curl", "-sf", "http://127.0.0.1:8000/health"]
ENTRYPOINT ["diorama-task"]

# The C library and certificates, an unprivileged user, no shell and no package manager.
FROM ${RUNTIME_IMAGE}
COPY --from=build /app/dist/diorama /usr/local/bin/diorama
ENV ENVIRONMENT=production PORT=3000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/usr/local/bin/diorama", "health"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/diorama"]
CMD ["serve"]
