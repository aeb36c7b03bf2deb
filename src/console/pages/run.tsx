/** One run. */
import { useState } from "preact/hooks";
import { addressOf, ask, send } from "~/console/api";
import { useLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { Failure, Head, Id, Ready } from "~/console/parts/basics";
import { AsJson } from "~/console/parts/dialog";
import { Help } from "~/console/parts/keyboard";
import { RunView } from "~/console/parts/run-view";
import { type RunData, readRun } from "~/console/run-data";
import { assetsOf, savedPage } from "~/console/saved";

export function RunPage({ id }: { id: string }) {
  const loaded = useLoad(() => readRun(ask, id), [id]);
  useLive(loaded.reload, ({ data }) => data["runId"] === id);
  return (
    <>
      <Head
        title={
          <>
            Run <Id id={id} name="run's id" />
          </>
        }
      >
        {loaded.data && <Save data={loaded.data} />}
        <AsJson address={addressOf(`/results/${id}`)} />
      </Head>
      <Ready of={loaded}>{(data) => <RunView data={data} />}</Ready>
    </>
  );
}

/** Downloads the run as one file. */
function Save({ data }: { data: RunData }) {
  const [error, setError] = useState<unknown>();
  const save = async () => {
    setError(undefined);
    try {
      const html = await (await send("GET", "/console")).text();
      const texts = new Map<string, string>();
      for (const path of assetsOf(html)) texts.set(path, await (await send("GET", path)).text());
      const file = new Blob([await savedPage(html, texts, data)], { type: "text/html" });
      const link = Object.assign(document.createElement("a"), {
        href: URL.createObjectURL(file),
        download: `run-${data.run.runId}.html`,
      });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <button type="button" onClick={save} title="One HTML file that needs no server">
        Save
      </button>
      {error !== undefined && <Failure error={error} />}
    </>
  );
}

/** Browsers read the file a moment after the click. */
const REVOKE_MS = 10_000;

/** A run in a file of its own. */
export function SavedRun({ data }: { data: RunData }) {
  return (
    <>
      <main class="saved">
        <Head
          title={
            <>
              Run <Id id={data.run.runId} name="run's id" />
            </>
          }
        />
        <RunView data={data} isSaved />
      </main>
      <Help />
    </>
  );
}
