/** A mail environment in the browser: a mailbox with its labels and threads, and hostile HTML without effect. */
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { missedByKeyboard, violationsOf, waitUntilLoaded } from "../support/browser";
import { eventually } from "../support/database";
import { useConsole } from "./console";
import { type MailScene, mailScene } from "./scene";

const { program, open } = useConsole();

const SUBJECT = "Prices of May";

/** Each of these asks for an address below `/hit`, or runs a script that does. */
const hostile = (url: string) => `<html><head><base href="${url}/hit/base/">
  <link rel="stylesheet" href="${url}/hit/link"><link rel="dns-prefetch" href="${url}/hit/prefetch">
  <meta http-equiv="refresh" content="0;url=${url}/hit/refresh"></head>
  <body onload="fetch('/hit/onload')"><h1 style="color: rgb(1, 2, 3)">Prices</h1>
  <style>@import url(${url}/hit/import); p { background: url(${url}/hit/background) }</style>
  <script>parent.document.title = "taken"; fetch("${url}/hit/script");</script>
  <img src="${url}/hit/image" onerror="top.location='${url}/hit/onerror'"><p>Here they are.</p>
  <iframe src="${url}/hit/frame"></iframe><object data="${url}/hit/object"></object>
  <svg><image href="${url}/hit/svg"></image></svg><video src="${url}/hit/video" autoplay></video>
  <form action="${url}/hit/form"><button>Send it</button></form><a href="${url}/hit/click">a link</a></body></html>`;

let scene: MailScene;
beforeAll(async () => {
  scene = await mailScene(program, { subject: SUBJECT, html: hostile(program.url) });
});

const line = (subject: string) => ({ name: new RegExp(subject) });

test("a mailbox has its labels and threads, and tints what differs from the template", async () => {
  await open(`/environments/${scene.environmentId}`, async (page) => {
    const inbox = page.getByRole("region", { name: "Inbox" });
    const sent = inbox.getByRole("listitem").filter({ hasText: SUBJECT });
    await sent.getByText("new by call 3").waitFor();
    expect(await sent.getAttribute("class")).toContain("tinted");
    const starred = inbox.getByRole("listitem").filter({ hasText: "Cannot log in since December" });
    await starred.getByText("changed by call 2").waitFor();
    const news = inbox.getByRole("listitem").filter({ hasText: "cookies, again" });
    expect(await news.getAttribute("class")).toContain("unread");
    expect(await news.locator(".by").count()).toBe(0);
    const labels = page.getByRole("navigation", { name: "Labels" });
    expect(await labels.getByRole("button").allTextContents()).toContain("Projects/Login1");

    await labels.getByRole("button", { name: "Projects/Login" }).click();
    const project = page.getByRole("region", { name: "Projects/Login" });
    await project.getByRole("button", line("Login page, second draft")).waitFor();
    await eventually(async () => expect(await project.getByRole("listitem").count()).toBe(2));
    await page.getByRole("button", { name: "Drafts" }).click();
    await page.getByRole("region", { name: "Drafts" }).getByText("Tess, Draft").waitFor();

    await page.getByRole("button", { name: "All mail" }).click();
    await page.getByLabel("Search").fill("has:attachment filename:pdf");
    await page.getByLabel("Search").press("Enter");
    const all = page.getByRole("region", { name: "All mail" });
    await eventually(async () => expect(await all.getByRole("listitem").count()).toBe(1));
    await all.getByRole("button", line("Login page, second draft")).click();
    const thread = page.getByRole("region", { name: "Thread" });
    await thread.getByText("login-page-v2.pdf").waitFor();
    await waitUntilLoaded(page);
    expect(await violationsOf(page)).toEqual([]);
    expect(await missedByKeyboard(page)).toEqual([]);
  });
});

test("a mailbox of another person is shown as its owner sees it", async () => {
  await open(`/environments/${scene.environmentId}`, async (page) => {
    await page.getByLabel("As user").selectOption("john@acme.test");
    const inbox = page.getByRole("region", { name: "Inbox" });
    await inbox
      .getByRole("listitem")
      .filter({ hasText: SUBJECT })
      .getByText("Agent Smith")
      .waitFor();
    await inbox.getByRole("button", line("cookies, again")).waitFor({ state: "detached" });
  });
});

test("HTML of a mail is shown, runs nothing, fetches nothing and leads nowhere", async () => {
  const check = async (page: Page) => {
    const hits: string[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/hit/")) hits.push(response.url());
    });
    const frame = page.frameLocator("iframe.mail-html");
    const heading = frame.getByRole("heading", { name: "Prices" });
    await heading.waitFor();
    const inside = page.frames().at(-1)!;
    expect(await inside.evaluate("document.scripts.length")).toBe(0);
    const color = 'getComputedStyle(document.querySelector("h1")).color';
    expect(await inside.evaluate(color)).toBe("rgb(1, 2, 3)");
    await frame.getByText("a link").click();
    await frame.getByRole("button", { name: "Send it" }).click();
    await waitUntilLoaded(page);
    expect(await page.title()).toContain("Diorama");
    expect(await frame.getByText("Here they are.").count()).toBe(1);
    expect(page.url()).toContain(`mail=${scene.threadId}`);
    expect(hits).toEqual([]);
  };
  const path = `/environments/${scene.environmentId}?mail=${scene.threadId}`;
  await open(path, check, {}, /Content Security Policy|sandboxed|\/hit\//);
});

test("a run shows the messages that its calls changed, by mailbox", async () => {
  await open(`/runs/${scene.runId}`, async (page) => {
    const world = page.getByRole("region", { name: "The world at a call" });
    await world.getByRole("heading", { name: "Agent Smith <agent@acme.test>" }).waitFor();
    await world.getByText("Cannot log in since December").waitFor();
    expect(await world.getByText(SUBJECT).count()).toBeGreaterThanOrEqual(2);
    await world.getByText("settings: vacation").waitFor();
    await waitUntilLoaded(page);
    expect(await violationsOf(page)).toEqual([]);
  });
});

test("the playground calls any operation of the API", async () => {
  await open(`/playground?environment=${scene.environmentId}`, async (page) => {
    const form = page.getByRole("region", { name: "Try a call" });
    await form.getByLabel("Name").selectOption("GET gmail/v1/users/{userId}/labels");
    await form.getByRole("button", { name: "Call" }).click();
    await form.getByText("Projects/Login").waitFor();
  });
});
