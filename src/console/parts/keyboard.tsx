/** Keyboard shortcuts. `?` lists them. */
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { Dialog } from "~/console/parts/dialog";
import { go, pathTo } from "~/console/place";

type Shortcut = { readonly keys: string; readonly does: string; readonly perform: () => void };

/** Shortcuts of the open page. */
const shortcuts = signal<readonly Shortcut[]>([]);
const isHelpOpen = signal(false);
const SEQUENCE_MS = 1_000;

export function openHelp(): void {
  isHelpOpen.value = true;
}

const goTo = (keys: string, does: string, ...parts: string[]): Shortcut => ({
  keys,
  does,
  perform: () => go(pathTo(...parts)),
});

const EVERYWHERE: readonly Shortcut[] = [
  { keys: "?", does: "Show this help", perform: openHelp },
  {
    keys: "/",
    does: "Filter the list",
    perform: () => document.querySelector<HTMLElement>("[type=search]")?.focus(),
  },
  goTo("g o", "Go to the overview"),
  goTo("g e", "Go to the environments", "environments"),
  goTo("g r", "Go to the runs", "runs"),
  goTo("g s", "Go to the suites", "suites"),
  goTo("g t", "Go to the templates", "templates"),
  goTo("g p", "Go to the playground", "playground"),
];

/** Adds shortcuts while the calling component is shown. A key that follows what is on the screen meets its shortcuts. */
export function useShortcuts(added: readonly Shortcut[], inputs: readonly unknown[]): void {
  useLayoutEffect(() => {
    shortcuts.value = [...shortcuts.peek(), ...added];
    return () => {
      shortcuts.value = shortcuts.peek().filter((each) => !added.includes(each));
    };
  }, [...inputs]);
}

const TYPING = "input, textarea, select, [contenteditable]";

export function listenToKeys(): void {
  let before = "";
  let timer = 0;
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
    if ((target as Element).closest(TYPING) || document.querySelector("dialog[open]")) return;
    const all = [...shortcuts.value, ...EVERYWHERE];
    const found = all.find(({ keys }) => keys === `${before} ${key}` || keys === key);
    clearTimeout(timer);
    before = found ? "" : key;
    timer = window.setTimeout(() => {
      before = "";
    }, SEQUENCE_MS);
    if (!found) return;
    event.preventDefault();
    found.perform();
  });
}

export function Help() {
  if (!isHelpOpen.value) return null;
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <Dialog title="Keyboard" close={close}>
      <dl class="keys">
        {[...shortcuts.value, ...EVERYWHERE].map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">Tab reaches everything; Escape closes a dialog.</p>
    </Dialog>
  );
}
