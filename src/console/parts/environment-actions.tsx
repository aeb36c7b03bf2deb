/** The actions on an environment: extend, fork, reset, delete. */
import { useState } from "preact/hooks";
import type { Forks } from "~/clients/typescript/schema";
import { call } from "~/console/api";
import { useAction } from "~/console/loading";
import { Failure } from "~/console/parts/basics";
import { Confirm } from "~/console/parts/dialog";
import { go, pathTo } from "~/console/place";

const EXTENSION_SECONDS = 3_600;

/** Buttons for a live environment. `leave`: after it was deleted. */
export function EnvironmentActions({
  id,
  reload,
  leave,
}: {
  id: string;
  reload: () => void;
  leave: () => void;
}) {
  const [asked, ask] = useState<"" | "reset" | "delete">("");
  const { error, perform } = useAction();
  const extend = () =>
    perform(async () => {
      await call("PATCH", `/env/${id}`, { body: { ttlSeconds: EXTENSION_SECONDS } });
      reload();
    });
  const fork = () =>
    perform(async () => {
      const { environments } = await call<Forks>("POST", `/env/${id}/fork`, { body: {} });
      const [first] = environments;
      if (first) go(pathTo("environments", first.environmentId));
    });
  const close = () => ask("");
  return (
    <>
      <button type="button" onClick={extend} title="Lives for at least another hour">
        Extend
      </button>
      <button type="button" onClick={fork} title="Creates a copy of its current state">
        Fork
      </button>
      <button type="button" onClick={() => ask("reset")}>
        Reset
      </button>
      <button type="button" class="danger" onClick={() => ask("delete")}>
        Delete
      </button>
      <Failure error={error} />
      {asked === "reset" && (
        <Confirm
          title="Reset the environment?"
          action="Reset"
          close={close}
          perform={async () => {
            await call("POST", `/env/${id}/reset`, { body: {} });
            reload();
          }}
        >
          <p>It goes back to its template. Its run, if one is running, ends as failed.</p>
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm
          title="Delete the environment?"
          action="Delete"
          close={close}
          perform={async () => {
            await call("DELETE", `/env/${id}`);
            leave();
          }}
        >
          <p>It and its data are deleted. Its run, if one is running, ends as failed.</p>
        </Confirm>
      )}
    </>
  );
}
