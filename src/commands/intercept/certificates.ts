/** A certificate authority for one run of a command. Its key stays in memory and ends with the process. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import forge from "node-forge";

/** PEM texts. */
export type Certificates = {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
};

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
/** Clients whose clock is behind must not find a certificate of the future. */
const CLOCK_SKEW_MS = 60 * 60 * 1000;

/** A new authority and one certificate that it signed for all of `names`, which may begin with `*.`. */
export function createCertificates(names: readonly string[]): Certificates {
  const issuer = "Diorama intercept";
  const [authorityKeys, keys] = [createKeys(), createKeys()];
  const authority = sign(authorityKeys.publicKey, issuer, issuer, authorityKeys.privateKey, [
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, critical: true },
    { name: "subjectKeyIdentifier" },
  ]);
  const certificate = sign(keys.publicKey, names[0] ?? "", issuer, authorityKeys.privateKey, [
    { name: "basicConstraints", cA: false },
    { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
    { name: "extKeyUsage", serverAuth: true },
    { name: "subjectAltName", altNames: names.map((value) => ({ type: DNS_NAME, value })) },
    { name: "subjectKeyIdentifier" },
  ]);
  return { authority, certificate, key: keys.privateKey };
}

const DNS_NAME = 2;

const createKeys = () =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });

function sign(
  publicKey: string,
  subject: string,
  issuer: string,
  signingKey: string,
  extensions: object[],
): string {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // The first digit keeps the serial number positive.
  certificate.serialNumber = `1${randomBytes(8).toString("hex")}`;
  certificate.validity.notBefore = new Date(Date.now() - CLOCK_SKEW_MS);
  certificate.validity.notAfter = new Date(Date.now() + LIFETIME_MS);
  certificate.setSubject([{ name: "commonName", value: subject }]);
  certificate.setIssuer([{ name: "commonName", value: issuer }]);
  certificate.setExtensions(extensions);
  certificate.sign(forge.pki.privateKeyFromPem(signingKey), forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}
