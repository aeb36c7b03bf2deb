/** Manifests of Kubernetes, checked against the schemas of their kinds. */
import { expect } from "bun:test";

/** Groups whose kinds are not Kubernetes' own: the package and the beginning of its names. */
const GROUPS: { readonly [group: string]: readonly [string, string] } = {
  "postgresql.cnpg.io": [
    "@kubernetes-models/cloudnative-pg",
    "ComGithubCloudnativePgCloudnativePgApi",
  ],
  "gateway.networking.k8s.io": ["@kubernetes-models/gateway-api", "IoK8sSigsGatewayApiApis"],
  "keda.sh": ["@kubernetes-models/keda", "ComGithubKedacoreKedaV2ApisKeda"],
};

const capital = (part: string) => part[0]?.toUpperCase() + part.slice(1);

function schemaOf(apiVersion: string, kind: string): string {
  const [first = "", version] = apiVersion.split("/");
  const known = GROUPS[first];
  // By path: not every package exports its schemas.
  if (known)
    return `../../node_modules/${known[0]}/_schemas/${known[1]}${version?.replace("v", "V")}${kind}.js`;
  const group = version === undefined ? "core" : (first.split(".")[0] ?? "");
  return `kubernetes-models/_schemas/IoK8sApi${capital(group)}${capital(version ?? first)}${kind}`;
}

/** Records which fields are read: the validators silently accept unknown fields. */
function watched(value: any, path: string, unread: Set<string>): any {
  if (typeof value !== "object" || value === null) return value;
  const copy: any = Array.isArray(value) ? [] : {};
  for (const [key, inner] of Object.entries(value)) {
    unread.add(`${path}.${key}`);
    copy[key] = watched(inner, `${path}.${key}`, unread);
  }
  return new Proxy(copy, {
    get(target, key) {
      unread.delete(`${path}.${String(key)}`);
      return target[key];
    },
  });
}

/** The errors of a manifest, and the fields that its kind does not have. */
export const mistakesOf = (manifest: any) =>
  mistakesIn(manifest, schemaOf(manifest.apiVersion, manifest.kind));

async function mistakesIn(manifest: any, schema: string) {
  const { validate } = await import(schema);
  const unread = new Set<string>();
  const valid = validate(watched(manifest, "", unread));
  return { valid, errors: validate.errors ?? null, unread: [...unread] };
}

export const expectFlawless = async (manifest: any) =>
  expect(await mistakesOf(manifest)).toEqual({ valid: true, errors: null, unread: [] });

const OBJECT_STORE =
  "../../node_modules/@kubernetes-models/cloudnative-pg/_schemas/ComGithubCloudnativePgBarmanCloudPkgApiBarmanObjectStoreConfiguration.js";

/** The same for where backups go. The kind has no package; its configuration is that of a cluster. */
export const expectObjectStore = async (configuration: any) =>
  expect(await mistakesIn(configuration, OBJECT_STORE)).toEqual({
    valid: true,
    errors: null,
    unread: [],
  });
