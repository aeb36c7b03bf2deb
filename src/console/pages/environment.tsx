/** One environment: its state, what can be done with it, and its world. */
import { useState } from "preact/hooks";
import type { EnvironmentDetail, Forks } from "~/clients/typescript/schema";
import { addressOf, call, get } from "~/console/api";
import { isOf, useLive } from "~/console/live";
import { useAction, useLoad } from "~/console/loading";
import { ChatWorld } from "~/console/pages/chat";
import { TrackerWorld } from "~/console/pages/tracker";
import { Badge, Empty, Failure, Head, Ready } from "~/console/parts/basics";
import { Time } from "~/console/parts/clock";
import { AsJson, Confirm } from "~/console/parts/dialog";
import { Verdict } from "~/console/parts/verdict";
import { go, pathTo } from "~/console/place";

const EXTENSION_SECONDS = 3_600;
/** At most this often while calls arrive. */
const READ_MS = 5_000;

export function EnvironmentPage({ id }: { id: string }) {
  const loaded = useLoad((signal) => get<EnvironmentDetail>(`/env/${id}`, {}, signal), [id]);
  // Each read compares the environment with its template: an idle one is not polled, a busy one read rarely.
  useLive(loaded.reload, (event) => isOf(id)(event) && event.name !== "call");
  useLive(loaded.reload, isOf(id), { delayMs: READ_MS });
  return (
    <>
      <Head title="Environment" id={id}>
        {loaded.data?.status === "active" && <Actions of={loaded.data} reload={loaded.reload} />}
        <a href={pathTo("playground", { environment: id })}>Playground</a>
        <AsJson address={addressOf(`/env/${id}`)} />
      </Head>
      <Ready of={loaded}>
        {(environment) => (
          <>
            <Facts of={environment} />
            <World of={environment} />
          </>
        )}
      </Ready>
    </>
  );
}

function Facts({ of }: { of: EnvironmentDetail }) {
  const { run, status, changedRows } = of;
  return (
    <p class="facts">
      <Badge kind={status === "active" ? "good" : "plain"}>{status}</Badge>
      <span>{of.templateSchema}</span>
      <span>
        {status === "active" ? "ends " : "created "}
        <Time at={status === "active" ? of.expiresAt : of.createdAt} />
      </span>
      <span>{of.calls.toLocaleString("en")} calls in runs</span>
      {changedRows !== null && <span>{changedRows.toLocaleString("en")} rows changed</span>}
      {run && (
        <a href={pathTo("runs", run.runId)}>
          last run <Verdict run={{ status: run.status, gradable: null }} />
        </a>
      )}
    </p>
  );
}

export function World({ of }: { of: EnvironmentDetail }) {
  if (of.status !== "active")
    return (
      <Empty title="This environment has ended.">
        <p>Its data are gone. The pages of its runs show what was changed.</p>
      </Empty>
    );
  if (of.service === "chat") return <ChatWorld environment={of} />;
  return <TrackerWorld environment={of} />;
}

function Actions({ of, reload }: { of: EnvironmentDetail; reload: () => void }) {
  const [asked, ask] = useState<"" | "reset" | "delete">("");
  const { error, perform } = useAction();
  const id = of.environmentId;
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
            go(pathTo("environments"));
          }}
        >
          <p>It and its data are deleted. Its run, if one is running, ends as failed.</p>
        </Confirm>
      )}
    </>
  );
}
