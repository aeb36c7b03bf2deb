/** The tools of the tracker, called on an environment without the protocol. */

import { beforeAll } from "bun:test";
import { SESSION } from "~/db/connect";
import { openSession, type Session, tablesOf } from "~/db/session";
import { NO_ALIASES } from "~/input/aliases";
import type { ToolResult } from "~/replicas/tools";
import { tracker as replica } from "~/replicas/tracker/index";
import { TABLES } from "~/replicas/tracker/store/tables";
import { plainPool, type TestDatabase } from "./database";

export type Tools = {
  readonly result: (name: string, args?: object) => Promise<ToolResult>;
  /** The result of a call that succeeds, parsed. */
  readonly json: (name: string, args?: object) => Promise<any>;
  /** The text of a call that is rejected. */
  readonly rejection: (name: string, args?: object) => Promise<string>;
};

type Place = {
  readonly schema: string;
  readonly actor: string;
  readonly baseUrl?: string;
};

/** Opens a session on an environment, and calls the tools in it. */
export function useTools(database: TestDatabase, place: () => Place): Tools {
  let session: Session | undefined;
  beforeAll(() => {
    const pool = plainPool(database.url, {
      max: 4,
      types: { date: { to: 1082, from: [1082], serialize: String, parse: String } },
      connection: { ...SESSION },
    });
    const names = [...TABLES.keys()].map((name) => ({ name }));
    const { schema } = place();
    session = openSession(pool, schema, tablesOf(pool, schema, names));
    return () => pool.end();
  });
  const result: Tools["result"] = async (name, args = {}) => {
    const { actor, baseUrl = "http://localhost" } = place();
    const found = await replica.toolProfiles?.vendor.call({
      name,
      arguments: args as Record<string, unknown>,
      session: session as Session,
      actor,
      baseUrl,
      secret: new Uint8Array(),
      aliases: NO_ALIASES,
    });
    if (!found) throw new Error(`there is no tool ${name}`);
    return found;
  };
  return {
    result,
    json: async (name, args) => {
      const { text, isError } = await result(name, args);
      if (isError) throw new Error(`${name} was rejected: ${text}`);
      return JSON.parse(text);
    },
    rejection: async (name, args) => {
      const { text, isError } = await result(name, args);
      if (!isError) throw new Error(`${name} was not rejected: ${text}`);
      return text;
    },
  };
}

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const SLUG = /(?<=-|\b)[0-9a-f]{12}\b/g;
const SECRET = /\b[0-9a-f]{32}\b/g;
const REQUEST = /(?<="requestId":")[0-9a-f]{16}/g;
const MOMENT = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g;

/** Replaces what differs between two runs: ids, slugs and moments that are not in the rows of the beginning. */
export function createMask(beginning: string): (text: string) => string {
  const known = new Set(
    [ID, SLUG].flatMap((pattern) => [...beginning.matchAll(pattern)].map(([id]) => id)),
  );
  const started = Date.now() - MINUTE_MS;
  const ended = started + HOUR_MS;
  return (text) =>
    text
      .replace(ID, (id) => (known.has(id) ? id : "<id>"))
      .replace(SLUG, (slug) => (known.has(slug) ? slug : "<slug>"))
      .replace(SECRET, "<secret>")
      .replace(REQUEST, "<request>")
      .replace(MOMENT, (moment) => {
        const time = Date.parse(moment);
        return time > started && time < ended ? "<now>" : moment;
      });
}
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
