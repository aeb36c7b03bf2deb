/** The built-in templates and suites, from their seed files. */
import { code, page, table } from "~/docs/reference/markdown";
import { withPeople } from "~/replicas/kit/seed-people";
import { SEEDS, SUITES } from "../../../seeds/index";

type Named = { readonly id: string; readonly name?: string };
/** Some services know a user by the mail address. */
type User = { id?: string; name?: string; real_name?: string; email?: string; title?: string };
type Seed = {
  readonly template: string;
  readonly service: string;
  readonly description: string;
  readonly extends?: string;
  readonly users?: readonly User[];
  readonly channels?: readonly (Named & { type?: string; is_archived?: boolean })[];
  readonly teams?: readonly (Named & { key: string })[];
};

type Suite = {
  readonly name: string;
  readonly description?: string;
  readonly templateName: string;
  readonly impersonateUserId?: string;
  readonly tests?: readonly Test[];
};

type Test = {
  readonly name: string;
  readonly prompt: string;
  readonly surfaces?: readonly string[];
};

function seedSection(seed: Seed): string {
  const { template, description, users = [], channels = [], teams = [] } = withPeople(seed);
  return page(
    `## ${template}`,
    `${description}.`,
    seed.extends && `Extends ${code(seed.extends)}, with all its content.`,
    table(
      ["User", "Name", "Email", "Title"],
      users.map(({ email = "", id = email, name, real_name: realName, title = "" }) => [
        code(id),
        realName ?? name ?? "",
        email,
        title,
      ]),
    ),
    table(
      ["Conversation", "Name", "Kind"],
      channels.map(({ id, name = "", type = "public", is_archived: archived }) => [
        code(id),
        name,
        archived ? `${type}, archived` : type,
      ]),
    ),
    table(
      ["Team", "Name", "Key"],
      teams.map(({ id, name = "", key }) => [code(id), name, key]),
    ),
  );
}

export function templatesPage(): string {
  const seeds = SEEDS as readonly Seed[];
  return page(
    "# Built-in templates",
    table(
      ["Template", "Service", "Contents"],
      seeds.map(({ template, service, description }) => [code(template), service, description]),
    ),
    "The ids for use in tests and assertions:",
    ...seeds.map(seedSection),
  );
}

export function suitesPage(): string {
  return page(
    "# Built-in suites",
    ...(SUITES as readonly Suite[]).flatMap(
      ({ name, description = "", templateName, impersonateUserId = "", tests = [] }) => [
        `## ${name}`,
        `${tests.length} tests on ${code(templateName)}, for an agent that acts as ${code(impersonateUserId)}. ${description}.`,
        table(
          ["Test", "Surfaces", "Prompt"],
          tests.map(({ name: test, surfaces = [], prompt }) => [test, surfaces.join(", "), prompt]),
        ),
      ],
    ),
  );
}
