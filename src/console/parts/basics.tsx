/** Elements that every page uses. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CallError, inWords } from "~/console/api";
import type { Loaded } from "~/console/loading";
import { Icon } from "~/console/parts/icons";
import { pathTo, place } from "~/console/place";

const SHOWN_MS = 1_200;

/** A button that copies a text. */
export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [state, setState] = useState<"" | "copied" | "failed">("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      setState("failed"); // outside localhost and HTTPS, browsers have no clipboard
    }
    setTimeout(() => setState(""), SHOWN_MS);
  };
  return (
    <button type="button" class="copy" title={label} aria-label={label} onClick={copy}>
      <Icon name={state === "copied" ? "check" : "copy"} />
      <span role="status" class="quiet">
        {state}
      </span>
    </button>
  );
}

/** Characters of an id that are shown: its end, because ids of one kind often begin alike. */
const SHORT = 8;
const shortId = (id: string) => (id.length > 2 * SHORT ? `…${id.slice(-SHORT)}` : id);

/** An id, shortened unless `isWhole`, with a button that copies the whole of it. */
export function Id({
  id,
  href,
  name = "id",
  isWhole = false,
}: {
  id: string;
  href?: string;
  name?: string;
  isWhole?: boolean;
}) {
  const shown = <code title={id}>{isWhole ? id : shortId(id)}</code>;
  return (
    <span class="id">
      {href ? <a href={href}>{shown}</a> : shown}
      <Copy text={id} label={`Copy the ${name} ${id}`} />
    </span>
  );
}

/** An empty state. The children say what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

const NOT_FOUND = 404;

/** An error in words, with what to do about it; nothing without one. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  if (error === undefined) return null;
  const [section = ""] = place.value.parts;
  const isGone = error instanceof CallError && error.status === NOT_FOUND;
  return (
    <div class="failure" role="alert">
      <p>{inWords(error)}</p>
      {isGone && (
        <a href={pathTo(...(section ? [section] : []))}>Back to {section || "the overview"}</a>
      )}
      {retry && !isGone && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Lines of the outline that stands for a list while it loads. */
const OUTLINE = [1, 2, 3, 4];

/** Renders the data when they are loaded; until then a status, and errors with a button to retry. */
export function Ready<T>({
  of,
  children,
}: {
  of: Loaded<T>;
  children: (data: T) => ComponentChildren;
}) {
  return (
    <>
      <Failure error={of.error} retry={of.reload} />
      {of.data !== undefined && children(of.data)}
      {of.data === undefined && of.error === undefined && (
        <div class="loading" role="status">
          <span class="hidden">Loading</span>
          {OUTLINE.map((line) => (
            <i key={line} />
          ))}
        </div>
      )}
    </>
  );
}

/** `kind`: the colour. The text has the same meaning. */
export function Badge({ kind, children }: { kind: string; children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

/** A page above this one: its name and address. */
type Crumb = readonly [name: string, href: string];

/**
 * The heading of a page: where it is, its title, a line of facts, its actions. `id`: of the thing that the page shows,
 * which is a `kind`.
 */
export function Head({
  title,
  kind = title.toLowerCase(),
  id,
  crumbs = [],
  facts,
  children,
}: {
  title: string;
  kind?: string;
  id?: string;
  crumbs?: readonly Crumb[];
  facts?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <header class="head">
      <div>
        {crumbs.length > 0 && (
          <nav class="crumbs" aria-label="Path">
            {crumbs.map(([name, href]) => (
              <a key={href} href={href}>
                {name}
              </a>
            ))}
          </nav>
        )}
        <h1>
          <bdi>{title}</bdi>
        </h1>
        {(facts || id) && (
          <div class="facts">
            {facts}
            {id && <Id id={id} name={`${kind}'s id`} />}
          </div>
        )}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  );
}

/** A number with its name, in a list of the class `tiles`. */
export function Tile({
  name,
  note,
  isSmall = false,
  children,
}: {
  name: string;
  note?: ComponentChildren;
  isSmall?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={isSmall ? "small" : ""}>{children}</dd>
      {note && <dd class="quiet">{note}</dd>}
    </div>
  );
}

/** A table that scrolls sideways on a small screen. */
export function Table({
  label,
  columns,
  children,
}: {
  label: string;
  columns: readonly ComponentChildren[];
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={index} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
