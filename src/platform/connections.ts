/** The connections of a server to its database, each group for a use of its own. */
import type { Config } from "~/config";
import { connect } from "~/db/connect";
import { createFlusher } from "~/db/flusher";
import { createBuilders } from "~/db/origins";
import { createSessionPool } from "~/db/session-pool";
import { openEnvironment } from "~/platform/environments/opening";

export type Connections = ReturnType<typeof openConnections>;

const PLATFORM = 6;
const TEMPLATES = 2;
/** Sessions that environments' calls run on. */
const SESSIONS = 8;
/** A session that recycles schemas grew by 2 MB a second among ten thousand environments. */
const BUILDER_SECONDS = 60;

export function openConnections(config: Config) {
  const url = config.DATABASE_URL;
  const cores = navigator.hardwareConcurrency;
  const builderCount = Math.max(1, Math.min(config.POOL_REFILL_CONCURRENCY, cores));
  const pool = connect(url, { max: PLATFORM, name: "platform", camel: true });
  const replicas = connect(url, { max: TEMPLATES, name: "templates" });
  const flusher = createFlusher(url);
  const sessionPool = createSessionPool(url, SESSIONS, openEnvironment, { flusher });
  const builders = createBuilders(
    connect(url, {
      max: builderCount + 1,
      name: "builders",
      patient: true,
      lifetimeSeconds: BUILDER_SECONDS,
    }),
    config.LOGICAL_REPLICATION_ENABLED,
  );
  const lock = connect(url, { max: 1, name: "maintenance", patient: true });
  const probe = connect(url, { max: 1, name: "probe", camel: true });
  return {
    /** The platform's own tables. */
    pool,
    /** The tables of templates. */
    replicas,
    /** The tables of environments. */
    sessionPool,
    /** Builds schemas, `builderCount` at the same time. */
    builders,
    builderCount,
    /** Holds the locks of background jobs. */
    lock,
    /** Not queued for by calls: a busy server is still ready. */
    probe,
    async close() {
      await Promise.all([
        sessionPool.end(),
        flusher.end(),
        ...[pool, replicas, builders.sql, lock, probe].map((each) => each.end({ timeout: 1 })),
      ]);
    },
  };
}
