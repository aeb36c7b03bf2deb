/** The parts of a world: names, DDL, derived columns. */
import { describe, expect, test } from "bun:test";
import { parseTables, prefixDdl } from "~/replicas/ddl";
import { REPLICAS } from "~/replicas/index";
import { memberOf, servicesIn, tableInWorld } from "~/replicas/members";
import { modelOf } from "~/replicas/world";

const services = [...REPLICAS.keys()];

describe("a table's name", () => {
  test("never begins with the name of a service in a replica itself", () => {
    for (const { tables } of REPLICAS.values())
      for (const name of parseTables(tables).keys())
        expect([name, memberOf(name)]).toEqual([name, undefined]);
  });

  test("says in a world which service it is of", () => {
    for (const service of services) expect(memberOf(tableInWorld(service, "users"))).toBe(service);
    expect(servicesIn("world", [{ name: "tracker_users" }, { name: "chat_users" }])).toEqual([
      "chat",
      "tracker",
    ]);
    expect(servicesIn("chat", [{ name: "users" }])).toEqual(["chat"]);
  });
});

describe("the DDL of a world", () => {
  test("has every table of every service with the same columns", () => {
    const world = parseTables(modelOf("world", services).tables);

    const expected = [...REPLICAS.values()].flatMap(({ service, tables }) =>
      [...parseTables(tables)].map(
        ([name, columns]) => [tableInWorld(service, name), columns] as [string, typeof columns],
      ),
    );
    expect([...world]).toEqual(expected);
  });

  test("has a prefix on everything that it names", () => {
    const ddl = [
      "-- a comment on messages",
      "create sequence last_id;",
      "",
      "create table messages (",
      "  id int primary key default nextval('last_id'),",
      "  -- references users in words",
      "  user_id text references users,",
      "  constraint one_each unique (user_id)",
      ");",
      "create unique index messages_user on messages (user_id) where user_id <> '';",
    ];

    expect(prefixDdl(ddl.join("\n"), "chat_").split("\n")).toEqual([
      "-- a comment on messages",
      "create sequence chat_last_id;",
      "",
      "create table chat_messages (",
      "  id int primary key default nextval('chat_last_id'),",
      "  -- references users in words",
      "  user_id text references chat_users,",
      "  constraint chat_one_each unique (user_id)",
      ");",
      "create unique index chat_messages_user on chat_messages (user_id) where user_id <> '';",
    ]);
  });

  test("is not made of a statement that it cannot read", () => {
    expect(() => prefixDdl("create view people as select 1;", "chat_")).toThrow(
      "create view people",
    );
  });

  test("has the derived columns of every service", () => {
    const { derived } = modelOf("world", services);

    for (const { service, derived: own } of REPLICAS.values())
      for (const [table, columns] of Object.entries(own))
        expect(derived[tableInWorld(service, table)]).toEqual(columns);
  });

  test("has the derived rows of every service, by a derived column that is true or false", () => {
    const { derivedRows = {} } = modelOf("world", services);

    for (const { service, tables, derived, derivedRows: own = {} } of REPLICAS.values())
      for (const [table, column] of Object.entries(own)) {
        expect(derivedRows[tableInWorld(service, table)]).toBe(column);
        expect(derived[table]).toContain(column);
        expect(parseTables(tables).get(table)?.get(column)?.type).toBe("boolean");
      }
  });
});
