import { declareFaults } from "./play";
import { POSTGRES } from "./postgres";

await declareFaults("Postgres", POSTGRES);
