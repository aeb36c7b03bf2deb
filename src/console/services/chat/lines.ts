/** The messages of a conversation as lines: where a day begins, and which follow the one before. */
import { dayOf, type WorldClock } from "~/console/parts/clock";
import type { ChatMessage } from "~/console/services/chat/data";

/** Messages of one person within this time share the picture and the name. */
const TOGETHER_SECONDS = 300;

type Line = { readonly message: ChatMessage; readonly day: string; readonly follows: boolean };

/** The messages with a new day before those that begin one. */
export function linesOf(messages: readonly ChatMessage[], clock: WorldClock): Line[] {
  let day = "";
  return messages.map((message, index) => {
    const before = messages[index - 1];
    const today = dayOf(Number(message.ts) * 1000, clock);
    const isNewDay = today !== day;
    day = today;
    const follows =
      !isNewDay &&
      before !== undefined &&
      !message.username &&
      before.user === message.user &&
      before.username === message.username &&
      Number(message.ts) - Number(before.ts) < TOGETHER_SECONDS;
    return { message, day: isNewDay ? today : "", follows };
  });
}
