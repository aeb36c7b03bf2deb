import { CAPTURE } from "./capture";
import type { Fault, Proof } from "./fault";
import { POSTGRES } from "./postgres";
import { PROCESSES } from "./processes";
import { RUNS } from "./runs";

export const FAULTS: readonly Fault[] = [...CAPTURE, ...POSTGRES, ...RUNS, ...PROCESSES];
export const PROOFS: readonly Proof[] = [];
