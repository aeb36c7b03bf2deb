/** Elements that every page uses. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { inWords } from "~/console/api";
import type { Loaded } from "~/console/loading";

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
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {state === "copied" ? (
          <path d="m3 8.5 3.2 3L13 4.5" />
        ) : (
          <path d="M6 5.5h6.5v8H6zM3.5 10.5v-8H10" />
        )}
      </svg>
      <span role="status" class="quiet">
        {state}
      </span>
    </button>
  );
}

const SHORT = 8;

/** An id, shortened, with a button that copies the whole of it. */
export function Id({ id, href, name = "id" }: { id: string; href?: string; name?: string }) {
  const shown = <code title={id}>{id.length > 2 * SHORT ? `${id.slice(0, SHORT)}…` : id}</code>;
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

/** An error in words; nothing without one. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  if (error === undefined) return null;
  return (
    <div class="failure" role="alert">
      <p>{inWords(error)}</p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

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
        <p class="loading" role="status">
          Loading …
        </p>
      )}
    </>
  );
}

/** `kind`: the colour. The text has the same meaning. */
export function Badge({ kind, children }: { kind: string; children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

/** The heading of a page, with its actions. `id`: of the thing that the page shows, which is a `kind`. */
export function Head({
  title,
  kind = title.toLowerCase(),
  id,
  children,
}: {
  title: string;
  kind?: string;
  id?: string;
  children?: ComponentChildren;
}) {
  return (
    <header class="head">
      <h1>
        {title} {id && <Id id={id} name={`${kind}'s id`} />}
      </h1>
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
