/** A Postgres that offers TLS, with a certificate of a private authority. */
import { chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, findPrograms, startCluster } from "../../scripts/postgres";

export type TlsCluster = {
  readonly cluster: Cluster;
  /** The path of a file: `ca.pem`, `other.pem` (an authority that signed nothing), `client.pem`, `client.key`. */
  file(name: string): string;
  /** The cluster's URL by the name in its certificate, with these parameters; by another host or user on request. */
  url(query: string, other?: { host?: string; user?: string }): string;
  remove(): Promise<void>;
};

export const PASSWORD = "secret";

/** Connection rules. The roles, other than postgres, have the password `secret`. */
const HBA = `
host all postgres all scram-sha-256
hostssl all only_encrypted all scram-sha-256
hostnossl all only_plain all scram-sha-256
hostssl all certified all cert
`;
const ROLES = ["only_encrypted", "only_plain", "certified"];

/** Its certificate is for localhost, not for 127.0.0.1. */
export async function startTlsCluster(dir: string): Promise<TlsCluster> {
  const folder = await mkdtemp(join(tmpdir(), "diorama-tls-"));
  const openssl = async (...args: string[]) => {
    const child = Bun.spawn(["openssl", ...args], {
      cwd: folder,
      stdout: "ignore",
      stderr: "pipe",
    });
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  };
  const newKey = (name: string) => ["-newkey", "rsa:2048", "-nodes", "-keyout", `${name}.key`];
  for (const name of ["ca", "other"])
    await openssl("req", "-x509", ...newKey(name), "-out", `${name}.pem`, "-subj", `/CN=${name}`);
  const signed = async (name: string, subject: string) => {
    await openssl("req", ...newKey(name), "-out", `${name}.csr`, "-subj", `/CN=${subject}`);
    await writeFile(join(folder, "names"), `subjectAltName=DNS:${subject}`);
    const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
    await openssl("x509", "-req", "-in", `${name}.csr`, "-out", `${name}.pem`, ...by);
  };
  await signed("server", "localhost");
  await signed("client", "certified");

  const source = (await findPrograms("embedded")) ? "embedded" : "system";
  const cluster = await startCluster({ source, dir, settings: { fsync: "off" } });
  const { uid, gid } = await stat(cluster.data);
  for (const name of ["server.pem", "server.key", "ca.pem"]) {
    const path = join(cluster.data, name);
    await copyFile(join(folder, name), path);
    await chmod(path, 0o600);
    await chown(path, uid, gid);
  }
  await writeFile(join(cluster.data, "pg_hba.conf"), HBA);
  await cluster.stop();
  await cluster.start({
    ssl: "on",
    ssl_cert_file: "server.pem",
    ssl_key_file: "server.key",
    ssl_ca_file: "ca.pem",
  });
  const sql = new Bun.SQL(cluster.url);
  for (const role of ROLES)
    await sql.unsafe(`create role ${role} login replication password '${PASSWORD}'`);
  await sql.close();

  return {
    cluster,
    file: (name) => join(folder, name),
    url(query, { host = "localhost", user } = {}) {
      const url = new URL(cluster.url);
      url.hostname = host;
      if (user) Object.assign(url, { username: user, password: PASSWORD });
      url.search = query;
      return url.href;
    },
    async remove() {
      await cluster.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
