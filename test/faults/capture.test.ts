import { CAPTURE } from "./capture";
import { declareFaults } from "./play";

await declareFaults("the leader, the stream, the slot", CAPTURE);
