/** The sidebar, which is a drawer on a small screen, and the state of the server in it. */
import { useEffect, useState } from "preact/hooks";
import { isLocked, key, setKey } from "~/console/api";
import { Icon, type IconName } from "~/console/parts/icons";
import { openHelp } from "~/console/parts/keyboard";
import { pathTo, place } from "~/console/place";

export type Entry = { readonly path: string; readonly name: string; readonly icon: IconName };

export function Navigation({ entries }: { entries: readonly Entry[] }) {
  const [isOpen, setOpen] = useState(false);
  const { parts } = place.value;
  useEffect(() => setOpen(false), [place.value]);
  useEffect(() => {
    if (!isOpen) return;
    const close = ({ key }: KeyboardEvent) => key === "Escape" && setOpen(false);
    document.addEventListener("keydown", close);
    document.querySelector<HTMLElement>("body > nav a")?.focus();
    return () => document.removeEventListener("keydown", close);
  }, [isOpen]);
  return (
    <>
      <header class="bar">
        <button
          type="button"
          class="icon-only"
          aria-label="Menu"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="menu" />
        </button>
        <Brand />
      </header>
      {isOpen && (
        <button type="button" class="scrim" aria-label="Close" onClick={() => setOpen(false)} />
      )}
      <nav aria-label="Console" class={isOpen ? "open" : ""}>
        <Brand />
        <ul>
          {entries.map(({ path, name, icon }) => (
            <li key={path}>
              <a
                href={path ? pathTo(path) : pathTo()}
                aria-current={path === (parts[0] ?? "") ? "page" : undefined}
              >
                <Icon name={icon} />
                {name}
              </a>
            </li>
          ))}
        </ul>
        <ul class="foot">
          <li>
            <Server />
          </li>
          <li>
            <a href="/docs/guide" target="_blank" rel="noopener">
              <Icon name="book" />
              Guide
            </a>
          </li>
          <li>
            <a href="/docs" target="_blank" rel="noopener">
              <Icon name="code" />
              API
            </a>
          </li>
          <li>
            <button type="button" onClick={openHelp} aria-label="Keyboard shortcuts">
              <Icon name="keyboard" />
              Shortcuts <kbd>?</kbd>
            </button>
          </li>
          {key.value && !isLocked.value && (
            <li>
              <button type="button" onClick={lock}>
                <Icon name="lock" />
                Forget key
              </button>
            </li>
          )}
        </ul>
      </nav>
    </>
  );
}

function Brand() {
  return (
    <a class="brand" href={pathTo()}>
      <Icon name="mark" />
      Diorama
    </a>
  );
}

function lock(): void {
  setKey("");
  isLocked.value = true;
}

const READ_MS = 15_000;
const WORDS = { asking: "Connecting", ready: "Ready", degraded: "Degraded", offline: "Offline" };

/** Whether the server answers, and can work. */
function Server() {
  const [state, setState] = useState<keyof typeof WORDS>("asking");
  useEffect(() => {
    const read = async () => {
      if (document.hidden) return;
      try {
        const { ok } = await fetch("/api/platform/health", { cache: "no-store" });
        setState(ok ? "ready" : "degraded");
      } catch {
        setState("offline");
      }
    };
    void read();
    const timer = setInterval(read, READ_MS);
    for (const name of ["online", "offline", "visibilitychange"]) addEventListener(name, read);
    return () => {
      clearInterval(timer);
      for (const name of ["online", "offline", "visibilitychange"]) removeEventListener(name, read);
    };
  }, []);
  return (
    <span class={`server ${state}`} role="status">
      {WORDS[state]}
    </span>
  );
}
