import { render } from "preact";
import { App } from "~/console/app";
import { SavedRun } from "~/console/pages/run";
import { listenToKeys } from "~/console/parts/keyboard";
import { followLinks } from "~/console/place";
import { SAVED_ID } from "~/console/saved";

const saved = document.getElementById(SAVED_ID)?.textContent;
listenToKeys();
if (saved) render(<SavedRun data={JSON.parse(saved)} />, document.body);
else {
  followLinks();
  render(<App />, document.body);
}
