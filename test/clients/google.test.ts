/** Google's own clients, unmodified and at fixed versions: each makes at least thirty calls and checks contents. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { snippets } from "~/console/services/mail/snippets";
import { useDatabase } from "../support/database";
import { nodePackages, pythonPackages, run } from "../support/packages";
import { useProgram } from "../support/program";

const MINUTES = 60_000;
const SCENARIOS = join(import.meta.dir, "scenarios");
const PYTHON = ["google-api-python-client==2.202.0", "google-auth-httplib2==0.3.0"];
const program = useProgram(useDatabase());

const AGENT = {
  templateService: "mail",
  templateName: "mail_default",
  impersonateUserId: "agent@acme.test",
};

/** Variables that lead a scenario to a new environment. */
async function environment(of = AGENT) {
  const { environmentUrl, token } = await program.environment(of);
  const { url } = program;
  return { ...process.env, URL: `${url}${environmentUrl}`, ROOT: url, TOKEN: token as string };
}
const expectCalls = (output: string) => expect(Number(output)).toBeGreaterThanOrEqual(30);

test(
  "mail through google-api-python-client",
  async () => {
    const env = { ...(await environment()), PYTHONPATH: await pythonPackages(...PYTHON) };
    expectCalls(await run(["python3", join(SCENARIOS, "gmail_scenario.py")], { env }));
  },
  5 * MINUTES,
);

test(
  "mail through @googleapis/gmail",
  async () => {
    const env = await environment();
    const script = join(SCENARIOS, "gmail.mjs");
    expectCalls(await run(["node", script], { cwd: join(import.meta.dir, "../.."), env }));
  },
  MINUTES,
);

const PLANNER = { ...AGENT, templateService: "calendar", templateName: "calendar_default" };

test(
  "calendar through google-api-python-client",
  async () => {
    const packages = await pythonPackages(...PYTHON);
    const env = { ...(await environment(PLANNER)), PYTHONPATH: packages };
    expectCalls(await run(["python3", join(SCENARIOS, "google_calendar_scenario.py")], { env }));
  },
  5 * MINUTES,
);

test(
  "calendar through @googleapis/calendar",
  async () => {
    const env = await environment(PLANNER);
    const script = join(SCENARIOS, "google-calendar.mjs");
    expectCalls(await run(["node", script], { cwd: join(import.meta.dir, "../.."), env }));
  },
  MINUTES,
);

test.each([
  ["mail", "gmail.mjs", AGENT],
  ["calendar", "google-calendar.mjs", PLANNER],
])(
  "%s through googleapis",
  async (_, script, of) => {
    const folder = await nodePackages("googleapis@188.0.0");
    const env = {
      ...(await environment(of)),
      WHOLE: join(folder, "node_modules/googleapis/build/src/index.js"),
    };
    expectCalls(await run(["node", join(SCENARIOS, script)], { env }));
  },
  5 * MINUTES,
);

test(
  "the code of the playground sends messages",
  async () => {
    const created = await program.environment(AGENT);
    const { environmentUrl, token } = created;
    const environment = { ...created, impersonateUserId: "agent@acme.test" };
    const origin = program.url;
    const code = snippets({ origin, environment, token: token as string, subject: "" });
    const cwd = join(import.meta.dir, "../..");
    const env = { ...process.env, PYTHONPATH: await pythonPackages(...PYTHON) };

    await run(["sh", "-c", code["curl"] ?? ""], { cwd, env });
    await run(["node", "--input-type=module", "-e", code["TypeScript SDK"] ?? ""], { cwd, env });
    await run(["python3", "-c", code["Python SDK"] ?? ""], { cwd, env });

    const query = "q=subject:hello in:sent&fields=messages/id";
    const answer = await fetch(`${origin}${environmentUrl}/gmail/v1/users/me/messages?${query}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(((await answer.json()) as { messages: object[] }).messages).toHaveLength(3);
  },
  5 * MINUTES,
);

const FIXED_HOST = `
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
token_uri = "https://oauth2.googleapis.com/token"
credentials = Credentials(None, refresh_token="1//x", token_uri=token_uri, client_id="x", client_secret="x")
with build("gmail", "v1", credentials=credentials) as mail:
    users = mail.users()
    batch = mail.new_batch_http_request(callback=lambda _, answer, __: print(answer["emailAddress"]))
    batch.add(users.getProfile(userId="me"))
    batch.execute()
`;

test(
  "Google's client for Python needs no change behind intercept",
  async () => {
    const { URL: url, TOKEN: token } = await environment();
    const env = { ...process.env, PYTHONPATH: await pythonPackages(...PYTHON, "pysocks==1.7.1") };
    const to = ["--via", "proxy", "--service-url", url, "--token", token];

    const command = ["bun", "src/main.ts", "intercept", ...to, "--", "python3", "-c", FIXED_HOST];
    expect(await run(command, { cwd: join(import.meta.dir, "../.."), env })).toBe(
      "agent@acme.test",
    );
  },
  5 * MINUTES,
);
