/** Capture's access to the rows of runs. */
import type { Records } from "~/capture/records";
import * as active from "~/platform/runs/active-store";
import * as leadership from "~/platform/runs/leader-store";
import * as lifecycle from "~/platform/runs/lifecycle-store";
import * as snapshots from "~/platform/runs/snapshot-store";

export const records: Records = { runs: { ...active, ...lifecycle }, leadership, snapshots };
