/** The reasons of a verdict as plain text, for terminals and reports. */
type Row = { readonly words: string; readonly call: number | null };
type Reasons = {
  readonly problems: readonly string[];
  readonly assertions: readonly {
    readonly assertion: number;
    readonly expected: string;
    readonly holds: boolean | null;
    readonly found: string | null;
    readonly rows: readonly Row[];
    readonly nearest: readonly (Row & {
      readonly fields: readonly {
        readonly label: string;
        readonly expected: string;
        readonly actual: string;
        readonly holds: boolean;
      }[];
    })[];
  }[];
  readonly unsafe: { readonly count: number; readonly rows: readonly Row[] };
};

const FAILED_MAX = 20;
const UNSAFE_MAX = 20;

/** Empty if there is nothing to explain. */
export function reasonText({ problems, assertions, unsafe }: Reasons): string {
  const failed = assertions.filter(({ holds }) => holds === false);
  const more = failed.length - FAILED_MAX;
  return [
    ...problems,
    ...failed
      .slice(0, FAILED_MAX)
      .flatMap(({ assertion, expected, found, rows, nearest }) => [
        `${assertion}. ${expected}: ${found}`,
        ...rows.map((row) => `   found: ${linked(row)}`),
        ...nearest.flatMap(({ fields, ...row }) => [
          `   nearest: ${linked(row)}`,
          ...fields
            .filter(({ holds }) => !holds)
            .map(
              ({ label, expected, actual }) => `     ${label}: ${actual}, expected: ${expected}`,
            ),
        ]),
      ]),
    ...(more > 0 ? [`… and ${more} more assertions do not hold`] : []),
    ...unsafe.rows.slice(0, UNSAFE_MAX).map((row) => `unsafe: ${linked(row)}`),
    ...(unsafe.count > UNSAFE_MAX ? [`unsafe: ${unsafe.count - UNSAFE_MAX} more rows`] : []),
  ].join("\n");
}

const linked = ({ words, call }: Row) => (call === null ? words : `${words} (call ${call})`);
