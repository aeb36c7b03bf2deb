/** Small parts that every page uses. */
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

/** An id, shortened, that copies whole. */
export function Id({ id, href, name = "id" }: { id: string; href?: string; name?: string }) {
  const shown = <code title={id}>{id.length > 2 * SHORT ? `${id.slice(0, SHORT)}…` : id}</code>;
  return (
    <span class="id">
      {href ? <a href={href}>{shown}</a> : shown}
      <Copy text={id} label={`Copy the ${name} ${id}`} />
    </span>
  );
}

/** Tells what to do. */
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

export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
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

/** The data once they are there; until then, or in place of them, words. */
export function Ready<T>({
  of,
  children,
}: {
  of: Loaded<T>;
  children: (data: T) => ComponentChildren;
}) {
  return (
    <>
      {of.error !== undefined && <Failure error={of.error} retry={of.reload} />}
      {of.data !== undefined && children(of.data)}
      {of.data === undefined && of.error === undefined && (
        <p class="loading" role="status">
          Loading …
        </p>
      )}
    </>
  );
}

/** `kind` chooses the colour; the text says the same. */
export function Badge({ kind, children }: { kind: string; children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

/** The heading of a page, with its actions. */
export function Head({
  title,
  children,
}: {
  title: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <header class="head">
      <h1>{title}</h1>
      {children && <div class="actions">{children}</div>}
    </header>
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
