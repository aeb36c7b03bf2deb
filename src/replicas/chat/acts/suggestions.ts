/** A person types into a select whose options come from its app. */
import { type Static, Type } from "@sinclair/typebox";
import type { AcknowledgedAct, Act } from "~/replicas/acts";
import { Place, sourceOf } from "~/replicas/chat/acts/block-actions";
import { requireElement } from "~/replicas/chat/acts/elements";
import { hasOptionsOfApp } from "~/replicas/chat/acts/kinds";
import { commonFields, missedBy, requireForm, requirePerson } from "~/replicas/chat/acts/person";
import { rejected } from "~/replicas/chat/acts/rejected";
import { findOptionProblems } from "~/replicas/chat/blocks";
import { invalidArguments } from "~/replicas/chat/errors";
import type { ChatCall, ChatSession } from "~/replicas/chat/method";
import type { EventApp } from "~/replicas/events";

/** Characters after which the person's client asks the app, unless the element has another number. */
const QUERY_MIN = 3;

const Form = Type.Object({
  ...Place.properties,
  type: Type.Literal("block_suggestion"),
  value: Type.String({ maxLength: 255 }),
});

export async function blockSuggestion(session: ChatSession, act: Act, apps: readonly EventApp[]) {
  requireForm(Form, act.given);
  const given = act.given as Static<typeof Form>;
  const person = await requirePerson(session, given.user);
  const { elements, receiver, container, fields } = await sourceOf(session, person, given, apps);
  const element = requireElement(elements, given);
  const { actionId, blockId, content } = element;
  if (!hasOptionsOfApp(element.type))
    throw rejected("action_id", `an element ${element.type} asks its app for no options`);
  const min = Number(content["min_query_length"] ?? QUERY_MIN);
  if (given.value.length < min)
    throw rejected("value", `the app is asked once ${min} characters are typed`);
  const { trigger_id: _, ...common } = commonFields(person, act, receiver);
  const { state: __, ...place } = fields({});
  return {
    type: "interactive.block_suggestion",
    payload: {
      type: "block_suggestion",
      ...common,
      container: container(element),
      ...place,
      ...{ action_id: actionId, block_id: blockId, value: given.value },
    },
    missed: missedBy(apps, receiver),
  };
}

/** Accepts the options that an app answers. Throws ChatError. */
export async function answerSuggestion(_: ChatCall, { answer }: AcknowledgedAct): Promise<void> {
  const problems = findOptionProblems(answer);
  if (problems.length > 0)
    throw invalidArguments(...problems.map(({ what, pointer }) => `${pointer}: ${what}`));
}
