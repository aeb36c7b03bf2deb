/** The fuzzer's connections find the faults that they are there for. */
import { afterEach, describe, expect, test } from "bun:test";
import { connect, createServer, type Server } from "node:net";
import { startProgram } from "~/program/program";
import { LIMITS } from "~/wire/limits";
import { createWirePlayer, type Place, type Wire, type WireRequest } from "../../scripts/fuzz/wire";
import { useDatabase } from "../support/database";
import { configFor, useProgram } from "../support/program";
import { splitAnswers } from "../support/wire";

const database = useDatabase();
const program = useProgram(database);

const POST: WireRequest = { kind: "post", framing: "length", size: 3, expects: false };
const CHUNKS: WireRequest = { ...POST, framing: "chunks" };
const PIPELINE: Wire = {
  requests: [POST, CHUNKS, { kind: "read" }, POST],
  cuts: [7, 400, 900],
  ending: { kind: "close" },
};

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

type Tampering = {
  readonly asked?: (bytes: string) => string;
  readonly answered?: (answers: string[]) => string[];
  /** Forwards everything on a second connection, too. */
  readonly twice?: true;
};

/** A proxy between the client and the program; answers when the program has closed its side. */
async function startTampering({ asked, answered, twice }: Tampering): Promise<string> {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const { hostname, port } = new URL(program.url);
    const far = connect({ port: Number(port), host: hostname });
    const second = twice && connect({ port: Number(port), host: hostname });
    near.setEncoding("latin1");
    far.setEncoding("latin1");
    let received = "";
    near.on("data", (data) => {
      const bytes = asked?.(String(data)) ?? String(data);
      for (const to of [far, second]) if (to) to.write(bytes, "latin1");
    });
    far.on("data", (data) => {
      received += data;
    });
    far.on("end", () => {
      const { answers, rest } = splitAnswers(received);
      const passOn = () => near.end((answered?.(answers) ?? answers).join("") + rest, "latin1");
      if (second) second.resume().on("end", passOn);
      else passOn();
    });
    for (const socket of [near, far, second]) socket?.on("error", () => undefined);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

const place = async (): Promise<Place> => await program.environment({ clock: "real" });

describe("a connection by hand", () => {
  test.each<[string, Wire]>([
    ["pipelined in one segment", { ...PIPELINE, cuts: [] }],
    ["pipelined in pieces", PIPELINE],
    [
      "with a malformed head",
      { ...PIPELINE, requests: [POST, { kind: "bad head", flaw: "lone LF" }, POST] },
    ],
    [
      "with a malformed chunk",
      { ...PIPELINE, requests: [POST, { kind: "bad chunk", flaw: "too long" }, POST] },
    ],
    ["with the client's FIN behind it", { ...PIPELINE, ending: { kind: "fin", at: 999_999 } }],
    ["with the client's FIN within it", { ...PIPELINE, ending: { kind: "fin", at: 700 } }],
    [
      "with the client's FIN within a malformed head, which is rejected all the same",
      {
        requests: [{ kind: "bad head", flaw: "lone LF" }, POST],
        cuts: [],
        ending: { kind: "fin", at: 20 },
      },
    ],
    ["that the client resets", { ...PIPELINE, ending: { kind: "reset", at: 800 } }],
  ])("%s has no fault", async (_what, wire) => {
    expect(
      await createWirePlayer({ url: program.url, place: await place() }).play(wire),
    ).toBeUndefined();
  });

  test.each<[string, Tampering, string]>([
    [
      "swaps two answers",
      { answered: ([a = "", b = "", ...more]) => [b, a, ...more] },
      "answer 1 is not to request 1",
    ],
    ["loses an answer", { answered: (answers) => answers.slice(0, -1) }, "got no answer"],
    [
      "cuts an answer off",
      { answered: (answers) => [...answers.slice(0, -1), String(answers.at(-1)).slice(0, -1)] },
      "ended within an answer",
    ],
    [
      "answers once too often",
      { answered: (answers) => [...answers, String(answers.at(-1))] },
      "sent an answer without a request",
    ],
    ["performs requests twice", { twice: true }, "happened 2 times, answered"],
    [
      "answers a write that it does not perform",
      {
        asked: (bytes) => bytes.replaceAll('"text":"wire', '"text":"fire'),
        answered: (answers) =>
          answers.map((answer) => answer.replaceAll('"text":"fire', '"text":"wire')),
      },
      "happened 0 times, answered",
    ],
  ])("finds that a server %s", async (_what, tampering, fault) => {
    const url = await startTampering(tampering);
    expect(
      await createWirePlayer({ url, effectsUrl: program.url, place: await place() }).play(PIPELINE),
    ).toMatch(fault);
  });

  test.each(["head", "body"] as const)(
    "that stalls within its %s is followed until the server ends it",
    async (within) => {
      const wire: Wire = { ...PIPELINE, ending: { kind: "stall", within, trickles: false } };
      const brief = createWirePlayer({
        url: program.url,
        place: await place(),
        limits: { headMs: 100, requestMs: 100 },
        graceMs: 0,
      });
      await brief.play(wire);
      const [found] = await brief.settle();
      expect(found).toEqual({ fault: expect.stringContaining("left the connection open"), wire });
    },
  );

  test("that stalls is answered 408 within the server's time", async () => {
    const limits = { ...LIMITS, headMs: 300, requestMs: 600 };
    const brief = await startProgram(configFor(database), limits);
    const player = createWirePlayer({ url: brief.url, place: await place(), limits });
    for (const within of ["head", "body"] as const)
      for (const trickles of [true, false])
        await player.play({ ...PIPELINE, ending: { kind: "stall", within, trickles } });
    expect(await player.settle()).toEqual([]);
    await brief.stop();
  });
});
