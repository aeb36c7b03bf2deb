/** Code reviews, which the replica does not have, and agent skills. */
import { getOne, type ListArguments, listPage, type Shape } from "~/replicas/tracker/mcp/shape";
import { notThere, type Tool, type Tools } from "~/replicas/tracker/mcp/tool";

const SKILL: Shape = {
  id: "id",
  name: ["title", (skill) => skill.title],
  description: "description",
};

const noReview: Tool = async () => {
  throw notThere("PullRequest");
};

export const reviewTools: Tools = {
  list_diffs: async () => ({ diffs: [], hasNextPage: false }),
  get_diff: noReview,
  get_diff_threads: noReview,
  save_diff_comment: noReview,
  resolve_diff_thread: noReview,
  delete_diff_comment: noReview,
  submit_diff_review: noReview,
  merge_diff: noReview,
  list_agent_skills: (args: ListArguments, work) =>
    listPage(work, args, {
      plural: "agentSkills",
      field: "agentSkills",
      type: "AgentSkill",
      shape: SKILL,
    }),
  get_agent_skill: ({ id }: { readonly id: string }, work) =>
    getOne(work, "agentSkill", id, { ...SKILL, content: ["body", (skill) => skill.body] }),
};
