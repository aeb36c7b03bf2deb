/** Paths of Google's APIs. */

/** Those that every API has, on the server's own root too. */
export const rootsOf = (name: string, version: string): readonly string[] => {
  const api = `${name}/${version}`;
  return [
    ...[`${api}/`, `upload/${api}/`, `resumable/upload/${api}/`, "batch", `batch/${api}`],
    ...["$discovery/rest", `discovery/v1/apis/${api}/rest`],
  ];
};

/** Hosts that all APIs share: of several APIs by their paths, and of accounts. */
export const ACCOUNT_HOSTS = [
  "www.googleapis.com",
  "oauth2.googleapis.com",
  "openidconnect.googleapis.com",
] as const;
