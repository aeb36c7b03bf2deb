/** Asks for the API key of a server in production mode. */
import { useState } from "preact/hooks";
import { get, isLocked, key, setKey } from "~/console/api";
import { useAction } from "~/console/loading";
import { Failure, Head } from "~/console/parts/basics";

export function KeyForm() {
  const { error, perform } = useAction();
  const [text, setText] = useState("");
  const open = async () => {
    const before = key.value;
    key.value = text.trim();
    try {
      await get("/environments", { limit: 1 });
      setKey(text.trim());
    } catch (failure) {
      key.value = before;
      isLocked.value = true;
      throw failure;
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void perform(open);
  };
  return (
    <>
      <Head title="API key" />
      <p>
        This server needs a key. It stays in this tab, and is sent to this server only.{" "}
        <code>diorama keys create</code> makes one.
      </p>
      <form onSubmit={submit} class="line">
        <label class="grow">
          Key
          <input
            type="password"
            name="key"
            autocomplete="off"
            required
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit" class="main">
          Open
        </button>
      </form>
      <Failure error={error} />
    </>
  );
}
