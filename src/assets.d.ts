// Files that Bun embeds as modules: text, or parsed YAML.
declare module "*.sql" {
  const text: string;
  export default text;
}
declare module "*.graphql" {
  const text: string;
  export default text;
}
declare module "*.txt" {
  const text: string;
  export default text;
}
declare module "*.py" {
  const text: string;
  export default text;
}
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "*.yaml" {
  const value: unknown;
  export default value;
}

/** Set by `scripts/build.ts`; absent when running from source. */
declare const DIORAMA_VERSION: string | undefined;

declare module "~/docs/explorer.js" {
  const text: string;
  export default text;
}
declare module "~/docs/page.js" {
  const text: string;
  export default text;
}
declare module "swagger-ui-dist/*" {
  const text: string;
  export default text;
}
