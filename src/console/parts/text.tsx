/** User-provided text: always text nodes, never markup; long texts are cut until expanded. */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";

/** `1 row`, `1,200 rows`. */
export const counted = (count: number, noun: string) =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

const SHOWN_MAX = 2_000;

/** Renders a text; of a long one its beginning, and a button that shows the rest. */
export function Long({
  text,
  max = SHOWN_MAX,
  children = (shown) => shown,
}: {
  text: string;
  max?: number;
  children?: (shown: string) => ComponentChildren;
}) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= max || isWhole) return <bdi>{children(text)}</bdi>;
  return (
    <>
      <bdi>{children(`${text.slice(0, max)}…`)}</bdi>{" "}
      <button type="button" class="small" onClick={() => setWhole(true)}>
        Show all {text.length.toLocaleString("en")} characters
      </button>
    </>
  );
}

/** A value as JSON. Rendered when it is opened: it may be large. */
export function Folded({ summary, of }: { summary: string; of: unknown }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && (
        <pre>
          <Long text={JSON.stringify(of, null, 1)} />
        </pre>
      )}
    </details>
  );
}

/** Allowed schemes of links. */
const SAFE = /^(https?|mailto):/i;

/** A link to another site; plain text if its scheme is not an allowed one. */
export function Link({ href, children }: { href: string; children: ComponentChildren }) {
  if (!SAFE.test(href)) return <span title={href.slice(0, 200)}>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href.slice(0, 200)}>
      {children}
    </a>
  );
}

/** A value of a row in one line. */
export function shortValue(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function Value({ of, max = 300 }: { of: unknown; max?: number }): VNode {
  if (of === null || of === undefined) return <span class="quiet">null</span>;
  if (typeof of === "string" && of === "") return <span class="quiet">empty</span>;
  return <Long text={shortValue(of)} max={max} />;
}

const WORDS_MIN = 30;

/** Before → after. In long texts, only the part between the common prefix and suffix is marked. */
export function BeforeAfter({ before, after }: { before: unknown; after: unknown }) {
  if (typeof before !== "string" || typeof after !== "string" || before.length < WORDS_MIN)
    return (
      <>
        <del>
          <Value of={before} />
        </del>{" "}
        →{" "}
        <ins>
          <Value of={after} />
        </ins>
      </>
    );
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  // Whole words.
  while (start > 0 && /\S/.test(before[start - 1] ?? " ")) start--;
  while (end > 0 && /\S/.test(before[before.length - end] ?? " ")) end--;
  return (
    <>
      <Long text={before.slice(0, start)} max={200} />
      <del>
        <Long text={before.slice(start, before.length - end)} max={500} />
      </del>
      <ins>
        <Long text={after.slice(start, after.length - end)} max={500} />
      </ins>
      <Long text={before.slice(before.length - end)} max={200} />
    </>
  );
}
