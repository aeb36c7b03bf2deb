/** Drafts that several calls change at the same time, and the threads of changed ones. */
import { expect, test } from "bun:test";
import { rawOf, useScene } from "./scene";

const scene = useScene();
const message = { raw: rawOf({ to: "john@acme.test", subject: "Only one" }) };

test("a draft that two calls send is sent by one of them", async () => {
  const environment = await scene.environment();
  const { id } = await scene.post(environment, "drafts", { message });
  const calls = Array.from({ length: 6 }, () =>
    scene.call(environment, "POST", "drafts/send", { id }),
  );
  const statuses = (await Promise.all(calls)).map(({ status }) => status);

  expect(statuses.toSorted()).toEqual([200, 404, 404, 404, 404, 404]);
  const { messages } = await scene.get(environment, "messages?q=subject:(only%20one)");
  expect(messages).toHaveLength(1);
});

test("a draft that several calls replace has one message", async () => {
  const environment = await scene.environment();
  const { id } = await scene.post(environment, "drafts", { message });
  const calls = Array.from({ length: 6 }, () =>
    scene.call(environment, "PUT", `drafts/${id}`, { message }),
  );
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200);

  const { messages } = await scene.get(environment, "messages?q=subject:(only%20one)");
  expect(messages).toHaveLength(1);
});

test("a draft that is alone in its thread is replaced and sent with the thread that it was read with", async () => {
  const environment = await scene.environment();
  const draft = await scene.post(environment, "drafts", { message });
  const { threadId } = draft.message;
  const replaced = await scene.call(environment, "PUT", `drafts/${draft.id}`, {
    message: { ...message, threadId },
  });

  expect(replaced).toMatchObject({ status: 200, body: { id: draft.id } });
  const { threadId: current } = replaced.body.message;
  const sent = await scene.post(environment, "drafts/send", {
    id: draft.id,
    message: { ...message, threadId: current },
  });
  expect(sent).toMatchObject({ threadId: current, labelIds: ["SENT"] });
  const gone = await scene.call(environment, "POST", "drafts", {
    message: { ...message, threadId },
  });
  expect(gone.status).toBe(404);
});
