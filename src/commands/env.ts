/** `diorama env`: environments on a server, for people and scripts. */
import {
  type Answer,
  type Client,
  listAll,
  type ServerOptions,
  UsageError,
} from "~/commands/client";
import { consoleOf } from "~/commands/console";
import { asYaml, readDocument } from "~/commands/document";
import { table } from "~/commands/table";
import { notice, print } from "~/log";

type Shown = ServerOptions & { readonly json: boolean };

type Listed = {
  readonly [field in
    | "environmentId"
    | "service"
    | "templateSchema"
    | "status"
    | "createdAt"
    | "expiresAt"]: string;
} & { readonly services: object };

const show = (answer: Answer, { json }: Shown) =>
  print(json ? JSON.stringify(answer, null, 2) : asYaml(answer));

/** Options of `env create`. */
export type Creation = Shown & {
  readonly as?: string;
  readonly ttl?: number;
  readonly now?: string;
  readonly seed?: number;
  readonly services?: readonly string[];
};

/** Prints the environment with its token, which is shown once. */
export async function createEnvironment(
  client: Client,
  template: string,
  { as, ttl, now, seed, services, ...options }: Creation,
) {
  const { service } = await client.call("GET", `/templates/${encodeURIComponent(template)}`);
  const user = as?.includes("@") ? { impersonateEmail: as } : { impersonateUserId: as };
  const created = await client.call("POST", "/initEnv", {
    templateService: service,
    templateName: template,
    ...(as !== undefined && user),
    ...(ttl !== undefined && { ttlSeconds: ttl }),
    ...(now !== undefined && { clock: { now } }),
    ...(seed !== undefined && { seed }),
    ...(services && { services }),
  });
  show(
    { ...created, console: consoleOf(client, "environments", created["environmentId"]) },
    options,
  );
}

/** Each of them, also after one that is not there. Throws the first failure. */
export async function deleteEnvironments(client: Client, ids: readonly string[]) {
  const failures: unknown[] = [];
  for (const id of ids)
    await client.call("DELETE", pathOf(id)).then(
      () => notice(`environment ${id} is deleted`),
      (error) => failures.push(error),
    );
  if (failures.length > 0) throw failures[0];
}

const pathOf = (id: string) => `/env/${encodeURIComponent(id)}`;

export async function listEnvironments(
  client: Client,
  { service, all, json }: Shown & { service?: string; all: boolean },
) {
  const status = all ? undefined : "active";
  const found = await listAll<Listed>(client, "/environments", "environments", { service, status });
  if (json) return print(JSON.stringify(found, null, 2));
  const rows = found.map((each) => [
    ...[
      each.environmentId,
      Object.keys(each.services).join(", "),
      each.templateSchema,
      each.status,
    ],
    ...[each.createdAt, each.expiresAt],
  ]);
  for (const line of table(["Id", "Services", "Template", "Status", "Created", "Expires"], rows))
    print(line);
}

export const showEnvironment = async (client: Client, id: string, options: Shown) =>
  show(await client.call("GET", pathOf(id)), options);

export const resetEnvironment = async (
  client: Client,
  id: string,
  { snapshot, ...options }: Shown & { snapshot?: string },
) =>
  show(
    await client.call("POST", `${pathOf(id)}/reset`, {
      ...(snapshot !== undefined && { snapshotId: snapshot }),
    }),
    options,
  );

export type Forking = Shown & {
  readonly count: number;
  readonly snapshot?: string;
  readonly ttl?: number;
};

export const forkEnvironment = async (
  client: Client,
  id: string,
  { count, snapshot, ttl, ...options }: Forking,
) =>
  show(
    await client.call("POST", `${pathOf(id)}/fork`, {
      count,
      ...(snapshot !== undefined && { snapshotId: snapshot }),
      ...(ttl !== undefined && { ttlSeconds: ttl }),
    }),
    options,
  );

export async function clockOfEnvironment(
  client: Client,
  id: string,
  { to, advance, ...options }: Shown & { to?: string; advance?: string },
) {
  if (to !== undefined && advance !== undefined)
    throw new UsageError("either --to or --advance is needed, not both");
  const move = to === undefined ? advance && { advance } : { to };
  const path = `${pathOf(id)}/clock`;
  show(await (move ? client.call("POST", path, move) : client.call("GET", path)), options);
}

/** Shows a list of an environment, or replaces it. `what`: its name in paths and bodies. */
const listOfEnvironment =
  (what: "faults" | "counterparts") =>
  async (
    client: Client,
    id: string,
    { set, clear, ...options }: Shown & { set?: string; clear: boolean },
  ) => {
    if (set !== undefined && clear) throw new UsageError("either --set or --clear, not both");
    const given = set === undefined ? undefined : await readDocument(set);
    const wanted = clear ? { [what]: [] } : given;
    const path = `${pathOf(id)}/${what}`;
    show(await (wanted ? client.call("PUT", path, wanted) : client.call("GET", path)), options);
  };

export const faultsOfEnvironment = listOfEnvironment("faults");
export const counterpartsOfEnvironment = listOfEnvironment("counterparts");
