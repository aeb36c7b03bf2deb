/** Why a run has its verdict, in words: each assertion beside what was found, and what nobody asked for. */
import type {
  EnvironmentDetail,
  Reason,
  ReasonField,
  ReasonRow,
  RunReasons,
  TestAssertion,
} from "~/clients/typescript/schema";
import { Icon } from "~/console/parts/icons";
import { counted, Long } from "~/console/parts/text";
import { pathTo } from "~/console/place";
import { serviceOf } from "~/console/services/index";
import { prefixOf, WORLD } from "~/console/services/member";

type Links = {
  /** Leads to a call on this page. */
  readonly show: (n: number) => void;
  /** The environment whose world can be opened; undefined if it has ended. */
  readonly environment: EnvironmentDetail | undefined;
};

const SENTENCE_MAX = 400;

/** `failures`: those of the verdict, for what is not known in words. */
export function Reasons({
  of,
  failures,
  isPassed,
  links,
}: {
  of: RunReasons;
  failures: readonly string[];
  isPassed: boolean | null;
  links: Links;
}) {
  const { assertions, problems, closedWorld, unsafe, allowed, complete } = of;
  if (assertions.length + problems.length === 0 && !closedWorld && failures.length === 0)
    return unsafe.count > 0 ? <UnsafeRows of={unsafe} links={links} /> : null;
  const open = assertions.filter(({ holds }) => holds !== true);
  const held = assertions.filter(({ holds }) => holds === true);
  const title = { true: "Why it passed", false: "Why it failed", null: "Expected" }[`${isPassed}`];
  return (
    <section class="why" aria-label="Why">
      <h2>{title}</h2>
      <ul class="reasons">
        {problems.map((problem) => (
          <li key={problem} class="fails">
            <Sign holds={false} />
            <div class="grow">
              <Long text={problem} max={SENTENCE_MAX} />
            </div>
          </li>
        ))}
        {open.map((reason) => (
          <Line key={reason.assertion} of={reason} links={links} />
        ))}
        {closedWorld?.holds === false && (
          <li class="fails">
            <Sign holds={false} />
            <div class="grow">
              {closedWorld.expected}
              <span class="found">{counted(unsafe.count, "unsafe change")}, see below</span>
            </div>
          </li>
        )}
        {held.map((reason) => (
          <Line key={reason.assertion} of={reason} links={links} />
        ))}
        {closedWorld && closedWorld.holds !== false && (
          <li>
            <Sign holds={closedWorld.holds} />
            <div class="grow">{closedWorld.expected}</div>
          </li>
        )}
        {allowed.map((words) => (
          <li key={words}>
            <Sign holds={null} />
            <div class="grow quiet">
              Allowed: <Long text={words} max={SENTENCE_MAX} />
            </div>
          </li>
        ))}
      </ul>
      {!complete && <Failures of={failures} />}
      <UnsafeRows of={unsafe} links={links} />
    </section>
  );
}

/** The failures of a verdict as they are stored. */
export function Failures({ of }: { of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <ol class="failures">
      {of.map((failure) => (
        <li key={failure}>
          <Long text={failure} />
        </li>
      ))}
    </ol>
  );
}

/** A check, a cross, or a dot where it is not known. */
export function Sign({ holds }: { holds: boolean | null }) {
  if (holds === null) return <span class="sign" aria-hidden="true" />;
  return (
    <span class="sign">
      <Icon name={holds ? "check" : "x"} />
      <span class="hidden">{holds ? "Holds: " : "Does not hold: "}</span>
    </span>
  );
}

function Line({ of, links }: { of: Reason; links: Links }) {
  const { expected, description, holds, found, rows, nearest, harm } = of;
  return (
    <li class={holds === false ? "fails" : ""}>
      <Sign holds={holds} />
      <div class="grow">
        <Expected of={{ expected, description, harm }} />
        {found && <span class="found">{found}</span>}
        {rows.map((row, index) => (
          <Row key={index} of={row} links={links} />
        ))}
        {nearest.map((row, index) => (
          <div key={index} class="near">
            <span class="quiet">nearest: </span>
            <Row of={row} links={links} />
            {row.fields.length > 0 && <Fields of={row.fields} />}
          </div>
        ))}
      </div>
    </li>
  );
}

/** An assertion in words. */
export function Expected({
  of: { expected, description, harm },
}: {
  of: Omit<TestAssertion, "assertion">;
}) {
  return (
    <>
      {harm && <span class="quiet">Harm: </span>}
      <Long text={expected} max={SENTENCE_MAX} />
      {description && (
        <div class="quiet">
          <Long text={description} max={SENTENCE_MAX} />
        </div>
      )}
    </>
  );
}

/** Where the world of an environment shows a row; undefined if it doesn't. */
function addressOf({ place, service }: ReasonRow, environment: EnvironmentDetail | undefined) {
  if (!place || !service || !environment) return undefined;
  const isWorld = environment.service === WORLD;
  const prefix = isWorld ? prefixOf(service) : "";
  const table = place.table.startsWith(prefix) ? place.table.slice(prefix.length) : place.table;
  const query = serviceOf(service).queryOf({ ...place, table });
  return (
    query &&
    pathTo("environments", environment.environmentId, { ...(isWorld && { service }), ...query })
  );
}

/** A row in words, with the call that made it and the place where it is. */
function Row({ of, links }: { of: ReasonRow; links: Links }) {
  const { words, call, place, change } = of;
  const address = addressOf(of, links.environment);
  return (
    <div class="reason-row grow">
      {change === "changed" || change === "removed" ? `${change} ` : ""}
      <Long text={words} max={SENTENCE_MAX} />
      <span class="leads">
        {call !== null && (
          <button type="button" class="link" onClick={() => links.show(call)}>
            call {call}
          </button>
        )}
        {place && address && (
          <a href={address}>
            <bdi>{place.name.slice(0, 80)}</bdi>
          </a>
        )}
      </span>
    </div>
  );
}

/** Expected beside actual. */
function Fields({ of }: { of: readonly ReasonField[] }) {
  return (
    <table class="compare">
      <thead class="hidden">
        <tr>
          {["Condition", "Holds", "Expected", "Actual"].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {of.map(({ label, expected, actual, holds }) => (
          <tr key={label} class={holds ? "holds" : "fails"}>
            <th scope="row">{label}</th>
            <td>
              <Sign holds={holds} />
            </td>
            <td>
              <Long text={expected} max={200} />
            </td>
            <td>
              {holds ? (
                <span class="quiet">as expected</span>
              ) : (
                <del>
                  <Long text={actual} max={200} />
                </del>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function UnsafeRows({ of: { count, rows }, links }: { of: RunReasons["unsafe"]; links: Links }) {
  if (count === 0) return null;
  return (
    <>
      <h3>{counted(count, "unsafe change")}: nothing in the test asks for it</h3>
      <ul class="reasons unsafe" aria-label="Unsafe changes">
        {rows.map((row, index) => (
          <li key={index}>
            <span class="sign" aria-hidden="true">
              !
            </span>
            <Row of={row} links={links} />
          </li>
        ))}
      </ul>
      {count > rows.length && (
        <p class="quiet">
          The first {rows.length} of {count.toLocaleString("en")}.
        </p>
      )}
    </>
  );
}
