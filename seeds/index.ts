/** Every seed file; the only list. */
import chatBase from "./chat_base.yaml";
import chatBenchDefault from "./chat_bench_default.yaml";
import chatDefault from "./chat_default.yaml";
import chatBench from "./suites/chat.yaml";
import trackerBench from "./suites/tracker.yaml";
import trackerBase from "./tracker_base.yaml";
import trackerDefault from "./tracker_default.yaml";
import trackerExpanded from "./tracker_expanded.yaml";

export const SEEDS: readonly unknown[] = [
  chatBase,
  chatDefault,
  chatBenchDefault,
  trackerBase,
  trackerDefault,
  trackerExpanded,
];

/** Every file of `seeds/suites`; the only list. */
export const SUITES: readonly unknown[] = [chatBench, trackerBench];
