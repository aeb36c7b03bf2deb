/** The counterparts of an environment, and the apps that receive its events. */
import type { CounterpartList, CounterpartState, EventApps } from "~/clients/typescript/schema";
import { get } from "~/console/api";
import { isOf, useLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { Badge, Table } from "~/console/parts/basics";
import { Moment } from "~/console/parts/clock";
import { counted } from "~/console/parts/text";

/** At most this often while calls arrive. */
const READ_MS = 5_000;

type Both = { readonly list: CounterpartList; readonly apps: EventApps["apps"] };

/** Nothing for an environment without any. */
export function CounterpartsAndApps({ id }: { id: string }) {
  const loaded = useLoad(
    async (signal): Promise<Both> => {
      const [list, { apps }] = await Promise.all([
        get<CounterpartList>(`/env/${id}/counterparts`, {}, signal),
        get<EventApps>(`/env/${id}/events`, {}, signal),
      ]);
      return { list, apps };
    },
    [id],
  );
  useLive(loaded.reload, isOf(id), { delayMs: READ_MS });
  const { data } = loaded;
  if (!data) return null;
  const { list, apps } = data;
  return (
    <>
      {list.counterparts.length > 0 && (
        <details>
          <summary>{counted(list.counterparts.length, "counterpart")}</summary>
          <Counterparts of={list} />
        </details>
      )}
      {apps.length > 0 && (
        <details>
          <summary>{counted(apps.length, "app")} with events</summary>
          <Apps of={apps} />
        </details>
      )}
    </>
  );
}

function Counterparts({ of: { counterparts, pending } }: { of: CounterpartList }) {
  return (
    <Table label="Counterparts" columns={["Rule", "Acts as", "Begins", "Has acted", "Waits until"]}>
      {counterparts.map((rule) => (
        <tr key={rule.name}>
          <th scope="row">{rule.name}</th>
          <td>{rule.as}</td>
          <td>{beginningOf(rule, counterparts)}</td>
          <td>
            {counted(rule.fired, "time")}
            {rule.dropped > 0 && <span class="quiet"> and {rule.dropped} times not</span>}
            {rule.lastError && (
              <>
                {" "}
                <Badge kind="bad">{rule.lastError.slice(0, 100)}</Badge>
              </>
            )}
          </td>
          <td>
            {pending
              .filter(({ name }) => name === rule.name)
              .slice(0, 1)
              .map(({ due }) => (
                <Moment key={due} at={due} />
              ))}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** The beginning of a rule, in words. */
function beginningOf(
  { name, when, at, quiet, after }: CounterpartState,
  rules: readonly CounterpartState[],
): string {
  const before = rules.find(({ then }) => then === name);
  const by = when?.from === "any" ? " by anybody" : "";
  const change = when && `a row of ${when.entity} is ${when.diff_type}${by}`;
  const alone = quiet ? `${quiet} without a call` : `${at} from the beginning`;
  const first = change ?? (before ? `after ${before.name}` : alone);
  return after === undefined ? first : `${first}, ${after} later`;
}

function Apps({ of: apps }: { of: EventApps["apps"] }) {
  return (
    <Table label="Apps" columns={["App", "Service", "Acts as", "Connection", "Events"]}>
      {apps.map(({ app, service, userId, connected, events }) => (
        <tr key={app}>
          <th scope="row">{app}</th>
          <td>{service}</td>
          <td>{userId}</td>
          <td>
            <Badge kind={connected ? "good" : "plain"}>{connected ? "open" : "none"}</Badge>
          </td>
          <td class="quiet">{events.join(", ") || "none"}</td>
        </tr>
      ))}
    </Table>
  );
}
