/** Audits suites in a separate thread. Only `auditor.ts` starts it and sends it messages. */
import { createAuditing, type Job } from "~/evaluation/audit/jobs";

declare const self: Worker;

const perform = createAuditing();
self.onmessage = ({ data }: MessageEvent<Job>) => {
  self.postMessage(perform(data));
};
