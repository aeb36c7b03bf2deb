/** The suite "Office benchmark": solutions and plausible mistakes of each test. */
import suite from "../../seeds/suites/office.yaml";
import { clientOf, proofs } from "./office";
import { prove } from "./prove";

prove(suite, 40, clientOf, proofs);
