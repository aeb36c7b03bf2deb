/** Limits of the connections of a server. */
export type Limits = {
  /** From the beginning of a connection or a request to the end of the headers. */
  readonly headMs: number;
  /** From the beginning of a request to the end of its body, and of a WebSocket's message. */
  readonly requestMs: number;
  /** Between an answer and the next request, while a client takes nothing of an answer, and of a silent WebSocket. */
  readonly idleMs: number;
  /** Open connections. The next one is answered 503 and closed; its request is not read. */
  readonly connections: number;
  /** Held of all bodies and messages that arrive, and as many of all answers until they are taken. */
  readonly heldBytes: number;
};

export const LIMITS: Limits = {
  headMs: 10_000,
  requestMs: 30_000,
  idleMs: 120_000,
  connections: 10_000,
  heldBytes: 64 * 1024 * 1024,
};

/** Bytes of a body of a service. */
export const SERVICE_BODY_MAX = 4 * 1024 * 1024;

/** Bytes of a seed that is imported. */
export const SEED_BODY_MAX = 4 * 1024 * 1024;

/** Bytes of a body of the platform, and of a message of a WebSocket. */
export const PLATFORM_BODY_MAX = 1024 * 1024;
