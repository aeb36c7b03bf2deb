/** Harbor's own classes. */
import { pythonPackages } from "./packages";

/** Its models run on Python 3.11 too, but for one decorator. Its verifier needs 3.12. */
const HARBOR = ["--no-deps", "--python-version=3.12", "harbor==0.25.0"];
const NEEDED = ["pydantic==2.14.3", "toml==0.10.2", "pathspec==1.0.3"];

/** Variables for a Python that imports them. */
export const harborEnv = async () => ({
  ...process.env,
  PYTHONPATH: `${await pythonPackages(...HARBOR)}:${await pythonPackages(...NEEDED)}`,
});
