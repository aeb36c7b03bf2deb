/** The script of a run that was saved to a file. */
import { render } from "preact";
import { Help, listenToKeys } from "~/console/parts/keyboard";
import { RunHead } from "~/console/parts/run-head";
import { RunView } from "~/console/parts/run-view";
import type { RunData } from "~/console/run-data";
import { SAVED_ID } from "~/console/saved";

function SavedRun({ data }: { data: RunData }) {
  return (
    <>
      <main class="saved">
        <RunHead data={data} isSaved />
        <RunView data={data} />
      </main>
      <Help />
    </>
  );
}

listenToKeys();
const text = document.getElementById(SAVED_ID)?.textContent ?? "";
render(<SavedRun data={JSON.parse(text)} />, document.body);
