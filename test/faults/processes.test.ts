import { declareFaults } from "./play";
import { PROCESSES } from "./processes";

await declareFaults("processes and machines", PROCESSES);
