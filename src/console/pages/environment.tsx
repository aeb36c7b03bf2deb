/** One environment: its state, what can be done with it, and its world. */
import { useState } from "preact/hooks";
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { addressOf, get } from "~/console/api";
import { isOf, useEnd, useLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { Badge, Empty, Head, Ready } from "~/console/parts/basics";
import { Moment, Time } from "~/console/parts/clock";
import { CounterpartsAndApps } from "~/console/parts/counterparts";
import { AsJson } from "~/console/parts/dialog";
import { EnvironmentActions } from "~/console/parts/environment-actions";
import { Members } from "~/console/parts/members";
import { counted } from "~/console/parts/text";
import { Verdict } from "~/console/parts/verdict";
import { go, pathTo } from "~/console/place";
import { worldOf } from "~/console/services/worlds";

/** At most this often while calls arrive. */
const READ_MS = 5_000;

export function EnvironmentPage({ id }: { id: string }) {
  const loaded = useLoad((signal) => get<EnvironmentDetail>(`/env/${id}`, {}, signal), [id]);
  // Each read compares the environment with its template: an idle one is not polled, a busy one read rarely.
  useLive(loaded.reload, (event) => isOf(id)(event) && event.name !== "call");
  useLive(loaded.reload, isOf(id), { delayMs: READ_MS });
  /** The environment that has ended, or is about to: nothing reads its world any more. */
  const [ending, setEnding] = useState<string>();
  useEnd(id, () => setEnding(id));
  const environment = loaded.data;
  return (
    <>
      <Head
        title={environment ? `Environment of ${environment.templateSchema}` : "Environment"}
        kind="environment"
        id={id}
        crumbs={[["Environments", pathTo("environments")]]}
        facts={environment && <Facts of={environment} />}
      >
        <a href={pathTo("playground", { environment: id })}>Playground</a>
        <AsJson address={addressOf(`/env/${id}`)} />
        {environment?.status === "active" && (
          <EnvironmentActions
            of={environment}
            reload={loaded.reload}
            ending={(isEnding) => setEnding(isEnding ? id : undefined)}
            leave={() => go(pathTo("environments"))}
          />
        )}
      </Head>
      <Ready of={loaded}>
        {(environment) =>
          ending === id && environment.status === "active" ? null : (
            <>
              {environment.status === "active" && <CounterpartsAndApps id={id} />}
              <World of={environment} />
            </>
          )
        }
      </Ready>
    </>
  );
}

function Facts({ of }: { of: EnvironmentDetail }) {
  const { run, status, changedRows } = of;
  return (
    <>
      <Badge kind={status === "active" ? "good" : "plain"}>{status}</Badge>
      <a href={pathTo("templates", of.templateSchema)}>{of.service} template</a>
      <span>
        clock <Moment at={of.clock.now} />
      </span>
      <span>
        {status === "active" ? "ends " : "created "}
        <Time at={status === "active" ? of.expiresAt : of.createdAt} />
      </span>
      <span>{counted(of.calls, "call")} in runs</span>
      {changedRows !== null && <span>{counted(changedRows, "row")} changed</span>}
      {run && (
        <a href={pathTo("runs", run.runId)}>
          last run <Verdict run={run} />
        </a>
      )}
      {run && <a href={pathTo("runs", { environment: of.environmentId })}>all runs</a>}
    </>
  );
}

export function World({ of }: { of: EnvironmentDetail }) {
  if (of.status !== "active")
    return (
      <Empty title="This environment has ended.">
        <p>Its data are gone. The pages of its runs show what was changed.</p>
      </Empty>
    );
  return (
    <Members of={of}>
      {(member) => {
        // A person without an account sees nothing of the service: its tables show it.
        const View = worldOf(member.impersonateUserId && member.service);
        return <View environment={member} />;
      }}
    </Members>
  );
}
