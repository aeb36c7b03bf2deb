/** The thread that reads the log. An entry point of the build; started by `capture/reader.ts`. */
import { serveReader } from "~/capture/worker";
import { records } from "~/platform/runs/records";

declare const self: Worker;

serveReader(self, records);
