/** The suite "Mail benchmark": solutions and plausible mistakes of each test. */
import suite from "../../seeds/suites/mail.yaml";
import { clientOf, proofs } from "./mail";
import { prove } from "./prove";

/** Mail has few tables, and so few rows that could be changed besides. */
const KILLED_MIN = 38;

prove(suite, 30, clientOf, proofs, { killedMin: KILLED_MIN });
