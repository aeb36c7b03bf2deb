/** People whom the seeds of several services share: one list for a company, with what each service's own list leaves out. */
import { type Static, Type } from "@sinclair/typebox";
import { isObject } from "~/input/json";
import { known, quoted } from "~/input/nearest";
import { requireShape, SeedError } from "~/replicas/kit/seed-mistakes";
import { SERVICES } from "~/replicas/services";
import { PEOPLE } from "../../../seeds/index";

const PEOPLE_MAX = 10_000;

const Person = Type.Object(
  {
    email: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    title: Type.Optional(Type.String()),
    zone: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
type Person = Static<typeof Person>;

const List = Type.Object({ people: Type.Array(Person, { maxItems: PEOPLE_MAX }) });

/** The people of a list, or of the built-in one with this name, by address. Throws SeedError. */
export function readPeople(given: unknown): Map<string, Person> {
  if (typeof given === "string" && !Object.hasOwn(PEOPLE, given)) {
    const names = Object.keys(PEOPLE);
    throw new SeedError("people", `there is no list ${quoted(given)}${known(given, names)}`);
  }
  const list = typeof given === "string" ? PEOPLE[given] : given;
  requireShape(List, { people: list });
  return new Map((list as readonly Person[]).map((each) => [each.email.toLowerCase(), each]));
}

/**
 * Returns a seed without its list of people. Users whose address is in the list have what it says of them, in the fields
 * of their service, unless they say it themselves. Throws SeedError.
 */
export function withPeople<S extends { readonly service: string; readonly people?: unknown }>(
  seed: S,
): Omit<S, "people"> {
  const { people: given, ...rest } = seed;
  const fields = SERVICES.get(seed.service)?.people;
  const { users } = rest as { readonly users?: unknown };
  if (given === undefined) return rest;
  const people = readPeople(given);
  if (!fields || !Array.isArray(users)) return rest;
  const filled = users.map((user: unknown) => {
    const email = isObject(user) ? user["email"] : undefined;
    const person = typeof email === "string" ? people.get(email.toLowerCase()) : undefined;
    if (!person) return user;
    const said = Object.entries(fields).flatMap(([what, field]) => {
      const value = person[what as keyof Person];
      return value === undefined ? [] : [[field, value] as const];
    });
    return { ...Object.fromEntries(said), ...(user as object) };
  });
  return { ...rest, users: filled };
}
