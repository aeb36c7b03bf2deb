/** An HTTP proxy on this machine that sends intercepted hosts to the relay and any other host to its destination. */
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Targets } from "~/commands/intercept/targets";

const CONNECT_TIMEOUT_MS = 30_000;
const HTTPS_PORT = 443;

/** `upstream`: the proxy that other hosts are reached through, if this machine needs one. */
export async function startProxy(targets: Targets, relayPort: number, upstream: URL | undefined) {
  const server = createServer((_request, response) => {
    response.writeHead(405, { Allow: "CONNECT" }).end();
  });
  server.on("connect", (request, client: Socket, head: Buffer) => {
    const [, host = "", port = ""] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(request.url ?? "") ?? [];
    const isOurs = Number(port) === HTTPS_PORT && targets.has(host);
    const through = isOurs ? undefined : upstream;
    const remote = isOurs
      ? connect(relayPort, "127.0.0.1")
      : connect(Number(through ? through.port || 80 : port), through?.hostname ?? host);
    const end = () => {
      remote.destroy();
      client.destroy();
    };
    remote.setTimeout(CONNECT_TIMEOUT_MS, end);
    remote.once("connect", () => {
      remote.setTimeout(0);
      // The upstream proxy sends its own answer.
      if (through) remote.write(connectHead(host, port, through));
      else client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length > 0) remote.write(head);
      remote.pipe(client);
      client.pipe(remote);
    });
    remote.once("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    remote.once("close", end);
    client.once("error", end);
    client.once("close", end);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function connectHead(host: string, port: string, { username, password }: URL): string {
  const name = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const credential =
    username === "" ? "" : `Proxy-Authorization: Basic ${Buffer.from(user).toString("base64")}\r\n`;
  return `CONNECT ${name} HTTP/1.1\r\nHost: ${name}\r\n${credential}\r\n`;
}
