/** A button that opens a list of further actions. The browser's popover handles Escape, clicks elsewhere and clipping. */
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { Icon } from "~/console/parts/icons";

const GAP = 4;

export function Menu({ label, children }: { label: string; children: ComponentChildren }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  /** Below the button, within the window. */
  const put = () => {
    if (!button.current || !list.current) return;
    const { bottom, right, top } = button.current.getBoundingClientRect();
    const { offsetWidth, offsetHeight, style } = list.current;
    const fits = bottom + GAP + offsetHeight < innerHeight;
    style.left = `${Math.max(GAP, right - offsetWidth)}px`;
    style.top = `${fits ? bottom + GAP : Math.max(GAP, top - GAP - offsetHeight)}px`;
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="icon-only"
        popovertarget={id}
        aria-label={label}
        title={label}
      >
        <Icon name="ellipsis" />
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: closes after a click on one of the buttons */}
      <div
        ref={list}
        id={id}
        popover="auto"
        onToggle={({ newState }) => newState === "open" && put()}
        onClick={() => list.current?.hidePopover()}
      >
        {children}
      </div>
    </>
  );
}
