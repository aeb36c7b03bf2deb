/** Parsers of settings. Each throws Needed, which names the required format. */
import { normalizeAddress, tlsProblem } from "~/address";
import { parseRange } from "~/input/ip-address";

export type Environment = { readonly [name: string]: string | undefined };

export class Needed extends Error {}
const need = (what: string): never => {
  throw new Needed(what);
};

export const whole =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    const fits = /^\d+$/.test(text) && value >= min && value <= max;
    return fits ? value : need(`a whole number from ${min} to ${max}`);
  };
export const flag = (text: string) =>
  text === "true" || text === "false" ? text === "true" : need("true or false");
export const text = (value: string) => value;
export const cell = (text: string): string =>
  /^[0-9a-f]{2}$/.test(text) ? text : need("two lower-case hex digits");
export const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (value: string): T =>
    values.find((candidate) => candidate === value) ?? need(`one of ${values.join(", ")}`);

const UNITS: Record<string, number> = { kB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40 };

export function bytes(value: string): number {
  const [, digits, unit] = /^(\d{1,6})(kB|MB|GB|TB)$/.exec(value) ?? [];
  if (!digits || !unit || Number(digits) === 0) return need("a size such as 512MB or 2GB");
  return Number(digits) * (UNITS[unit] ?? 1);
}

export function databaseUrl(value: string, env: Environment): string {
  const defaults = {
    user: env["PGUSER"] || env["USER"] || env["LOGNAME"],
    sslmode: env["PGSSLMODE"],
    sslrootcert: env["PGSSLROOTCERT"],
    sslcert: env["PGSSLCERT"],
    sslkey: env["PGSSLKEY"],
  };
  const wanted =
    "a URL such as postgres://user:password@host:5432/database, special characters percent-encoded";
  const url = normalizeAddress(value, defaults) ?? need(wanted);
  const problem = tlsProblem(url);
  return problem === undefined ? url : need(problem);
}

const LINK_LOCAL = /^(169\.254\.|\[?fe80:)/i;

export function httpUrl(value: string): string {
  if (!URL.canParse(value)) return need("an http or https URL");
  const url = new URL(value);
  if (!/^https?:$/.test(url.protocol)) return need("an http or https URL");
  if (url.username || url.password) return need("a URL without a user name or password in it");
  if (url.search || url.hash) return need("a URL without ? or #");
  if (LINK_LOCAL.test(url.hostname)) return need("a host that is not a link-local address");
  return value.replace(/\/+$/, "");
}

/** `name:20,other_name:5`, or undefined for "the same for every template". */
export function poolTargets(value: string): ReadonlyMap<string, number> | undefined {
  if (value === "") return undefined;
  const targets = new Map<string, number>();
  for (const [index, part] of value.split(",").entries()) {
    const where = `item ${index + 1} ("${part.slice(0, 40)}")`;
    const [, name, count] = /^\s*([a-z][a-z0-9_]*):(\d{1,4})\s*$/.exec(part) ?? [];
    if (!name || !count)
      return need(`<template_name>:<count> pairs, separated by commas; ${where} is not one`);
    if (targets.has(name)) return need(`each template once; ${where} is a duplicate`);
    targets.set(name, Number(count));
  }
  return targets;
}

/** `https://app.example.com,http://localhost:5173`, as browsers send them; `*` is every origin. */
export function origins(value: string): ReadonlySet<string> {
  const list = value === "" ? [] : value.split(",").map((item) => item.trim());
  const isOrigin = (item: string) =>
    /^https?:/.test(item) && URL.canParse(item) && new URL(item).origin === item;
  const wrong = list.find((item) => item !== "*" && !isOrigin(item));
  return wrong === undefined
    ? new Set(list)
    : need(`origins such as https://app.example.com, separated by commas, or *`);
}

/** `none`, or origins and ranges of addresses: `https://bot.example.com,10.1.0.0/16`. Undefined for an empty value. */
export function eventTargets(value: string): ReadonlySet<string> | undefined {
  if (value === "") return undefined;
  if (value === "none") return new Set();
  const items = value.split(",").map((item) => item.trim());
  const isTarget = (item: string) =>
    parseRange(item) !== undefined ||
    (/^https?:/.test(item) && URL.canParse(item) && new URL(item).origin === item);
  return items.every(isTarget)
    ? new Set(items)
    : need(
        "none, or origins such as https://bot.example.com and ranges such as 10.1.0.0/16, separated by commas",
      );
}

const HEADER = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/;

/** `authorization=Bearer%20…,x-tenant=a`: https://opentelemetry.io/docs/specs/otel/protocol/exporter */
export function headers(value: string): ReadonlyMap<string, string> {
  const list = value.split(",").filter((item) => item.trim() !== "");
  const pairs = list.map((item, index): [string, string] => {
    const [, name = "", encoded = ""] = HEADER.exec(item) ?? [];
    const text = decoded(encoded);
    if (name !== "" && text !== undefined && !/[^\t -~]/.test(text)) return [name, text];
    return need(
      `name=value pairs, percent-encoded and separated by commas; item ${index + 1} is not one`,
    );
  });
  return new Map(pairs);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Undefined for an empty value. */
export const optional =
  <T>(parse: (value: string) => T) =>
  (value: string): T | undefined =>
    value === "" ? undefined : parse(value);

/** Whether a setting of this name is an address, which may hold a password. */
export const isUrl = (name: string) => /_(URL|ENDPOINT)$/.test(name);
const SHOWN_CHARACTERS = 60;
/** Values that may hold a password are not repeated. */
export const shown = (name: string, value: string) =>
  isUrl(name)
    ? value.replace(/\/\/[^@/]*@/, "//…@").replace(/([?&]password=)[^&#]*/g, "$1…")
    : value.slice(0, name.endsWith("_HEADERS") ? 0 : SHOWN_CHARACTERS);

export const isLoopback = (host: string) =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|::1)$/.test(host);
