/** The failures of a run, with the nearest rows. */
import type { Explanation } from "~/clients/typescript/schema";
import type { Names } from "~/console/names";
import { shortName } from "~/console/names";
import { Long } from "~/console/parts/text";

export function Failures({
  of,
  failures,
  names,
}: {
  of: readonly Explanation[];
  failures: readonly string[];
  names: Names;
}) {
  const byAssertion = new Map(of.map((each) => [each.assertion, each]));
  const explained = (failure: string) =>
    byAssertion.get(Number(/^assertion#(\d+) /.exec(failure)?.[1]));
  if (failures.length === 0) return null;
  return (
    <section aria-label="Failures">
      <h2>Why it failed</h2>
      <ol class="failures">
        {failures.map((failure, index) => (
          <li key={index}>
            <Long text={explained(failure)?.summary ?? failure} />
            {explained(failure)?.nearest.map(({ key, failed }, place) => (
              <div key={place} class="near">
                <span class="quiet">Nearest row</span>{" "}
                <code>
                  {Object.values(key)
                    .map((value) => shortName(names.get(String(value)) ?? String(value)))
                    .join(" · ")}
                </code>
                <ul>
                  {failed.map((condition) => (
                    <li key={condition}>
                      <Long text={condition} max={300} />
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}
