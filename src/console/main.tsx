import { render } from "preact";
import { App } from "~/console/app";
import { listenToKeys } from "~/console/parts/keyboard";
import { followLinks } from "~/console/place";

listenToKeys();
followLinks();
render(<App />, document.body);
