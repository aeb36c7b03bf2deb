/** The lease of a server that posts: whatever the time of a service's requests, there is time to begin one. */
import { expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { receive } from "../../support/receiver";
import { restCall } from "../../support/rest";

const database = useDatabase();
const program = useProgram(database);

const AGENT = "agent@acme.test";
const SUBSCRIPTION = "projects/acme/subscriptions/agent";

/** Of the time of a lease: too little for a request of Google's services, which takes up to 10 s. */
const LEFT = "13 seconds";
const SLOW_MS = 1_500;

test("a lease that leaves little time to begin a request is renewed", async () => {
  const bot = receive();
  const app = { app: SUBSCRIPTION, events: ["notification"], requestUrl: bot.url };
  const { environmentId: id, environmentUrl } = await program.environment({
    ...{ templateService: "mail", templateName: "mail_default", impersonateUserId: AGENT },
    events: { apps: [app] },
  });
  const watch = () =>
    restCall(
      `${program.url}${environmentUrl}/gmail/v1/users/me/watch`,
      "POST",
      {},
      { topicName: "projects/acme/topics/mail" },
    );
  expect((await watch()).ok).toBeTrue();
  await bot.has(1);
  await eventually(async () => {
    const { events } = (await program.get(`/env/${id}/deliveries`)).body;
    expect(events[0].deliveries[0].state).toBe("delivered");
  });

  // The database is slow to take the delivery, while the server has the lease.
  const { sql } = database;
  await sql`update diorama.event_apps set asked_at = clock_timestamp() + interval '1 minute' where environment_id = ${id}`;
  expectStatus(await program.post(`/env/${id}/deliveries/1/repeat`, {}), 200);
  await sql.begin(async (tx) => {
    await tx`select from diorama.deliveries where environment_id = ${id} for update`;
    await sql`
      update diorama.event_apps set asked_at = null, leased_until = clock_timestamp() + ${LEFT}::interval
      where environment_id = ${id}
    `;
    await eventually(async () => {
      const [waiting] =
        await sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%deliveries%'`;
      expect(waiting).toBeDefined();
    });
    await Bun.sleep(SLOW_MS);
  });
  await eventually(async () => {
    const { events } = (await program.get(`/env/${id}/deliveries`)).body;
    const { state, attempts } = events[0].deliveries[0];
    expect(state).not.toBe("sent");
    expect(attempts.map(({ failed }: { failed: string | null }) => failed)).toEqual([null, null]);
  });
  expect(bot.requests).toHaveLength(2);
});
