/**
 * Requests and answers as they are on the wire. Native objects take more memory and time: they are made only for
 * libraries that need them (see `http/native.ts`).
 */

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PADDING = "\t\n\r ";
/** Characters that a value cannot have: they would end the line, or do not fit into a byte. */
const INVALID = /[\0\n\r]|[^\0-\xff]/;

/** A value of a header without the white space around it. */
export function trimmed(value: string): string {
  let [from, to] = [0, value.length];
  while (from < to && PADDING.includes(value.charAt(from))) from++;
  while (to > from && PADDING.includes(value.charAt(to - 1))) to--;
  return value.slice(from, to);
}

export const isToken = (text: string): boolean => TOKEN.test(text);

/** Header fields. Like a native `Headers`, but all names are in lower case. */
export class HeaderList {
  readonly #names: string[] = [];
  readonly #values: string[] = [];

  /** Names in any case. Throws TypeError like `set`. */
  static of(fields: Readonly<Record<string, string>>): HeaderList {
    const list = new HeaderList();
    for (const name in fields) list.set(name.toLowerCase(), fields[name] ?? "");
    return list;
  }

  get(name: string): string | null {
    const at = this.#names.indexOf(name);
    return at < 0 ? null : (this.#values[at] ?? null);
  }

  has(name: string): boolean {
    return this.#names.includes(name);
  }

  /** Throws TypeError for a name or value that cannot be sent. */
  set(name: string, value: string): void {
    const text = trimmed(value);
    if (!TOKEN.test(name) || INVALID.test(text))
      throw new TypeError(`a header is invalid: ${name}`);
    const at = this.#names.indexOf(name);
    if (at < 0) this.append(name, text);
    else this.#values[at] = text;
  }

  /** Adds a value to those of the same name. Both must be valid, as in a native `Headers`. */
  append(name: string, value: string): void {
    const at = this.#names.indexOf(name);
    if (at >= 0) this.#values[at] += `, ${value}`;
    else {
      this.#names.push(name);
      this.#values.push(value);
    }
  }

  delete(name: string): void {
    const at = this.#names.indexOf(name);
    if (at < 0) return;
    this.#names.splice(at, 1);
    this.#values.splice(at, 1);
  }

  /** Names and values, in the order of the names. */
  entries(): [string, string][] {
    const found = this.#names.map((name, at): [string, string] => [name, this.#values[at] ?? ""]);
    return found.sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** The part of a request that most of the server reads. A native one has it, too. */
export type RequestHead = {
  readonly method: string;
  /** Names are in lower case. */
  readonly headers: Pick<HeaderList, "get" | "has">;
};

const BASE = "http://localhost";
/** Targets without a query that are their own path: nothing in them is encoded or resolved. */
const PLAIN = /^(?=\/)(?:[\w.!$&'()*+,;=:@%~-]|\/(?!\.|%2e))*$/i;

export class HttpRequest {
  readonly method: string;
  /** In the form of a URL. */
  readonly pathname: string;
  readonly headers: HeaderList;
  readonly #target: string;
  #url: URL | undefined;

  /** `target`: path and query. Throws TypeError if they are no part of a URL. */
  constructor(method: string, target: string, headers: HeaderList) {
    this.method = method;
    this.headers = headers;
    this.#target = target;
    this.pathname = PLAIN.test(target) ? target : this.url.pathname;
  }

  /** Its host has no meaning: that of the caller is in the header. */
  get url(): URL {
    this.#url ??= new URL(BASE + this.#target);
    return this.#url;
  }

  /** The query is empty unless the target has a question mark. */
  get hasQuery(): boolean {
    return this.#target.includes("?");
  }
}

export type HttpAnswer = {
  readonly status: number;
  readonly headers: HeaderList;
  /** Text is sent as UTF-8. */
  readonly body: string | Uint8Array;
};

/** An answer with these headers, whose names may be in any case. */
export const httpAnswer = (
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array = "",
): HttpAnswer => ({ status, headers: HeaderList.of(headers), body });

export const isOk = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300;

/** The body of an answer as text. */
export const textOf = ({ body }: HttpAnswer): string =>
  typeof body === "string" ? body : new TextDecoder().decode(body);

export const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };

export const jsonAnswer = (value: object, status = 200): HttpAnswer =>
  httpAnswer(status, JSON_HEADERS, JSON.stringify(value));

/** Bytes as text. Throws TypeError if they are not UTF-8. */
export const utf8 = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { fatal: true }).decode(bytes);
