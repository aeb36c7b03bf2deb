/** Environments as the work on their events sees them: without a caller, and only while they live. */
import type { Pool } from "~/db/connect";
import type { LogMark } from "~/db/driver";
import { EnvironmentEnded } from "~/db/opening";
import type { Session } from "~/db/session";
import type { SessionPool } from "~/db/session-pool";
import { nowOf } from "~/platform/environments/clock";
import { findOpening } from "~/platform/environments/clock-store";
import type { Environments } from "~/platform/environments/environments";
import type { Settings } from "~/platform/environments/opening";
import type { EnvironmentRow } from "~/platform/environments/store";
import { actorsIn } from "~/platform/environments/view";
import type { Templates } from "~/platform/templates/templates";
import { REPLICAS } from "~/replicas/index";
import { serviceSession } from "~/replicas/service-session";

export type Places = ReturnType<typeof createPlaces>;
export type OpenPlace = NonNullable<Awaited<ReturnType<Places["open"]>>>;

export function createPlaces(deps: {
  pool: Pool;
  environments: Environments;
  templates: Templates;
  sessionPool: SessionPool<Settings>;
}) {
  const { pool, environments, templates, sessionPool } = deps;

  async function of(environment: EnvironmentRow) {
    const services = Object.keys(actorsIn(environment));
    const place = { kind: environment.service, services };
    const ref = { ...environment, tables: await templates.tablesOf(environment) };
    /** The time of the environment, in milliseconds. Throws EnvironmentEnded. */
    async function now(): Promise<number> {
      const opening = await findOpening(pool, environment.environmentId);
      if (!opening) throw new EnvironmentEnded("the environment has ended");
      return nowOf(opening.timing);
    }
    /** Reads the tables of its services, each in a session of its own. Throws EnvironmentEnded. */
    const read = <T>(work: (sessionOf: (service: string) => Session) => Promise<T>): Promise<T> =>
      sessionPool.read(ref, (session) =>
        work((service) => serviceSession(place, service, session)),
      );

    /** Runs a call of the environment, whose writes are named in the log with `mark`. Throws EnvironmentEnded. */
    const write = <T>(
      service: string,
      mark: LogMark,
      work: (session: Session, settings: Settings) => Promise<T>,
    ): Promise<T> =>
      sessionPool.use(
        ref,
        (session, settings) => work(serviceSession(place, service, session), settings),
        mark,
      );

    return {
      environment,
      services,
      /** Throws EnvironmentEnded. */
      settings: async () => await sessionPool.settings(ref),
      read,
      write,
      now,
      /** A sign that an app is at work; null: there is none. Throws EnvironmentEnded. */
      async busySign(): Promise<string | null> {
        const at = await now();
        return await read(async (sessionOf) => {
          for (const service of services) {
            const sign = await REPLICAS.get(service)?.busySign?.(sessionOf(service), at);
            if (sign !== undefined) return sign;
          }
          return null;
        });
      },
    };
  }

  return {
    of,
    /** Undefined if the environment has ended. */
    async open(environmentId: string) {
      const environment = await environments.find(environmentId);
      return environment?.state === "live" ? await of(environment) : undefined;
    },
  };
}
