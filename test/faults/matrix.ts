/** The fault matrix: every row, played here or proven by other tests. */
import { CAPTURE } from "./capture";
import type { Fault, Proof } from "./fault";
import { POSTGRES } from "./postgres";
import { PROCESSES } from "./processes";
import { RUNS } from "./runs";

export const FAULTS: readonly Fault[] = [...CAPTURE, ...POSTGRES, ...RUNS, ...PROCESSES];

const RECOVERY = "test/capture/recovery.long.test.ts";
const DOCTOR = "test/program/doctor.test.ts";
const KEYS = "test/platform/keys/keys.test.ts";
const RUN = "test/platform/runs/runs.test.ts";
const ENVIRONMENT = "test/platform/environments/environments.test.ts";

export const PROOFS: readonly Proof[] = [
  {
    id: "F06",
    fault: "a transaction is open when a run starts, and commits during it",
    expected: "its changes are in the diff: where it commits decides",
    proofs: [{ file: RECOVERY, name: "a long transaction counts where it commits" }],
  },
  {
    id: "F07",
    fault: "a transaction is open when a run ends",
    expected: "it is in neither this run's diff nor the next one's",
    proofs: [{ file: RECOVERY, name: "a long transaction counts where it commits" }],
  },
  {
    id: "F13",
    fault: "a run holds back more log than CAPTURE_WAL_BUDGET",
    expected: "the oldest run fails as capture_lost: wal budget; others continue",
    proofs: [{ file: RECOVERY, name: "a run over the WAL budget fails" }],
  },
  {
    id: "F15",
    fault: "wal_level is replica",
    expected: "the start fails and says how to fix it; with snapshots instead of the log it works",
    proofs: [
      { file: DOCTOR, name: "gets all problems together" },
      { file: DOCTOR, name: "needs no log with snapshots" },
    ],
  },
  {
    id: "F16",
    fault: "the output plugin is not installed",
    expected: "the start fails and says how to get it; auto uses the available one",
    proofs: [{ file: DOCTOR, name: "needs the configured plugin" }],
  },
  {
    id: "F19",
    fault: "DDL or truncate in an environment during a run",
    expected:
      "truncate, drop, create and what hides changes fail the run by name; a new column shows in the diff",
    proofs: [
      { file: RECOVERY, name: "truncate fails the run by name" },
      { file: RECOVERY, name: "a table dropped or created fails the run by name" },
      { file: RECOVERY, name: "DDL that may hide changes fails the run by name" },
      { file: RECOVERY, name: "an added column shows in the diff" },
    ],
  },
  {
    id: "F30",
    fault: "one run is ended by fifty callers on two servers",
    expected: "one gets the result, the others run_already_completed",
    proofs: [{ file: RUN, name: "is ended once by fifty callers on two servers" }],
  },
  {
    id: "F31",
    fault: "one environment's run is started by fifty callers",
    expected: "one starts it, the others get run_already_exists",
    proofs: [{ file: RUN, name: "is started once by fifty callers on two servers" }],
  },
  {
    id: "F32",
    fault: "evaluateRun of a run without a test",
    expected: "no_test_defined; the run continues, and diffRun ends it",
    proofs: [
      {
        file: "test/platform/runs/evaluation.test.ts",
        name: "a run without a test is not evaluated, and continues",
      },
    ],
  },
  {
    id: "F33",
    fault: "an environment expires during its run",
    expected: "calls read 404 at that moment; the run is closed and says why",
    proofs: [
      { file: RUN, name: "expires is closed with its diff, and says so" },
      {
        file: ENVIRONMENT,
        name: "ends exactly when it expires, whether or not maintenance has run",
      },
    ],
  },
  {
    id: "F34",
    fault: "an environment is deleted during its run",
    expected: "the run is closed and says why; it no longer retains log",
    proofs: [
      { file: RUN, name: "is deleted is closed, and says so" },
      { file: RUN, name: "runs of ended environments do not hold the log back" },
    ],
  },
  {
    id: "F38",
    fault: "forty concurrent callers on two servers, and two ready schemas",
    expected: "each gets a separate schema",
    proofs: [
      {
        file: ENVIRONMENT,
        name: "gives each of forty concurrent callers on two servers a separate schema",
      },
    ],
  },
  {
    id: "F40",
    fault: "a template is made of an environment that is being written to, in a run",
    expected: "it has one consistent state, and is not in the run's diff",
    proofs: [
      {
        file: "test/platform/templates/templates.test.ts",
        name: "is consistent while the environment is written to, and invisible to a run",
      },
    ],
  },
  {
    id: "F43",
    fault: "initEnv or startRun is sent again because its answer was lost",
    expected: "with an Idempotency-Key the same environment, the same run",
    proofs: [
      {
        file: "test/platform/idempotency/idempotency.test.ts",
        name: "answers the same call with the same environment and token",
      },
      {
        file: "test/platform/idempotency/idempotency.test.ts",
        name: "answers the same call with the same run, and with no second one",
      },
    ],
  },
  {
    id: "F56",
    fault: "the control plane is down, slow, lies, redirects, never ends",
    expected: "503, never 401, within its time limit",
    proofs: [{ file: KEYS, name: 'describe("a control plane"' }],
  },
  {
    id: "F57",
    fault: "a key expires or is revoked between two calls",
    expected: "the next call is rejected",
    proofs: [{ file: KEYS, name: "ends when it expires, and immediately when it is revoked" }],
  },
  {
    id: "F66",
    fault: "a minor release whose logical decoding is faulty",
    expected: "a warning at start that names the release that fixes it",
    proofs: [{ file: DOCTOR, name: "a release with a fault in logical decoding" }],
  },
];
