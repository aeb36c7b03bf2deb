/** Names of emoji that users type as a character. */
const NAMES: Readonly<Record<string, string>> = {
  "👍": "+1",
  "👎": "-1",
  "❤": "heart",
  "🎉": "tada",
  "🚀": "rocket",
  "👀": "eyes",
  "😄": "smile",
  "😀": "grinning",
  "😂": "joy",
  "😊": "blush",
  "😍": "heart_eyes",
  "😢": "cry",
  "😭": "sob",
  "😡": "rage",
  "😕": "confused",
  "🤔": "thinking_face",
  "🔥": "fire",
  "💯": "100",
  "✅": "white_check_mark",
  "❌": "x",
  "⚠": "warning",
  "🙏": "pray",
  "👏": "clap",
  "🙌": "raised_hands",
  "💪": "muscle",
  "👋": "wave",
  "👌": "ok_hand",
  "⭐": "star",
  "✨": "sparkles",
  "🐛": "bug",
  "💡": "bulb",
  "➕": "heavy_plus_sign",
};

const SKIN_TONES_AND_VARIANTS = /[\u{1f3fb}-\u{1f3ff}\ufe0f]/gu;

/** `+1` for `:+1:`, `👍` or `+1`. A character without a name is returned as it is. */
export function emojiName(text: string): string {
  const bare = text.trim().replace(/^:(.*):$/, "$1");
  const plain = bare.replace(SKIN_TONES_AND_VARIANTS, "");
  return (Object.hasOwn(NAMES, plain) ? NAMES[plain] : undefined) ?? bare;
}
