import { declareFaults } from "./play";
import { RUNS } from "./runs";

await declareFaults("runs, environments, the pool", RUNS);
