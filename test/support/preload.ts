/** Runs in each process before its first test file: brings up the Postgres clusters that the files run against. */
import { startClusters } from "./clusters";
import { PYTHON_CACHE } from "./packages";

// Python compiles a package once for all its processes, and leaves nothing beside our sources.
delete process.env["PYTHONDONTWRITEBYTECODE"];
process.env["PYTHONPYCACHEPREFIX"] = PYTHON_CACHE;

await startClusters();
