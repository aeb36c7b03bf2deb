/** Dialogs: of the browser, so that focus, Escape and the background are as users know them. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { key, send } from "~/console/api";
import { Copy, Failure } from "~/console/parts/basics";

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

const pretty = (text: string) => {
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
  const [text, setText] = useState<string>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    send("GET", address)
      .then(async (response) => setText(pretty(await response.text())))
      .catch(setError);
  }, [address]);
  const header = key.value ? ' -H "X-API-Key: $DIORAMA_API_KEY"' : "";
  const command = `curl '${location.origin}${address}'${header}`;
  return (
    <>
      <p class="line">
        <code class="grow">{command}</code>
        <Copy text={command} label="Copy the command" />
      </p>
      {error !== undefined && <Failure error={error} />}
      {text !== undefined && (
        <div class="code">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard */}
          <pre tabIndex={0}>
            {text.slice(0, SHOWN_MAX)}
            {text.length > SHOWN_MAX && "\n… the copy has the rest"}
          </pre>
          <Copy text={text} label="Copy the answer" />
        </div>
      )}
    </>
  );
}

/** Asks before something is lost. */
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
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    try {
      await perform();
      close();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} close={close}>
      {children}
      {error !== undefined && <Failure error={error} />}
      <p>
        <button type="button" class="danger" disabled={isBusy} onClick={confirm}>
          {action}
        </button>
      </p>
    </Dialog>
  );
}
