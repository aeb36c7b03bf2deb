/** Emoji that users type as a character are stored by their names. */
import { expect, test } from "bun:test";
import { emojiName } from "~/replicas/tracker/emoji";

const NAMED =
  "👍 +1 👎 -1 ❤ heart 🎉 tada 🚀 rocket 👀 eyes 😄 smile 😀 grinning 😂 joy 😊 blush 😍 heart_eyes 😢 cry 😭 sob 😡 rage 😕 confused 🤔 thinking_face 🔥 fire 💯 100 ✅ white_check_mark ❌ x ⚠ warning 🙏 pray 👏 clap 🙌 raised_hands 💪 muscle 👋 wave 👌 ok_hand ⭐ star ✨ sparkles 🐛 bug 💡 bulb ➕ heavy_plus_sign";

test.each(
  [...NAMED.matchAll(/(\S+) (\S+)/g)].map(([, character = "", name = ""]) => [character, name]),
)("%s is :%s:", (character, name) => {
  for (const typed of [character, ` ${character} `, `${character}\ufe0f`, name, `:${name}:`])
    expect(emojiName(typed)).toBe(name);
});

test.each([
  ["👍🏽", "+1"],
  ["👏🏿", "clap"],
  ["🦩", "🦩"],
  ["toString", "toString"],
  [":party_parrot:", "party_parrot"],
])("%s is stored as %s", (typed, name) => {
  expect(emojiName(typed)).toBe(name);
});
