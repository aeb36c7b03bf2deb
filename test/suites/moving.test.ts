/** The suite "Moving": what solves each test while others act, and plausible mistakes. */
import suite from "../../seeds/suites/moving.yaml";
import { clientOf, proofs } from "./moving";
import { prove, STEP } from "./prove";

prove(suite, 20, clientOf, proofs, { clock: STEP });
