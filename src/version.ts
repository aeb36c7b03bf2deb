import { version } from "../package.json";

/** Of a build: its tag or commit. Of the sources: the package's version and `-dev`. */
export const VERSION = typeof DIORAMA_VERSION === "undefined" ? `${version}-dev` : DIORAMA_VERSION;
