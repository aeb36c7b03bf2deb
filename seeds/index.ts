/** Every seed file; the only list. */
import chatBase from "./chat_base.yaml";
import chatDefault from "./chat_default.yaml";
import trackerBase from "./tracker_base.yaml";
import trackerDefault from "./tracker_default.yaml";
import trackerExpanded from "./tracker_expanded.yaml";

export const SEEDS: readonly unknown[] = [
  chatBase,
  chatDefault,
  trackerBase,
  trackerDefault,
  trackerExpanded,
];
