/** One run. */
import { addressOf, ask } from "~/console/api";
import { useLoad } from "~/console/loading";
import { Head, Id, Ready } from "~/console/parts/basics";
import { AsJson } from "~/console/parts/dialog";
import { RunView } from "~/console/parts/run-view";
import { readRun } from "~/console/run-data";

export function RunPage({ id }: { id: string }) {
  const loaded = useLoad(() => readRun(ask, id), [id]);
  return (
    <>
      <Head
        title={
          <>
            Run <Id id={id} name="run's id" />
          </>
        }
      >
        <AsJson address={addressOf(`/results/${id}`)} />
      </Head>
      <Ready of={loaded}>{(data) => <RunView data={data} />}</Ready>
    </>
  );
}
