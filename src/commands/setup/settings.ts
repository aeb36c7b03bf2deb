/** Settings of coding agents with one more server. Everything that is there stays, with its comments. */
import { isDeepStrictEqual } from "node:util";
import { findNodeAtLocation, type ParseError, parse, parseTree } from "jsonc-parser";
import { isObject } from "~/input/json";

/** The new text; or why there is none, and the lines that a person can add. */
export type Registration =
  | { readonly text: string }
  | { readonly problem: string; readonly addition: string };

const NAME = "diorama";
const LENIENT = { allowTrailingComma: true };
const OTHER = `it has another server named ${NAME}`;

/**
 * JSON with comments. `section`: the object that holds the servers by name. The new one becomes the first, so that
 * everything there keeps its place.
 */
export function withJsonServer(text: string, section: string, server: object): Registration {
  const addition = JSON.stringify({ [section]: { [NAME]: server } }, null, 2);
  const problem = (why: string) => ({ problem: why, addition });
  if (text.trim() === "") return { text: `${addition}\n` };
  const errors: ParseError[] = [];
  const content: unknown = parse(text, errors, LENIENT);
  const [error] = errors;
  if (error) return problem(`it has a mistake in line ${lineAt(text, error.offset)}`);
  if (!isObject(content)) return problem("it has no object");
  const servers = content[section];
  if (servers !== undefined && !isObject(servers)) return problem(`${section} is no object`);
  const known = servers?.[NAME];
  if (isDeepStrictEqual(known, server)) return { text };
  if (known !== undefined) return problem(OTHER);
  const added =
    servers === undefined
      ? withFirst(text, [], section, { [NAME]: server })
      : withFirst(text, [section], NAME, server);
  const wanted = { ...content, [section]: { ...servers, [NAME]: server } };
  // Of two fields with one name, the parser takes the last.
  return isDeepStrictEqual(parse(added, [], LENIENT), wanted)
    ? { text: added }
    : problem("it has fields twice");
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split("\n").length;

/** Adds a first field to the object at a path. */
function withFirst(text: string, path: readonly string[], name: string, value: object): string {
  const root = parseTree(text, [], LENIENT);
  const object = root && findNodeAtLocation(root, [...path]);
  const at = (object?.offset ?? 0) + 1;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const [, unit = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  const outer = unit.repeat(path.length);
  const lines = JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${outer}${unit}`);
  const comma = object?.children?.length ? "," : "";
  const end = text[at] === "}" ? `${eol}${outer}` : "";
  return `${text.slice(0, at)}${eol}${outer}${unit}"${name}": ${lines}${comma}${end}${text.slice(at)}`;
}

/** TOML: a table at the end, which changes nothing before it. */
export function withTomlServer(text: string, server: object): Registration {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const pairs = Object.entries(server).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const addition = [`[mcp_servers.${NAME}]`, ...pairs].join(eol);
  const problem = (why: string) => ({ problem: why, addition });
  const content = parsedToml(text);
  if (content === undefined) return problem("it has a mistake");
  const { mcp_servers: servers = {} } = content;
  if (!isObject(servers)) return problem("mcp_servers is no table");
  if (isDeepStrictEqual(servers[NAME], server)) return { text };
  if (servers[NAME] !== undefined) return problem(OTHER);
  const whole = text.trim() === "" ? "" : `${text.trimEnd()}${eol}${eol}`;
  const added = `${whole}${addition}${eol}`;
  // An inline table cannot be extended.
  const wanted = { ...content, mcp_servers: { ...servers, [NAME]: server } };
  if (!isDeepStrictEqual(parsedToml(added), wanted))
    return problem("a table cannot be added to its mcp_servers");
  return { text: added };
}

function parsedToml(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
