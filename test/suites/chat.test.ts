/** The suite "Chat benchmark": solutions and plausible mistakes of each test. */
import suite from "../../seeds/suites/chat.yaml";
import { clientOf, proofs } from "./chat";
import { prove } from "./prove";

prove(suite, 20, clientOf, proofs);
