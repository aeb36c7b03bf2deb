/** The script of a run that was saved to a file. */
import { render } from "preact";
import { Head } from "~/console/parts/basics";
import { Help, listenToKeys } from "~/console/parts/keyboard";
import { RunView } from "~/console/parts/run-view";
import type { RunData } from "~/console/run-data";
import { SAVED_ID } from "~/console/saved";

function SavedRun({ data }: { data: RunData }) {
  return (
    <>
      <main class="saved">
        <Head title="Run" id={data.run.runId} />
        <RunView data={data} isSaved />
      </main>
      <Help />
    </>
  );
}

listenToKeys();
const text = document.getElementById(SAVED_ID)?.textContent ?? "";
render(<SavedRun data={JSON.parse(text)} />, document.body);
