/** The Python client against a server: runs `client_cases.py` with pytest. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { useDatabase } from "../../support/database";
import { useProgram } from "../../support/program";
import { useVenv } from "../../support/venv";

const MINUTES = 5 * 60_000;
const ROOT = join(import.meta.dir, "../../..");

const database = useDatabase();
const program = useProgram(database, {
  ENVIRONMENT_POOL_TARGETS: "chat_default:2,chat_bench_default:4,tracker_default:1",
});
const venv = useVenv(
  ...["pytest==9.2.0", "slack_sdk==3.47.0", "aiohttp==3.14.5"],
  ...["google-api-python-client==2.202.0", "google-auth-httplib2==0.3.0"],
);

test(
  "every case of the Python client passes",
  async () => {
    const cases = join(import.meta.dir, "client_cases.py");
    const ran = await venv.runCases(cases, {
      DIORAMA_URL: program.url,
      SERVER: `bun ${join(ROOT, "src/main.ts")}`,
      SERVER_DATABASE: database.url,
    });

    expect(ran).toEqual({
      code: 0,
      report: expect.stringMatching(/\n\d\d passed in /),
    });
  },
  MINUTES,
);
