/** Dialogs, by the browser's own element: it handles focus, Escape and the background. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { key, send } from "~/console/api";
import { useAction, useLoad } from "~/console/loading";
import { Copy, Failure, Ready } from "~/console/parts/basics";

export function Dialog({
  title,
  close,
  children,
}: {
  title: string;
  close: () => void;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} aria-label={title} onClose={close}>
      <header class="head">
        <h2>{title}</h2>
        <button type="button" onClick={() => element.current?.close()}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  );
}

const SHOWN_MAX = 1_000_000;

/** Indents JSON; any other text stays as it is. */
export const pretty = (text: string) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** The API call behind a page, and its answer. */
export function AsJson({ address }: { address: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        As JSON
      </button>
      {isOpen && (
        <Dialog title="As JSON" close={() => setOpen(false)}>
          <Answer address={address} />
        </Dialog>
      )}
    </>
  );
}

function Answer({ address }: { address: string }) {
  const loaded = useLoad(
    async (signal) => pretty(await (await send("GET", address, { signal })).text()),
    [address],
  );
  const header = key.value ? ' -H "X-API-Key: $DIORAMA_API_KEY"' : "";
  const command = `curl '${location.origin}${address}'${header}`;
  return (
    <>
      <p class="line">
        <code class="grow">{command}</code>
        <Copy text={command} label="Copy the command" />
      </p>
      <Ready of={loaded}>{(text) => <Code text={text} name="answer" />}</Ready>
    </>
  );
}

/** A text in code type with a button that copies it. `name`: of the text, for the button. */
export function Code({ text, name }: { text: string; name: string }) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        {text.slice(0, SHOWN_MAX)}
        {text.length > SHOWN_MAX && "\n… the copy has the rest"}
      </pre>
      <Copy text={text} label={`Copy the ${name}`} />
    </div>
  );
}

/** Asks for confirmation of a destructive action. */
export function Confirm({
  title,
  action,
  close,
  perform,
  children,
}: {
  title: string;
  action: string;
  close: () => void;
  perform: () => Promise<void>;
  children: ComponentChildren;
}) {
  const { error, isBusy, perform: start } = useAction();
  const confirm = () =>
    start(async () => {
      await perform();
      close();
    });
  return (
    <Dialog title={title} close={close}>
      {children}
      <Failure error={error} />
      <p>
        <button type="button" class="danger" disabled={isBusy} onClick={confirm}>
          {action}
        </button>
      </p>
    </Dialog>
  );
}
