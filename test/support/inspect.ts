/** Inspect AI with our client. */
import { join } from "node:path";
import { pythonPackages } from "./packages";

export const INSPECT = ["inspect_ai==0.3.285", "mcp==2.3.0"];
const CLIENT = join(import.meta.dir, "../../src/clients/python");

/** Variables for a Python that imports both. */
export const inspectEnv = async (url: string) => ({
  ...process.env,
  PYTHONPATH: `${await pythonPackages(...INSPECT)}:${CLIENT}`,
  DIORAMA_URL: url,
});
