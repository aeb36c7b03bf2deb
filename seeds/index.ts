/** Every seed file; the only list. */
import chatBase from "./chat_base.yaml";
import chatBenchDefault from "./chat_bench_default.yaml";
import chatDefault from "./chat_default.yaml";

export const SEEDS: readonly unknown[] = [chatBase, chatDefault, chatBenchDefault];

/** Every file of `seeds/suites`; the only list. */
export const SUITES: readonly unknown[] = [];
