/** Addresses of headers. */
import addressparser from "nodemailer/lib/addressparser";

export type Address = { readonly name: string; readonly address: string };

/** A message has at most 500 recipients. What is longer is cut, because each address takes time. */
const LENGTH_MAX = 100_000;

/** Members of groups among them. One that cannot be read has an empty address. */
export const readAddresses = (text: string | undefined | null): readonly Address[] =>
  addressparser((text ?? "").slice(0, LENGTH_MAX), { flatten: true });

const FORM = /^[^\s@<>",;:]+@[^\s@<>",;:]+$/;

export const isAddress = (text: string): boolean => FORM.test(text);

/** The address under which a mailbox is known: `A.b+tag@Gmail.com` is `ab@gmail.com`. */
export function canonicalAddress(address: string): string {
  const lower = address.toLowerCase();
  const at = lower.lastIndexOf("@");
  const local = lower.slice(0, at).replace(/\+.*$/s, "");
  const domain = lower.slice(at + 1);
  return `${domain === "gmail.com" ? local.replaceAll(".", "") : local}@${domain}`;
}

export const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf("@") + 1).toLowerCase();
