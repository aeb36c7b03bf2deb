/** The task interface of OpenEnv. */
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { Count, Id } from "~/http/model";
import { Split } from "~/platform/openenv/model";

export const Splits = t.Array(t.Object({ name: Split, type: t.Literal("test") }), {
  title: "OpenEnvSplits",
  description: "The ways to solve a test",
});

export const Task = t.Object(
  {
    test: Id,
    name: t.String({ examples: ["Say hello"] }),
    prompt: t.String({ description: "The task for the agent", examples: ["Say hello."] }),
    split: Split,
    index: Type.Integer({ ...Count, description: "Its place in the split" }),
  },
  { title: "OpenEnvTask", description: "A test; its fields are options of a reset" },
);
export const OfSplit = t.Object(
  { split: Split },
  { title: "OpenEnvTasksOf", description: "Of which split", additionalProperties: true },
);
export const OfIndex = t.Object(
  {
    split: Split,
    index: Type.Integer({ ...Count, description: "Its place in the split", examples: [0] }),
  },
  { title: "OpenEnvTaskAt", description: "One task", additionalProperties: true },
);
export const OfRange = t.Object(
  {
    split: Split,
    start: t.Optional(Type.Integer({ ...Count, description: "The first one", examples: [0] })),
    stop: t.Optional(Type.Integer({ ...Count, description: "Exclusive" })),
  },
  { title: "OpenEnvTaskRangeOf", description: "Some tasks", additionalProperties: true },
);
export const Tasks = t.Object(
  {
    tasks: t.Array(Task, { description: "In order" }),
    env_name: t.String({ description: "The suite", examples: ["chat-benchmark"] }),
  },
  { title: "OpenEnvTasks", description: "The tasks of a split" },
);
export const TaskCount = t.Object(
  { num_tasks: Type.Integer({ ...Count, description: "Tasks of the split" }) },
  { title: "OpenEnvTaskCount", description: "Their number" },
);
export const OneTask = t.Object(
  { task: Task },
  { title: "OpenEnvOneTask", description: "One task" },
);
