/** The changes that are noted of an environment, and those that the log has of it. */
import { expect } from "bun:test";
import type { TestDatabase } from "../../support/database";
import { expectStatus, type TestProgram } from "../../support/program";

export type Noted = {
  readonly transaction: string;
  readonly table: string;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly cause: { readonly request?: string; readonly clock?: true } | null;
};

type Environment = { readonly environmentId: string };

const KIND = { insert: [false, true], update: [true, true], delete: [true, false] } as const;

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)$/;

/** The log has numbers beyond 2^53, and JSON, as texts, and times in another form. */
function plain(value: unknown) {
  if (typeof value === "object" && value !== null) return value;
  const text = String(value);
  return TIME.test(text) ? new Date(text).toISOString() : text;
}

/** Looks at the changes of these tables. */
export function useNoted(
  database: TestDatabase,
  program: TestProgram,
  tables: ReadonlySet<string>,
) {
  const notedIn = async ({ environmentId }: Environment) =>
    await database.sql<Noted[]>`
      select transaction::text as transaction, table_name as table, before, after, cause
      from diorama.changes where environment_id = ${environmentId} order by number
    `;

  /** Keeps the changes of an environment, which are deleted once their events are derived. The result ends that. */
  async function keep({ environmentId }: Environment) {
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const done = database.sql.begin(async (tx) => {
      await tx`select from diorama.event_logs where environment_id = ${environmentId} for update`;
      begun.resolve();
      await held.promise;
    });
    await begun.promise;
    return async () => {
      held.resolve();
      await done;
    };
  }

  /** Compares all that was noted with the log of a run. */
  async function expectAsLogged(noted: readonly Noted[], runId: string) {
    const { body } = await program.get(`/runs/${runId}/events`);
    expect(body.complete).toBe(true);
    const logged = body.events.filter(({ table }: { table: string }) => tables.has(table));
    const kinds = (list: readonly { before: unknown; after: unknown }[]) =>
      list.map(({ before, after }) => [before !== null, after !== null]);
    expect(noted.map(({ table }) => table)).toEqual(logged.map(({ table }: Noted) => table));
    expect(kinds(noted)).toEqual(
      logged.map(({ operation }: { operation: keyof typeof KIND }) => KIND[operation]),
    );
    expect(noted.map(({ cause }) => cause?.request ?? null)).toEqual(
      logged.map(({ request }: { request: string | null }) => request),
    );
    for (const [index, { before, after }] of noted.entries()) {
      const { before: old, after: now } = logged[index];
      for (const [row, image] of [
        [old, before],
        [now, after],
      ])
        for (const [column, value] of Object.entries(row ?? {}))
          expect({ column, value: plain(image?.[column]) }).toEqual({
            column,
            value: plain(value),
          });
    }
    const groups = (list: readonly { transaction: unknown }[]) =>
      list.map(({ transaction }, at) => at > 0 && list[at - 1]?.transaction === transaction);
    expect(groups(noted)).toEqual(groups(logged));
    return logged.length;
  }

  async function inRun(environment: Environment, work: () => Promise<unknown>) {
    const started = await program.post("/startRun", { envId: environment.environmentId });
    expectStatus(started, 201);
    const { runId } = started.body as { runId: string };
    const release = await keep(environment);
    await work();
    const noted = await notedIn(environment);
    await release(); // an open transaction would hold up the log
    const ended = await program.post("/diffRun", { runId });
    expectStatus(ended, 200);
    return { runId, noted };
  }

  return { notedIn, keep, expectAsLogged, inRun };
}
