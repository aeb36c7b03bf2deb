/** One run. */
import { addressOf, ask, send } from "~/console/api";
import { SAVED } from "~/console/assets";
import { GATHER_MS, useLive } from "~/console/live";
import { useAction, useLoad } from "~/console/loading";
import { Failure, Head, Ready } from "~/console/parts/basics";
import { AsJson } from "~/console/parts/dialog";
import { download } from "~/console/parts/download";
import { RunView } from "~/console/parts/run-view";
import { CALLS_PER_PAGE, type RunData, readRun } from "~/console/run-data";
import { savedPage } from "~/console/saved";

export function RunPage({ id }: { id: string }) {
  const loaded = useLoad(() => readRun(ask, id), [id]);
  const pages = Math.floor((loaded.data?.calls.length ?? 0) / CALLS_PER_PAGE);
  // A reload reads all calls: the more there are, the rarer it is.
  useLive(loaded.reload, ({ data }) => data["runId"] === id, { delayMs: GATHER_MS * (1 + pages) });
  return (
    <>
      <Head title="Run" id={id}>
        {loaded.data && <Save data={loaded.data} />}
        <AsJson address={addressOf(`/results/${id}`)} />
      </Head>
      <Ready of={loaded}>{(data) => <RunView data={data} />}</Ready>
    </>
  );
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
