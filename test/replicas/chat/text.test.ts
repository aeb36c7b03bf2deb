import { describe, expect, test } from "bun:test";
import { findLinkable, linker, markdownToMrkdwn, normalizeText } from "~/replicas/chat/text";
import { expectLinear } from "../../support/growth";

describe("a text is stored", () => {
  test.each([
    ["a & b", "a &amp; b"],
    ["a &amp; &lt;b&gt;", "a &amp; &lt;b&gt;"],
    ["1 < 2 > 0", "1 &lt; 2 &gt; 0"],
    ["<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;"],
    ["<@U01AGENTONE> <@U01AGENTONE|agent>", "<@U01AGENTONE> <@U01AGENTONE|agent>"],
    ["<#C01GENERAL> <#C01GENERAL|general>", "<#C01GENERAL> <#C01GENERAL|general>"],
    ["<!here> <!channel> <!everyone>", "<!here> <!channel> <!everyone>"],
    ["<!subteam^S01DEV> <!subteam^S01DEV|@dev>", "<!subteam^S01DEV> <!subteam^S01DEV|@dev>"],
    ["<!date^1392734382^{date}|Feb 18>", "<!date^1392734382^{date}|Feb 18>"],
    ["<https://a.test|a & b>", "<https://a.test|a & b>"],
    ["https://a.test", "<https://a.test>"],
    ["(see https://a.test/x_(y), ok)", "(see <https://a.test/x_(y>), ok)"],
    ["mailto:a@b.test", "<mailto:a@b.test>"],
    ["ftp://a.test", "ftp://a.test"],
    ["one\ntwo\n", "one\ntwo"],
    ["  x  ", "  x  "],
    [":tada: @john #general", ":tada: @john #general"],
    ["<javascript:alert(1)|x>", "&lt;javascript:alert(1)|x&gt;"],
  ])("%j as %j", (given, stored) => {
    expect(normalizeText(given)).toBe(stored);
  });

  test.each([
    ["a & b https://a.test/?x=1&y=2 <@U01AGENTONE> 1 < 2"],
    ["<https://a.test|x> &lt;b&gt; :tada:"],
  ])("unchanged when it was stored before: %j", (given) => {
    const once = normalizeText(given);

    expect(normalizeText(once)).toBe(once);
  });
});

test("names become links if they exist", () => {
  const link = linker(new Map([["dev", "S01DEV"]]), new Map([["general", "C01GENERAL"]]));
  const text = "@dev, @john: #general (#nowhere) a@dev.test";

  expect(findLinkable(text)).toEqual({
    handles: ["dev", "john"],
    channels: ["general", "nowhere"],
  });
  expect(normalizeText(text, link)).toBe(
    "<!subteam^S01DEV|@dev>, @john: <#C01GENERAL|general> (#nowhere) a@dev.test",
  );
});

describe("Markdown reads", () => {
  test.each([
    ["**bold** and *slanted*", "*bold* and _slanted_"],
    ["# Title\ntext", "*Title*\ntext"],
    ["~~gone~~", "~gone~"],
    ["- one\n* two", "• one\n• two"],
    ["[a](https://a.test) ![b](https://b.test)", "<https://a.test|a> <https://b.test|b>"],
    ["`**code**` and\n```\n# more\n```", "`**code**` and\n```\n# more\n```"],
  ])("%j as %j", (markdown, mrkdwn) => {
    expect(markdownToMrkdwn(markdown)).toBe(mrkdwn);
  });
});

const MARKS =
  "a,.,-,_,*,**,~~,`,```,#,[,](,![,<,>,|,&,@,!,\\,/, ,\n,\n\n,http://,mailto:,<@U,# , #,- , *,*a".split(
    ",",
  );

test.each(MARKS)("a long text of mostly %j is converted quickly", (mark) => {
  for (const [before, other] of [
    ["", ""],
    ["", "a"],
    ["", "\n"],
    ["# ", " "],
    ["- a", "]("],
  ] as const)
    for (const end of ["", "x"]) {
      expectLinear(
        (repeated) => {
          const text = `${before}${repeated}${end}`;
          normalizeText(markdownToMrkdwn(text));
          findLinkable(text);
        },
        mark + other,
        40_000,
      );
    }
});

test.each([
  ["## Title ##", "*Title*"],
  ["# ###", "*###*"],
  ["# a  \n\n- b", "*a*\n\n• b"],
  ["#\n\ntext", "#\n\ntext"],
  ["-\n-  a", "-\n• a"],
  ["[a [b](https://a.test)", "[a <https://a.test|b>"],
])("%j reads %j", (markdown, mrkdwn) => {
  expect(markdownToMrkdwn(markdown)).toBe(mrkdwn);
});
