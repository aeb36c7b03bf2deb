/** A private authority, and a certificate that it has signed for a name. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** PEM texts. */
export type TestAuthority = {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
};

export async function createAuthority(name: string): Promise<TestAuthority> {
  const folder = await mkdtemp(join(tmpdir(), "diorama-authority-"));
  const openssl = async (...args: string[]) => {
    const child = Bun.spawn(["openssl", ...args], {
      cwd: folder,
      stdout: "ignore",
      stderr: "pipe",
    });
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  };
  const newKey = (file: string) => ["-newkey", "rsa:2048", "-nodes", "-keyout", file];
  try {
    await openssl("req", "-x509", ...newKey("ca.key"), "-out", "ca.pem", "-subj", "/CN=ca");
    await openssl("req", ...newKey("own.key"), "-out", "own.csr", "-subj", `/CN=${name}`);
    await writeFile(join(folder, "names"), `subjectAltName=DNS:${name}`);
    const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
    await openssl("x509", "-req", "-in", "own.csr", "-out", "own.pem", ...by);
    const read = (file: string) => readFile(join(folder, file), "utf8");
    return {
      ca: await read("ca.pem"),
      certificate: await read("own.pem"),
      key: await read("own.key"),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
