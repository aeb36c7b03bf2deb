/** Addresses of files that a page loads when it needs them. */
import { version } from "uplot/package.json";

export const ASSETS = "/console/assets/";
/** The version is in the name, so that a browser may keep the file for ever. */
export const PLOT_SCRIPT = `${ASSETS}uplot-${version}.js`;
