import { version } from "../package.json";

/** The tag or commit of a build; from source the package's version and `-dev`. */
export const VERSION = typeof DIORAMA_VERSION === "undefined" ? `${version}-dev` : DIORAMA_VERSION;
