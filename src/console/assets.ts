export const ROOT = "/console";
/** Addresses of the files that belong to the console. */
export const ASSETS = `${ROOT}/assets/`;
/** An empty page, into which HTML of others is written. */
export const FRAME = `${ASSETS}frame`;
/** The page that shows a run without a server; the run is missing. */
export const SAVED = `${ASSETS}saved.txt`;
