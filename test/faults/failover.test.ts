import { FAILOVER } from "./failover";
import { declareFaults } from "./play";

await declareFaults("failover", FAILOVER);
