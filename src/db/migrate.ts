/**
 * Migrates the platform's own tables. Migrations are append-only; each runs in one transaction.
 *
 * Servers of the previous version keep answering calls meanwhile, and run beside the new ones for a while. So a
 * migration only adds (drops come one version after the last program that used the object), and it retries instead of
 * blocking everything that queues behind it for a lock.
 */
import { createHash } from "node:crypto";
import {
  errorCode,
  inTransaction,
  LOCK_NOT_AVAILABLE,
  type Pool,
  UNDEFINED_TABLE,
} from "~/db/connect";
import platform from "~/db/migrations/0001_platform.sql" with { type: "text" };
import evaluation from "~/db/migrations/0002_evaluation.sql" with { type: "text" };
import operations from "~/db/migrations/0003_operations.sql" with { type: "text" };
import impersonation from "~/db/migrations/0004_impersonation.sql" with { type: "text" };
import progress from "~/db/migrations/0005_capture_progress.sql" with { type: "text" };
import grading from "~/db/migrations/0006_grading.sql" with { type: "text" };
import control from "~/db/migrations/0007_control.sql" with { type: "text" };
import demand from "~/db/migrations/0008_demand.sql" with { type: "text" };
import journal from "~/db/migrations/0009_journal.sql" with { type: "text" };
import surfaces from "~/db/migrations/0010_surfaces.sql" with { type: "text" };
import clock from "~/db/migrations/0011_clock.sql" with { type: "text" };
import feed from "~/db/migrations/0012_feed.sql" with { type: "text" };
import clockEffects from "~/db/migrations/0013_clock_effects.sql" with { type: "text" };
import faults from "~/db/migrations/0014_faults.sql" with { type: "text" };
import testFaults from "~/db/migrations/0015_test_faults.sql" with { type: "text" };
import forkPoints from "~/db/migrations/0016_fork_points.sql" with { type: "text" };
import pastStates from "~/db/migrations/0017_past_states.sql" with { type: "text" };
import hiddenTemplates from "~/db/migrations/0018_hidden_templates.sql" with { type: "text" };
import suiteSlugs from "~/db/migrations/0019_suite_slugs.sql" with { type: "text" };
import verdicts from "~/db/migrations/0020_verdicts.sql" with { type: "text" };
import droppedCalls from "~/db/migrations/0021_dropped_calls.sql" with { type: "text" };
import longJournals from "~/db/migrations/0022_long_journals.sql" with { type: "text" };
import audits from "~/db/migrations/0023_audits.sql" with { type: "text" };
import oldRuns from "~/db/migrations/0024_old_runs.sql" with { type: "text" };
import runNotes from "~/db/migrations/0025_run_notes.sql" with { type: "text" };
import worlds from "~/db/migrations/0026_worlds.sql" with { type: "text" };
import environmentTokens from "~/db/migrations/0027_environment_tokens.sql" with { type: "text" };
import runCosts from "~/db/migrations/0028_run_costs.sql" with { type: "text" };
import uploads from "~/db/migrations/0029_uploads.sql" with { type: "text" };
import attacks from "~/db/migrations/0030_attacks.sql" with { type: "text" };
import events from "~/db/migrations/0031_events.sql" with { type: "text" };
import runEvents from "~/db/migrations/0032_run_events.sql" with { type: "text" };
import acts from "~/db/migrations/0033_acts.sql" with { type: "text" };
import actors from "~/db/migrations/0034_actors.sql" with { type: "text" };
import counterparts from "~/db/migrations/0035_counterparts.sql" with { type: "text" };
import eventFaults from "~/db/migrations/0036_event_faults.sql" with { type: "text" };
import disconnections from "~/db/migrations/0037_disconnections.sql" with { type: "text" };
import pendingActions from "~/db/migrations/0038_pending_actions.sql" with { type: "text" };
import testEvents from "~/db/migrations/0039_test_events.sql" with { type: "text" };
import addresses from "~/db/migrations/0040_addresses.sql" with { type: "text" };
import changesOfOthers from "~/db/migrations/0041_changes_of_others.sql" with { type: "text" };
import deliveryFeed from "~/db/migrations/0042_delivery_feed.sql" with { type: "text" };
import quietActions from "~/db/migrations/0043_quiet_actions.sql" with { type: "text" };
import linkDomains from "~/db/migrations/0044_link_domains.sql" with { type: "text" };
import snapshotActions from "~/db/migrations/0045_snapshot_actions.sql" with { type: "text" };
import counterpartCalls from "~/db/migrations/0046_counterpart_calls.sql" with { type: "text" };
import outcomes from "~/db/migrations/0047_outcomes.sql" with { type: "text" };
import actedByHand from "~/db/migrations/0048_acted_by_hand.sql" with { type: "text" };

