/** Paths of Google's APIs. */

/** Those that every API has, on the server's own root too. */
export const rootsOf = (name: string, version: string): readonly string[] => {
  const api = `${name}/${version}`;
  return [
    ...[`${api}/`, `upload/${api}/`, `resumable/upload/${api}/`, "batch", `batch/${api}`],
    ...["$discovery/rest", `discovery/v1/apis/${api}/rest`],
  ];
};
