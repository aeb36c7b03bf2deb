/** `diorama env`, against a server. */
import { expect, test } from "bun:test";
import { useCommands } from "../support/commands";
import { useDatabase } from "../support/database";
import { useProgram } from "../support/program";

const program = useProgram(useDatabase());
const commands = useCommands(program);

const json = async (...args: string[]) => {
  const { code, out, err } = await commands.run(["env", ...args, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
};
const post = (environment: { environmentUrl: string }) =>
  program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "hello" });

test("creates and deletes an environment", async () => {
  const now = "2026-03-11T12:00:00Z";
  const options = ["--as", "agent@acme.test", "--ttl", "60", "--now", now, "--seed", "7"];
  const created = await json("create", "chat_default", ...options);

  expect(created.clock.now).toStartWith("2026-03-11T12:00");
  expect(created.console).toBe(`${program.url}/console/environments/${created.environmentId}`);
  expect(await post(created)).toMatchObject({ ok: true });
  const shown = await json("show", created.environmentId);
  expect(Date.parse(shown.expiresAt) - Date.now()).toBeWithin(0, 61_000);

  const unknown = "0".repeat(32);
  const deleted = await commands.run(["env", "delete", unknown, created.environmentId]);
  expect(deleted.code).toBe(1);
  expect(deleted.err).toContain("environment_not_found");
  expect(deleted.err).toContain(`environment ${created.environmentId} is deleted`);
  expect((await json("show", created.environmentId)).status).toBe("deleted");
  expect(await commands.run(["env", "create", "chat_defalt"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("chat_default"),
  });
});

test("lists, shows, resets and forks environments", async () => {
  const environment = await program.environment();
  const { environmentId: id } = environment;
  await post(environment);

  expect((await json("list")).map((each: { environmentId: string }) => each.environmentId)).toEqual(
    [id],
  );
  const { out } = await commands.run(["env", "list", "--service", "chat"]);
  expect(out).toContain(`${id}  chat      chat_default  active`);
  expect((await json("show", id)).changedRows).toBeGreaterThan(0);
  const { snapshotId } = (await program.post(`/env/${id}/snapshots`, {})).body;
  expect((await json("reset", id)).snapshotId).toBeNull();
  expect((await json("show", id)).changedRows).toBe(0);
  expect((await json("reset", id, "--snapshot", snapshotId)).snapshotId).toBe(snapshotId);
  const { environments } = await json("fork", id, "--count", "2", "--ttl", "60");
  expect(environments).toHaveLength(2);
  expect(environments[0]).toMatchObject({ parentEnvironmentId: id });
});

test("creates worlds, and lists the services of each", async () => {
  const world = await json("create", "acme", "--as", "agent@acme.test");
  const part = await json("create", "acme", "--as", "agent@acme.test", "--services", "tracker");

  const { out } = await commands.run(["env", "list"]);

  expect(Object.keys(world.services)).toEqual(["chat", "tracker", "mail", "calendar"]);
  expect(out).toMatch(
    new RegExp(`${world.environmentId}  chat, tracker, mail, calendar +acme +active`),
  );
  expect(out).toMatch(new RegExp(`${part.environmentId}  tracker +acme +active`));
  const { out: templates } = await commands.run(["templates", "list"]);
  expect(templates).toMatch(/acme +chat, tracker, mail, calendar +public/);
});

test("shows and moves the clock", async () => {
  const { environmentId: id } = await program.environment({
    clock: { now: "2026-03-11T12:00:00Z", mode: "frozen" },
  });
  expect((await json("clock", id)).now).toBe("2026-03-11T12:00:00.000Z");
  expect((await json("clock", id, "--advance", "P1D")).now).toBe("2026-03-12T12:00:00.000Z");
  expect((await json("clock", id, "--to", "2026-03-13T12:00:00Z")).effects).toBeArray();
});

test("shows, replaces and clears the counterparts", async () => {
  const { environmentId: id } = await program.environment();
  const rule = {
    ...{ name: "john-replies", as: "U02JOHNADOE", service: "chat", say: { text: "Seen." } },
    when: { diff_type: "added", entity: "messages" },
  };
  const file = await commands.file("counterparts.yaml", JSON.stringify({ counterparts: [rule] }));
  expect((await json("counterparts", id, "--set", file)).counterparts).toEqual([
    { ...rule, fired: 0, dropped: 0, lastError: null },
  ]);
  const { out } = await commands.run(["env", "counterparts", id]);
  expect(out).toContain("fired: 0");
  expect((await json("counterparts", id, "--clear")).counterparts).toEqual([]);
});

test("shows, replaces and clears the faults", async () => {
  const environment = await program.environment();
  const { environmentId: id } = environment;
  const file = await commands.file("faults.yaml", "faults:\n  - fault: server_error\n");
  expect((await json("faults", id, "--set", file)).faults).toEqual([
    { fault: "server_error", matched: 0, injected: 0 },
  ]);
  expect(await post(environment)).toEqual({ ok: false, error: "internal_error" });
  const { out } = await commands.run(["env", "faults", id]);
  expect(out).toContain("injected: 1");
  expect((await json("faults", id, "--clear")).faults).toEqual([]);
  expect(await commands.run(["env", "faults", id, "--clear", "--set", file])).toMatchObject({
    code: 64,
    err: expect.stringContaining("either --set or --clear"),
  });
});
