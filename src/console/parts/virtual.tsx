/** A virtual list: only the rows in view are in the document. Rows may have any height. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

/** Rows are rendered up to this far outside of the view, in pixels. */
const MARGIN = 400;

type Rendered<T> = {
  readonly key: string | number;
  readonly item: T;
  readonly index: number;
  readonly element: VNode;
};

/** The last index whose offset is not beyond `position`. */
function indexAt(offsets: Float64Array, position: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * `estimate`: height of a row that was never rendered, in pixels. `target`: a row to scroll to; each new object scrolls
 * again. `atEnd`: begins at the end, and stays there while rows are added. `onTop` and `onEnd`: called near the first and
 * the last row, to add others.
 */
export function VirtualList<T>({
  label,
  items,
  keyOf,
  estimate,
  target,
  atEnd = false,
  onTop,
  onEnd,
  children,
}: {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string | number;
  estimate: number;
  target?: { readonly index: number } | undefined;
  atEnd?: boolean;
  onTop?: () => void;
  onEnd?: () => void;
  children: (item: T, index: number) => ComponentChildren;
}) {
  const box = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  const isAtEnd = useRef(atEnd);
  const [view, setView] = useState({ top: 0, height: 1000 });
  const [measured, setMeasured] = useState(0);

  const offsets = useMemo(() => {
    const all = new Float64Array(items.length + 1);
    items.forEach((item, index) => {
      const height = heights.current.get(String(keyOf(item))) ?? estimate;
      all[index + 1] = (all[index] ?? 0) + height;
    });
    return all;
  }, [items, measured]);
  const latest = useRef({ offsets, items });
  latest.current = { offsets, items };

  const first = Math.min(indexAt(offsets, view.top - MARGIN), Math.max(0, items.length - 1));
  const last = Math.min(indexAt(offsets, view.top + view.height + MARGIN) + 1, items.length);

  // One observer for all rows: it also reports rows whose content changes later.
  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        const element = box.current;
        if (!element) return;
        let moved = 0;
        let isChanged = false;
        for (const { target: row } of entries) {
          const { key = "", index = "0" } = (row as HTMLElement).dataset;
          const { offsets } = latest.current;
          const known = heights.current.get(key) ?? estimate;
          const height = (row as HTMLElement).offsetHeight;
          if (!row.isConnected || height === known) continue;
          heights.current.set(key, height);
          isChanged = true;
          if ((offsets[Number(index) + 1] ?? 0) <= element.scrollTop) moved += height - known;
        }
        if (!isChanged) return;
        setMeasured((count) => count + 1);
        // Keeps the view in place when rows above it turn out higher or lower than estimated.
        if (moved !== 0 && !isAtEnd.current) element.scrollTop += moved;
      }),
    [],
  );
  useEffect(() => () => observer.disconnect(), []);

  useLayoutEffect(() => {
    for (const row of content.current?.children ?? []) observer.observe(row);
  });
  // Keeps the view in place when rows are added above it.
  const head = useRef<string | number | undefined>(undefined);
  useLayoutEffect(() => {
    const [newest] = items;
    const before = items.findIndex((item) => keyOf(item) === head.current);
    head.current = newest && keyOf(newest);
    if (before > 0 && !isAtEnd.current && box.current)
      box.current.scrollTop += offsets[before] ?? 0;
  }, [items]);
  useLayoutEffect(() => {
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [offsets]);
  useLayoutEffect(() => {
    if (!box.current || !target) return;
    isAtEnd.current = false;
    box.current.scrollTop = (offsets[target.index] ?? 0) - view.height / 3;
  }, [target]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const resized = new ResizeObserver(look);
    resized.observe(element);
    look();
    return () => resized.disconnect();
  }, []);

  const onScroll = ({
    currentTarget: { scrollTop, clientHeight, scrollHeight },
  }: {
    currentTarget: HTMLElement;
  }) => {
    isAtEnd.current = atEnd && scrollTop + clientHeight >= scrollHeight - 2;
    setView({ top: scrollTop, height: clientHeight });
    if (scrollTop < 2 * MARGIN) onTop?.();
    if (scrollTop + clientHeight > scrollHeight - 2 * MARGIN) onEnd?.();
  };

  // Scrolling renders only rows that come into view: Preact does not compare an element with itself.
  const rendered = useRef<{ render: unknown; rows: ReadonlyMap<unknown, Rendered<T>> }>({
    render: children,
    rows: new Map(),
  });
  const known = rendered.current.render === children ? rendered.current.rows : undefined;
  const rows = items.slice(first, last).map((item, place): Rendered<T> => {
    const key = keyOf(item);
    const index = first + place;
    const before = known?.get(key);
    if (before?.item === item && before.index === index) return before;
    const element = (
      <div key={key} data-key={key} data-index={index}>
        {children(item, index)}
      </div>
    );
    return { key, item, index, element };
  });
  rendered.current = { render: children, rows: new Map(rows.map((row) => [row.key, row])) };

  return (
    <section
      ref={box}
      class="virtual"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={onScroll}
      style={{ "--content": `${offsets[items.length] ?? 0}px` }}
    >
      <div style={{ height: `${offsets[items.length] ?? 0}px` }}>
        <div ref={content} style={{ transform: `translateY(${offsets[first] ?? 0}px)` }}>
          {rows.map(({ element }) => element)}
        </div>
      </div>
    </section>
  );
}
