/** The actions on an environment: extend, fork, reset, delete. */
import { useState } from "preact/hooks";
import type { Forks, ListedEnvironment } from "~/clients/typescript/schema";
import { call } from "~/console/api";
import { useAction } from "~/console/loading";
import { Failure, Id } from "~/console/parts/basics";
import { Time } from "~/console/parts/clock";
import { Confirm } from "~/console/parts/dialog";
import { Menu } from "~/console/parts/menu";
import { go, pathTo } from "~/console/place";

const EXTENSION_SECONDS = 3_600;

/**
 * Buttons for a live environment: the most used ones first, all others in a menu; in a row of a table, all of them.
 * `ending`: whether it is about to be deleted, so that nothing reads it any more. `leave`: after it was deleted.
 */
export function EnvironmentActions({
  of: environment,
  isRow = false,
  reload,
  ending,
  leave,
}: {
  of: Pick<ListedEnvironment, "environmentId" | "templateSchema" | "service" | "createdAt">;
  isRow?: boolean;
  reload: () => void;
  ending?: (isEnding: boolean) => void;
  leave: () => void;
}) {
  const { environmentId: id } = environment;
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
  const extending = (
    <button type="button" onClick={extend} title="Lives for at least another hour">
      Extend
    </button>
  );
  const forking = (
    <button type="button" onClick={fork} title="Creates a copy of its current state">
      Fork
    </button>
  );
  return (
    <>
      {!isRow && extending}
      {!isRow && forking}
      <Menu label={`Actions on the environment ${id}`}>
        {isRow && extending}
        {isRow && forking}
        <button type="button" onClick={() => ask("reset")}>
          Reset
        </button>
        <button type="button" class="danger" onClick={() => ask("delete")}>
          Delete
        </button>
      </Menu>
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
          <About of={environment} />
          <p>It goes back to its template. Its run, if one is running, ends as failed.</p>
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm
          title="Delete the environment?"
          action="Delete"
          close={close}
          perform={async () => {
            ending?.(true);
            await call("DELETE", `/env/${id}`).catch((error) => {
              ending?.(false);
              throw error;
            });
            leave();
          }}
        >
          <About of={environment} />
          <p>It and its data are deleted. Its run, if one is running, ends as failed.</p>
        </Confirm>
      )}
    </>
  );
}

/** Names the environment that an action is about. */
function About({
  of: { environmentId, templateSchema, service, createdAt },
}: {
  of: Pick<ListedEnvironment, "environmentId" | "templateSchema" | "service" | "createdAt">;
}) {
  return (
    <dl class="fields">
      <div>
        <dt>Environment</dt>
        <dd>
          <Id id={environmentId} name="environment's id" />
        </dd>
      </div>
      <div>
        <dt>Template</dt>
        <dd>
          {templateSchema} ({service})
        </dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
      </div>
    </dl>
  );
}
