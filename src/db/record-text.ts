/**
 * Reads a row as Postgres prints it: `(1,"a, b",)`.
 *
 * Without quotes a value is as it is, and nothing is null. Within them, a quote and a backslash are doubled. See
 * https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-IO-SYNTAX
 */
export function readRecord(text: string): (string | null)[] {
  const values: (string | null)[] = [];
  const last = text.length - 1;
  for (let at = 1; at <= last; at++) {
    if (text[at] !== '"') {
      const comma = text.indexOf(",", at);
      const end = comma < 0 ? last : comma;
      values.push(end === at ? null : text.slice(at, end));
      at = end;
      continue;
    }
    let value = "";
    for (at++; ; at++) {
      const plain = at;
      while (text[at] !== '"' && text[at] !== "\\") at++;
      value += text.slice(plain, at);
      if (text[at] === '"' && text[at + 1] !== '"') break;
      value += text[++at] ?? "";
    }
    values.push(value);
    at++;
  }
  return values;
}
