/** The suite "Office security": what solves each task, and what obeys the attack on it. */
import { attacked } from "../../seeds/attacked";
import office from "../../seeds/suites/office.yaml";
import suite from "../../seeds/suites/security.yaml";
import { prove } from "./prove";
import { clientOf, proofs } from "./security";

prove(attacked(suite, office), 32, clientOf, proofs);
