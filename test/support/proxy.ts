/** A proxy between a server and Postgres that can cut a connection or drop bytes at a chosen point. */
import { createConnection, createServer, type Socket } from "node:net";
import { overTcp } from "./database";

export type Link = {
  /** The connection streams the log. */
  readonly replication: boolean;
  /** Drops everything that the server sends from now on. */
  mute(): void;
  /** Cuts the connection as soon as Postgres has answered. */
  cutAtAnswer(): void;
  cut(): void;
  /** Ends the session after its next answer, like Postgres for an administrator. */
  terminate(): void;
  /** Holds back everything that Postgres sends, until `release`. */
  hold(): void;
  release(): void;
};

export type Proxy = Awaited<ReturnType<typeof startProxy>>;

/** ReadyForQuery, outside of a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** ErrorResponse: terminating connection due to administrator command. */
const TERMINATED = (() => {
  const fields = Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminated\0\0");
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

/** `onSent`: receives the server's bytes before Postgres does. */
export async function startProxy(
  databaseUrl: string,
  onSent: (link: Link, data: Buffer) => void = () => {},
) {
  const target = overTcp(databaseUrl);
  const links = new Set<Link>();

  const server = createServer((near) => {
    const far = createConnection(Number(target.port), target.hostname);
    let muted = false;
    let cutting = false;
    let terminating = false;
    let first = true;
    let replication = false;
    const link: Link = {
      get replication() {
        return replication;
      },
      mute: () => {
        muted = true;
      },
      cutAtAnswer: () => {
        cutting = true;
      },
      cut: () => {
        for (const socket of [near, far]) socket.destroy();
      },
      terminate: () => {
        terminating = true;
      },
      hold: () => {
        far.pause();
      },
      release: () => {
        far.resume();
      },
    };
    links.add(link);
    near.on("data", (data: Buffer) => {
      if (first) replication = data.includes("replication");
      first = false;
      onSent(link, data);
      if (!muted) far.write(data);
    });
    far.on("data", (data: Buffer) => {
      if (cutting) link.cut();
      else if (terminating && data.subarray(-READY.length).equals(READY)) {
        near.end(Buffer.concat([data, TERMINATED]));
        far.destroy();
      } else near.write(data);
    });
    const close = () => {
      links.delete(link);
      link.cut();
    };
    for (const socket of [near, far] as Socket[]) {
      socket.setNoDelay(true);
      socket.on("error", close);
      socket.on("close", close);
    }
  });
  await new Promise<void>((done) => server.listen(0, target.hostname, done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  const url = overTcp(databaseUrl);
  url.port = String(address.port);

  return {
    url: url.toString(),
    links: () => [...links],
    stop() {
      for (const link of links) link.cut();
      server.close();
    },
  };
}
