/** Solutions leave the same bytes with the same seed: answers, diff and journal. */
import { attacked } from "../../seeds/attacked";
import calendarSuite from "../../seeds/suites/calendar.yaml";
import chatSuite from "../../seeds/suites/chat.yaml";
import mailSuite from "../../seeds/suites/mail.yaml";
import movingSuite from "../../seeds/suites/moving.yaml";
import officeSuite from "../../seeds/suites/office.yaml";
import securitySuite from "../../seeds/suites/security.yaml";
import trackerSuite from "../../seeds/suites/tracker.yaml";
import * as calendar from "./calendar";
import * as chat from "./chat";
import * as mail from "./mail";
import * as moving from "./moving";
import * as office from "./office";
import { proveRepeatable } from "./prove";
import * as security from "./security";
import * as tracker from "./tracker";

proveRepeatable(calendarSuite, calendar.clientOf, calendar.proofs, "calendar");
proveRepeatable(chatSuite, chat.clientOf, chat.proofs, "chat");
proveRepeatable(mailSuite, mail.clientOf, mail.proofs, "mail");
proveRepeatable(movingSuite, moving.clientOf, moving.proofs, "moving");
proveRepeatable(officeSuite, office.clientOf, office.proofs, "world");
proveRepeatable(
  attacked(securitySuite, officeSuite),
  security.clientOf,
  security.proofs,
  "security",
);
proveRepeatable(trackerSuite, tracker.clientOf, tracker.proofs, "tracker");
