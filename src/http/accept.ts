/** The headers in which a client lists what it accepts, with weights from 0 (not at all) to 1. */

/** The weight of each name in `Accept` or `Accept-Encoding`, in lower case. */
export const weightsOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header
      .toLowerCase()
      .split(",")
      .map((part) => {
        const [name = "", ...parameters] = part.split(";").map((each) => each.trim());
        const weight = parameters.find((each) => each.startsWith("q="));
        return [name, weight === undefined ? 1 : Number(weight.slice("q=".length))];
      }),
  );

/** Whether `Accept` includes a media type, by its name or by a range such as `text/*`. Without the header, everything is. */
export function acceptsType(header: string | null, type: string): boolean {
  if (!header) return true;
  const weights = weightsOf(header);
  const range = `${type.slice(0, type.indexOf("/"))}/*`;
  return (weights.get(type) ?? weights.get(range) ?? weights.get("*/*") ?? 0) > 0;
}
