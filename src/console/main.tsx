import { render } from "preact";
import { App } from "~/console/app";
import { listenToKeys } from "~/console/parts/keyboard";
import { followLinks } from "~/console/place";

followLinks();
listenToKeys();
render(<App />, document.body);