export type Migration = {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  /** The newest migration that a program must know to run beside this one, if any. */
  readonly requires?: number;
};

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: "platform", text: platform },
  { version: 2, name: "evaluation", text: evaluation },
  { version: 3, name: "operations", text: operations },
  { version: 4, name: "impersonation", text: impersonation },
  { version: 5, name: "capture progress", text: progress },
  { version: 6, name: "grading", text: grading },
  { version: 7, name: "control", text: control },
  { version: 8, name: "demand", text: demand },
  { version: 9, name: "journal", text: journal },
  { version: 10, name: "surfaces", text: surfaces },
  { version: 11, name: "clock", text: clock },
  { version: 12, name: "feed", text: feed },
  { version: 13, name: "clock effects", text: clockEffects },
  { version: 14, name: "faults", text: faults },
  { version: 15, name: "faults of tests", text: testFaults },
  { version: 16, name: "fork points", text: forkPoints },
  { version: 17, name: "past states", text: pastStates },
  { version: 18, name: "hidden templates", text: hiddenTemplates },
  { version: 19, name: "suite slugs", text: suiteSlugs },
  { version: 20, name: "verdicts", text: verdicts },
  { version: 21, name: "dropped calls", text: droppedCalls },
  { version: 22, name: "long journals", text: longJournals },
  { version: 23, name: "audits", text: audits },
  { version: 24, name: "old runs", text: oldRuns },
  { version: 25, name: "notes on runs", text: runNotes },
  { version: 26, name: "worlds", text: worlds },
  { version: 27, name: "tokens of environments", text: environmentTokens },
  { version: 28, name: "costs of runs", text: runCosts },
  { version: 29, name: "uploads", text: uploads },
  { version: 30, name: "attacks", text: attacks },
  { version: 31, name: "events", text: events },
  { version: 32, name: "run_events", text: runEvents },
  { version: 33, name: "acts", text: acts },
  { version: 34, name: "actors", text: actors },
  { version: 35, name: "counterparts", text: counterparts },
  { version: 36, name: "event_faults", text: eventFaults },
  { version: 37, name: "disconnections", text: disconnections },
  { version: 38, name: "pending_actions", text: pendingActions },
  { version: 39, name: "test_events", text: testEvents },
  { version: 40, name: "addresses", text: addresses },
  { version: 41, name: "changes_of_others", text: changesOfOthers },
  { version: 42, name: "delivery_feed", text: deliveryFeed },
  { version: 43, name: "quiet_actions", text: quietActions },
  { version: 44, name: "link_domains", text: linkDomains },
  { version: 45, name: "snapshot_actions", text: snapshotActions },
  { version: 46, name: "counterpart_calls", text: counterpartCalls },
  { version: 47, name: "outcomes", text: outcomes },
  { version: 48, name: "acted_by_hand", text: actedByHand },
];

const newestOf = (migrations: readonly Migration[]) =>
  Math.max(...migrations.map(({ version }) => version));
export const NEWEST_VERSION = newestOf(MIGRATIONS);

/** Serializes servers that start at the same time. */
const LOCK = "diorama migrations";
const TURN_TIMEOUT = "30s";
/**
 * Calls that need a table queue behind a migration that waits for it, and a call and a migration may deadlock. A
 * migration gives up long before Postgres checks for deadlocks (after a second) and cancels the call.
 */
const TABLE_LOCK_TIMEOUT = "100ms";
const LOCK_ATTEMPTS = 100;
const LOCK_RETRY_MS = 200;

const checksum = (text: string) => createHash("sha256").update(text).digest("hex");

/** Returns the versions that were applied. Throws if the database is too new for this program. */
export async function migrate(
  pool: Pool,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<number[]> {
  const known = await listApplied(pool);
  const applied: number[] = [];
  for (const migration of migrations) {
    if (isApplied(migration, known.get(migration.version))) continue;
    if (await applyPatiently(pool, migration)) applied.push(migration.version);
  }
  await requireCompatible(pool, newestOf(migrations));
  return applied;
}

/** The checksums of all applied migrations, by version. */
async function listApplied(pool: Pool): Promise<ReadonlyMap<number, string>> {
  const rows = await pool<{ version: number; checksum: string }[]>`
    select version, checksum from diorama.schema_migrations
  `.catch((error) => {
    if (errorCode(error) === UNDEFINED_TABLE) return [];
    throw error;
  });
  return new Map(rows.map(({ version, checksum }) => [version, checksum]));
}

/** Throws if a migration with another text was applied under its version. */
function isApplied({ version, name, text }: Migration, known: string | undefined): boolean {
  if (known !== undefined && known !== checksum(text))
    throw new Error(`migration ${version} (${name}) differs from the one that was applied`);
  return known !== undefined;
}

async function applyPatiently(pool: Pool, migration: Migration): Promise<boolean> {
  for (let attempt = 1; ; attempt++)
    try {
      return await apply(pool, migration);
    } catch (error) {
      if (errorCode(error) !== LOCK_NOT_AVAILABLE || attempt === LOCK_ATTEMPTS) throw error;
      await Bun.sleep(LOCK_RETRY_MS);
    }
}

/** Returns false if the migration was applied before. */
async function apply(pool: Pool, migration: Migration): Promise<boolean> {
  const { version, name, text, requires } = migration;
  return await inTransaction(pool, async (tx) => {
    await tx`select set_config('lock_timeout', ${TURN_TIMEOUT}, true)`;
    await tx`select pg_advisory_xact_lock(hashtext(${LOCK}))`;
    await tx`select set_config('lock_timeout', ${TABLE_LOCK_TIMEOUT}, true)`;
    await tx`create schema if not exists diorama`;
    await tx`
      create table if not exists diorama.schema_migrations (
        version int primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )
    `;
    const [known] =
      await tx`select checksum from diorama.schema_migrations where version = ${version}`;
    if (isApplied(migration, known?.["checksum"])) return false;
    await tx.unsafe(text);
    await tx`
      insert into diorama.schema_migrations (version, name, checksum)
      values (${version}, ${name}, ${checksum(text)})
    `;
    if (requires !== undefined)
      await tx`update diorama.schema_migrations set requires = ${requires} where version = ${version}`;
    return true;
  });
}

async function requireCompatible(pool: Pool, newest: number): Promise<void> {
  const [found] = await pool<{ version: number; requires: number }[]>`
    select max(version)::int as version, max(requires)::int as requires
    from diorama.schema_migrations where version > ${newest}
  `;
  if (found && found.requires > newest)
    throw new Error(
      `the database has schema version ${found.version}, which needs a program that knows ${found.requires}; this one knows ${newest}`,
    );
}
