/** Stands between a client and the server, and notes which revisions of the protocol the client speaks. */
export function startRecorder(target: string) {
  const revisions = new Set<string>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const revision = request.headers.get("mcp-protocol-version");
      if (revision) revisions.add(revision);
      const { pathname, search } = new URL(request.url);
      return await fetch(`${target}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        body: await request.bytes(),
      });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    revisions,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
