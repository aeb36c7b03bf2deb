/** The suite "Tracker benchmark": solutions and plausible mistakes of each test. */
import suite from "../../seeds/suites/tracker.yaml";
import { prove } from "./prove";
import { clientOf, proofs } from "./tracker";

prove(suite, 40, clientOf, proofs);
