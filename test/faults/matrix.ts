import { CAPTURE } from "./capture";
import type { Fault, Proof } from "./fault";

export const FAULTS: readonly Fault[] = [...CAPTURE];
export const PROOFS: readonly Proof[] = [];
