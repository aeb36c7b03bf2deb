/** The note of a run, which a person writes. */
import { useState } from "preact/hooks";
import type { Run } from "~/clients/typescript/schema";
import { call } from "~/console/api";
import { useAction } from "~/console/loading";
import { Failure } from "~/console/parts/basics";
import { Long } from "~/console/parts/text";

/** As many characters as the server takes. */
const NOTE_MAX = 4_000;

/** `reload`: undefined if the note can only be read. */
export function RunNote({ of, reload }: { of: Run; reload?: (() => void) | undefined }) {
  const [text, setText] = useState<string>();
  const { error, isBusy, perform } = useAction();
  const save = () =>
    perform(async () => {
      await call("PATCH", `/runs/${of.runId}`, { body: { note: text?.trim() ?? "" } });
      setText(undefined);
      reload?.();
    });
  if (text === undefined)
    return of.note || reload ? (
      <p class="run-note">
        {of.note && <Long text={of.note} max={600} />}{" "}
        {reload && (
          <button type="button" class="link" onClick={() => setText(of.note ?? "")}>
            {of.note ? "Edit the note" : "Add a note"}
          </button>
        )}
      </p>
    ) : null;
  return (
    <form
      class="run-note"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label>
        Note
        <textarea
          rows={3}
          maxLength={NOTE_MAX}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <Failure error={error} />
      <div class="actions">
        <button type="submit" class="main" disabled={isBusy}>
          Save the note
        </button>
        <button type="button" onClick={() => setText(undefined)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
