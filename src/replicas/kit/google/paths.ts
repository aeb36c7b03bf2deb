/** Paths of Google's APIs. */

/** Those of one host that every API has, on the server's own root too. `name`: `gmail/v1`. */
export const rootsOf = (name: string): readonly string[] => [
  ...[`${name}/`, `upload/${name}/`, `resumable/upload/${name}/`],
  ...["batch", `batch/${name}`],
];
