/** Many apps with addresses: how many a user may have, and how many post at the same time. */
import { describe, expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { receive } from "../../support/receiver";

const program = useProgram(useDatabase());

const appsOf = (count: number, requestUrl: string) =>
  Array.from({ length: count }, (_, n) => ({
    ...{ app: `A01APP${String(n).padStart(4, "0")}`, events: ["message.channels"], requestUrl },
  }));

const made = async (count: number, apps: readonly object[]) =>
  await program.post("/initEnv", {
    ...{ templateService: "chat", templateName: "chat_default", impersonateUserId: "U01AGENTONE" },
    ...{ count, events: { apps } },
  });

async function end(environments: readonly { environmentId: string }[]): Promise<void> {
  for (const { environmentId } of environments)
    expectStatus(await program.call("DELETE", `/env/${environmentId}`), 200);
}

describe("a hundred apps with addresses", () => {
  test("are a user's limit, and post within their bounds", async () => {
    const released = Promise.withResolvers<void>();
    const bot = receive(async () => {
      await released.promise;
      return new Response("ok");
    });
    const answer = await made(5, appsOf(20, bot.url));
    expectStatus(answer, 201);
    const { environments } = answer.body;

    const more = await made(1, appsOf(1, bot.url));
    expectStatus(more, 429);
    expect(more.body).toMatchObject({ reason: "app with an address limit reached", limit: 100 });
    expectStatus(await made(1, [{ app: "A01APP0000", events: [] }]), 201);

    await Promise.all(
      environments.map((each: any) =>
        program.chat(each, "chat.postMessage", { channel: "C01GENERAL", text: "hello" }),
      ),
    );
    await eventually(() => expect(bot.most()).toBe(16));
    released.resolve();
    await bot.has(100);
    expect(bot.most()).toBe(16);
    await end(environments);
  });
});
