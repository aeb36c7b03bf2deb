/**
 * Two services for tests, loaded before a server: `bell` sends mail, and `post` takes it. Neither is known outside of
 * this file.
 */
import { REPLICAS } from "~/replicas/index";
import { faultAnswers } from "~/replicas/kit/fault-answers";
import { insertRows } from "~/replicas/kit/seed";
import { createReplica, effects, type Replica, type ReplicaCall } from "~/replicas/replica";
import { SERVICES } from "~/replicas/services";
import { dateOf } from "~/source";
import { jsonAnswer } from "~/wire/message";

type Session = ReplicaCall["session"];
type Ring = { to: string; text: string; fails?: boolean; alone?: boolean; at?: string };

const aboutOf = (service: string) => ({
  service,
  alias: service,
  api: { name: `the ${service} API`, example: "/ring" },
  hosts: { domain: `${service}.test`, names: [`${service}.test`] },
  secrets: [],
  tokenStyles: [],
  effects: { message_posted: "a bell rang" },
});

const faults: Replica["faults"] = {
  selector: "operation",
  names: () => ["ring"],
  select: async () => ({ by: "operation", names: ["ring"], isReading: false }),
  answer: faultAnswers(({ kind }) => ({ status: 500, error: kind, body: { error: kind } })),
};

const USERS = "create table users (\n  id text primary key,\n  email text not null\n);";

/** The parts that both share: people, and a seed of tables. */
const common = (service: string) => ({
  service,
  about: aboutOf(service),
  faults,
  operations: () => [],
  async seed(tx: any, t: any, seed: any) {
    const { template: _template, service: _service, description: _description, ...tables } = seed;
    for (const [table, rows] of Object.entries(tables)) await insertRows(tx, t, table, rows as []);
    return [];
  },
  async findUser({ sql, t }: Session, by: any) {
    const [user] = await sql<{ id: string }[]>`
      select id from ${t["users"]!} where id = ${by.id ?? ""} or email = ${by.email ?? ""}
    `;
    return user?.id;
  },
  listPeople: async ({ sql, t }: Session) =>
    await sql<any[]>`select id, email as name, email from ${t["users"]!} order by id`,
  listDirectory: async ({ sql, t }: Session) =>
    await sql<any[]>`
      select email, email as name, null as zone, true as "isActive" from ${t["users"]!} order by id
    `,
});

async function ring(session: Session, { to, text, fails, alone }: Ring): Promise<void> {
  const { sql, t } = session;
  await sql`insert into ${t["rings"]!} (text) values (${text})`;
  const mail = { from: { email: "bell@acme.test" }, to: [{ email: to }], subject: "Ring", text };
  if (!alone) await session.send(mail);
  if (fails) throw new Error("the bell has a crack");
}

const bell = createReplica<string>({
  ...common("bell"),
  tables: `${USERS}

create sequence ring_id;

create table rings (
  id bigint primary key default nextval('ring_id'),
  text text not null,
  at timestamptz
);`,
  derived: {},
  // An echo of an answer: what a mail causes goes no further, so there is none.
  async deliver({ sql, t }, { text }) {
    await sql`insert into ${t["rings"]!} (text) values (${`echo of ${text}`})`;
  },
  schedule: {
    async next({ sql, t }, _after, until) {
      const [row] = await sql<{ at: Date | null }[]>`
        select min(at) as at from ${t["rings"]!} where at <= ${new Date(until)}::timestamptz
      `;
      return row?.at?.getTime();
    },
    async fire(session) {
      const { sql, t, source } = session;
      const due = await sql<{ id: string; text: string }[]>`
        update ${t["rings"]!} set at = null where at <= ${dateOf(source)}::timestamptz
        returning id::text, text
      `;
      for (const { text } of due) await ring(session, { to: "ann@acme.test", text });
      return effects(
        "message_posted",
        due.map(({ id }) => id),
      );
    },
  },
  async handle({ session, account, body, path }) {
    account.name = path;
    const wanted: Ring = JSON.parse(new TextDecoder().decode(body));
    account.arguments = wanted;
    const { sql, t } = session;
    if (wanted.at !== undefined)
      await sql`insert into ${t["rings"]!} (text, at) values (${wanted.text}, ${wanted.at})`;
    else if (path === "outside") await ring(session, wanted);
    else await session.transaction((inside) => ring(inside, wanted));
    return jsonAnswer({ ok: true });
  },
});

const post = createReplica<string>({
  ...common("post"),
  tables: `${USERS}

create table letters (
  "userId" text not null,
  id text primary key,
  text text not null,
  "isRead" boolean not null,
  "isDelivered" boolean not null
);

create table boxes (
  "userId" text primary key,
  letters int not null
);`,
  derived: { letters: ["isDelivered"], boxes: ["userId", "letters"] },
  derivedRows: { letters: "isDelivered" },
  async deliver(session, { to, text }) {
    const { sql, t } = session;
    for (const { email } of to) {
      const [user] = await sql<{ id: string }[]>`
        select id from ${t["users"]!} where email = ${email}
      `;
      if (!user) continue;
      await session.transaction(
        (inside) => inside.sql`
          insert into ${inside.t["letters"]!} values (${user.id}, ${text}, ${text}, false, true)
        `,
      );
      await sql`
        insert into ${t["boxes"]!} values (${user.id}, 1)
        on conflict ("userId") do update set letters = ${t["boxes"]!}.letters + 1
      `;
    }
    await session.send({ from: { email: "post@acme.test" }, to: [], subject: "Re: Ring", text });
  },
  async handle({ session: { sql, t }, account, body, path }) {
    account.name = path;
    const { id } = JSON.parse(new TextDecoder().decode(body));
    await sql`
      update ${t["letters"]!} set "isRead" = true, "isDelivered" = false where id = ${id}
    `;
    return jsonAnswer({ ok: true });
  },
});

for (const replica of [bell, post]) {
  (REPLICAS as Map<string, Replica>).set(replica.service, replica);
  (SERVICES as Map<string, Replica["about"]>).set(replica.service, replica.about);
}
