/** The environment variables, trust stores and hosts file that make a command reach the relay. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import type { Environment } from "~/commands/client";

/** Where distributions keep the certificates that a machine trusts. */
const SYSTEM_BUNDLES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/cert.pem",
];
/** The usual password of a Java trust store; it protects nothing. */
const JAVA_PASSWORD = "changeit";

/** Writes the trust stores into `folder` and returns the variables that make clients use them and, except for `directHosts`, the proxy. */
export async function trustVariables(
  folder: string,
  authority: string,
  proxyPort: number,
  directHosts: readonly string[],
  env: Environment,
): Promise<{ [name: string]: string }> {
  const [own, bundle, java] = ["ca.pem", "bundle.pem", "trust.jks"].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  // The variables of most clients replace the trusted certificates of the machine.
  const all = `${trusted(env)}\n${authority}`;
  await Promise.all([
    writeFile(own, authority),
    writeFile(bundle, all),
    writeFile(java, javaKeyStore(all)),
  ]);
  const proxy = `http://127.0.0.1:${proxyPort}`;
  const direct = [
    env["NO_PROXY"] ?? env["no_proxy"],
    "localhost",
    "127.0.0.1",
    "::1",
    ...directHosts,
  ]
    .filter(Boolean)
    .join(",");
  return {
    HTTPS_PROXY: proxy,
    https_proxy: proxy,
    NO_PROXY: direct,
    no_proxy: direct,
    // Node and Bun add to their trusted certificates. Node uses proxies only on request (22.21, 24.5).
    NODE_EXTRA_CA_CERTS: own,
    NODE_USE_ENV_PROXY: "1",
    DENO_CERT: own,
    // OpenSSL, Go, Rust, Python's ssl and httpx; then requests, httplib2, curl, git.
    SSL_CERT_FILE: bundle,
    REQUESTS_CA_BUNDLE: bundle,
    HTTPLIB2_CA_CERTS: bundle,
    CURL_CA_BUNDLE: bundle,
    GIT_SSL_CAINFO: bundle,
    JAVA_TOOL_OPTIONS: [
      env["JAVA_TOOL_OPTIONS"],
      "-Dhttps.proxyHost=127.0.0.1",
      `-Dhttps.proxyPort=${proxyPort}`,
      `-Djavax.net.ssl.trustStore=${java}`,
      "-Djavax.net.ssl.trustStoreType=JKS",
      `-Djavax.net.ssl.trustStorePassword=${JAVA_PASSWORD}`,
    ]
      .filter(Boolean)
      .join(" "),
  };
}

function trusted(env: Environment): string {
  const given = env["SSL_CERT_FILE"];
  const file = [...(given ? [given] : []), ...SYSTEM_BUNDLES].find((path) => existsSync(path));
  return file ? readFileSync(file, "utf8") : rootCertificates.join("\n");
}

/** A trust store in Java's own format (`sun.security.provider.JavaKeyStore`), as `keytool` would write it. */
function javaKeyStore(pem: string): Buffer {
  const certificates = [...pem.matchAll(PEM)].map(([, text = ""]) => Buffer.from(text, "base64"));
  const text = (value: string) => Buffer.concat([uint16(value.length), Buffer.from(value)]);
  const content = Buffer.concat([
    ...[uint32(0xfeedfeed), uint32(2), uint32(certificates.length)],
    ...certificates.flatMap((certificate, index) => [
      ...[uint32(2), text(`${index}`), Buffer.alloc(8), text("X.509")],
      ...[uint32(certificate.length), certificate],
    ]),
  ]);
  const digest = createHash("sha1")
    .update(Buffer.from(JAVA_PASSWORD, "utf16le").swap16())
    .update("Mighty Aphrodite")
    .update(content)
    .digest();
  return Buffer.concat([content, digest]);
}

const PEM = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g;
const uint16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const uint32 = (value: number) => Buffer.concat([uint16(value >>> 16), uint16(value & 0xffff)]);

/** Writes a hosts file with the intercepted names and those of this machine. Returns its path. */
export async function writeHosts(folder: string, address: string, names: readonly string[]) {
  const path = join(folder, "hosts");
  const own = existsSync("/etc/hosts") ? readFileSync("/etc/hosts", "utf8") : "";
  // The first line that has a name counts.
  await writeFile(path, `${names.map((name) => `${address} ${name}\n`).join("")}${own}`);
  return path;
}

const UNSHARE = ["unshare", "--mount", "--propagation", "private"];

/** True if this process may give a command a private hosts file. */
export function canReplaceHosts(): boolean {
  if (process.platform !== "linux" || !Bun.which("unshare")) return false;
  const probe = "mount --bind /etc/hosts /etc/hosts";
  return Bun.spawnSync([...UNSHARE, "sh", "-c", probe], { stdout: "ignore", stderr: "ignore" })
    .success;
}

/** `command` in a separate mount namespace, in which `hosts` is /etc/hosts. */
export const withHosts = (hosts: string, command: readonly string[]): string[] => [
  ...UNSHARE,
  ...["sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', hosts],
  ...command,
];
