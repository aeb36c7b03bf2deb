/** One run. */
import type { RunSiblings } from "~/clients/typescript/schema";
import { addressOf, ask, call, get, send } from "~/console/api";
import { SAVED } from "~/console/assets";
import { GATHER_MS, type ServerEvent, useLive } from "~/console/live";
import { useAction, useLoad } from "~/console/loading";
import { NEWEST_OTHER, RunPair } from "~/console/pages/run-pair";
import { Attempts } from "~/console/parts/attempts";
import { Failure, Head, Ready } from "~/console/parts/basics";
import { AsJson } from "~/console/parts/dialog";
import { download } from "~/console/parts/download";
import { RunHead } from "~/console/parts/run-head";
import { Bookmark } from "~/console/parts/run-name";
import { RunView } from "~/console/parts/run-view";
import { pathTo, place } from "~/console/place";
import { CALLS_PER_PAGE, type RunData, readRun } from "~/console/run-data";
import { savedPage } from "~/console/saved";

/** One run, or two side by side. */
export function RunPage({ id }: { id: string }) {
  const other = place.value.query.get("with");
  return other ? <RunPair id={id} other={other} /> : <OneRun id={id} />;
}

function OneRun({ id }: { id: string }) {
  const loaded = useLoad(() => readRun(ask, id), [id]);
  const pages = Math.floor((loaded.data?.calls.length ?? 0) / CALLS_PER_PAGE);
  // A reload reads all calls: the more there are, the rarer it is.
  const { data } = loaded;
  const isOfRun = (event: ServerEvent) =>
    event.data["runId"] === id ||
    (event.name === "delivery" &&
      data?.run.status === "running" &&
      event.data["environmentId"] === data.run.environmentId);
  useLive(loaded.reload, isOfRun, { delayMs: GATHER_MS * (1 + pages) });
  if (!data)
    return (
      <>
        <Head title="Run" id={id} />
        <Ready of={loaded}>{() => null}</Ready>
      </>
    );
  const mark = async (bookmarked: boolean) => {
    await call("PATCH", `/runs/${id}`, { body: { bookmarked } });
    loaded.reload();
  };
  return (
    <>
      <RunHead data={data}>
        <Siblings id={id} status={data.run.status} />
        {data.run.testId && <a href={pathTo("runs", id, { with: NEWEST_OTHER })}>Compare</a>}
        <Bookmark isOn={data.run.bookmarked} set={mark} />
        <Save data={data} />
        <AsJson address={addressOf(`/results/${id}`)} />
      </RunHead>
      <Failure error={loaded.error} retry={loaded.reload} />
      <RunView data={data} reload={loaded.reload} />
    </>
  );
}

function Siblings({ id, status }: { id: string; status: string }) {
  const siblings = useLoad(
    (signal) => get<RunSiblings>(`/runs/${id}/siblings`, {}, signal),
    [id, status],
  );
  return siblings.data ? <Attempts of={siblings.data} /> : null;
}

/** Downloads the run as one file. */
function Save({ data }: { data: RunData }) {
  const { error, perform } = useAction();
  const save = async () => {
    const page = await (await send("GET", SAVED)).text();
    download(`run-${data.run.runId}.html`, "text/html", savedPage(page, data));
  };
  return (
    <>
      <button
        type="button"
        onClick={() => perform(save)}
        title="One HTML file that needs no server"
      >
        Save
      </button>
      <Failure error={error} />
    </>
  );
}
