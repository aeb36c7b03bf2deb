/** The suite "Calendar benchmark": solutions and plausible mistakes of each test. */
import suite from "../../seeds/suites/calendar.yaml";
import { clientOf, proofs } from "./calendar";
import { prove } from "./prove";

/** Calendars have few tables, and so few rows that could be changed besides. */
const KILLED_MIN = 48;

prove(suite, 30, clientOf, proofs, { killedMin: KILLED_MIN });
