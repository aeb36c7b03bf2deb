/** The parts of the replication protocol that we implement ourselves. */
import type { Lsn } from "~/capture/change";

/** The part of pg's client that the library does not export. */
export type ReplicationClient = {
  on(event: "notice", listener: (notice: { message?: string }) => void): void;
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>;
  connection: { sendCopyFromChunk(chunk: Buffer): void };
};

/** A plugin for the library: starts the stream after our own setup, and passes the bytes on unchanged. */
export const rawPlugin = (begin: (client: ReplicationClient) => Promise<string>) => ({
  name: "raw",
  options: {},
  async start(client: unknown) {
    const replication = client as ReplicationClient;
    return replication.query(await begin(replication));
  },
  parse: (data: Buffer) => data,
});

const POSTGRES_EPOCH_MS = 946_684_800_000;

/**
 * Standby status update: https://www.postgresql.org/docs/15/protocol-replication.html. Positions are exactly as
 * received: one more would skip a transaction that commits right after.
 */
export function standbyStatus(written: Lsn, flushed: Lsn): Buffer {
  const message = Buffer.alloc(34);
  message.write("r", 0);
  message.writeBigUInt64BE(written, 1);
  message.writeBigUInt64BE(flushed, 9);
  message.writeBigUInt64BE(flushed, 17);
  message.writeBigInt64BE(BigInt(Date.now() - POSTGRES_EPOCH_MS) * 1000n, 25);
  message.writeInt8(0, 33);
  return message;
}
