/** Seeds of several services that share a list of people. */
import { expect, test } from "bun:test";
import { resolveSeed, type Seed } from "~/platform/templates/seeds";
import { useSharedDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

const ADA = { email: "ada@company.test", name: "Ada Berg", title: "Engineer", zone: "Asia/Tokyo" };
const BEN = { email: "ben@company.test", name: "Ben Cole" };
const seedOf = (service: string, fields: object): any =>
  resolveSeed({ template: "t", service, description: "", ...fields } as Seed, []);

test("users have the fields of the person with their address, unless they say them", () => {
  const users = [
    { id: "U01ADABERG", name: "ada", email: "Ada@company.test" },
    { id: "U02BENCOLE", name: "ben", email: BEN.email, real_name: "Benjamin" },
    { id: "U03CARLACO", name: "carla", email: "carla@company.test", real_name: "Carla" },
  ];

  const seed = seedOf("chat", { people: [ADA, BEN], users });

  expect(seed.people).toBeUndefined();
  expect(seed.users).toEqual([
    { ...users[0], real_name: "Ada Berg", title: "Engineer", tz: "Asia/Tokyo" },
    users[1],
    users[2],
  ]);
});

test.each([
  ["tracker", { name: "Ada Berg", title: "Engineer", timezone: "Asia/Tokyo" }],
  ["mail", { name: "Ada Berg" }],
  ["calendar", { name: "Ada Berg", zone: "Asia/Tokyo" }],
])("%s has its own fields for them", (service, fields) => {
  const { users } = seedOf(service, { people: [ADA], users: [{ email: ADA.email }] });

  expect(users).toEqual([{ email: ADA.email, ...fields }]);
});

test("a mistake in the list of a world has its place there", () => {
  const members = { mail: { users: [] }, calendar: { users: [] } };
  const seed = (people: unknown) => () => seedOf("world", { people, members });

  expect(seed([{ email: ADA.email }])).toThrow(/^people\[0\]\.name: /);
  expect(seed("constructor")).toThrow(/^people: there is no list "constructor"/);
});

test("a world gives its list to all services, and the list of one service is its own", async () => {
  const users = [{ email: ADA.email }, { email: BEN.email }];
  const zones = [{ ...ADA }, { ...BEN, zone: "Europe/Lisbon" }];
  const seed = {
    people: [ADA, BEN],
    members: { mail: { users }, calendar: { users, people: zones } },
  };

  const answer = await program.post("/templates/import", {
    service: "world",
    name: "shared",
    seed,
  });

  expectStatus(answer, 201);
  const { location } = answer.body;
  const names = await database.sql.unsafe(
    `select m.name, c."displayName", p."timeZone" from ${location}.mail_mailboxes m
     join ${location}.calendar_users c on c.email = m."emailAddress"
     join ${location}.calendar_calendars p on p.id = c.email order by 1`,
  );
  expect(names.map(({ name, displayName, timeZone }) => [name, displayName, timeZone])).toEqual([
    ["Ada Berg", "Ada Berg", "Asia/Tokyo"],
    ["Ben Cole", "Ben Cole", "Europe/Lisbon"],
  ]);
});
