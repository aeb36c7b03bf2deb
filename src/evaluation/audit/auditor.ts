/** A thread for one audit: it takes a while, and other calls must not wait for it. */
import type { TestAudit } from "~/evaluation/audit/audit";
import type {
  Invalid,
  Job,
  JobAnswer,
  RunsJob,
  TemplateJob,
  TestJob,
} from "~/evaluation/audit/jobs";
import type { RunUnsafe } from "~/evaluation/audit/unexplained";
import { createSemaphore } from "~/semaphore";
import { threadUrl } from "~/thread";

export type Auditor = ReturnType<typeof createAuditor>;

type Failure = Invalid | undefined;
type Perform = {
  (job: TemplateJob): Promise<null | undefined>;
  (job: TestJob): Promise<TestAudit | Failure>;
  (job: RunsJob): Promise<RunUnsafe[] | Failure>;
};

/** `seconds`: for all its jobs. */
export function createAuditor(seconds: number) {
  const thread = new Worker(threadUrl("evaluation/audit"));
  thread.unref();
  let settle: ((answer: JobAnswer | undefined) => void) | undefined;
  let fail: ((error: Error) => void) | undefined;
  let isOver = false;
  const oneAtATime = createSemaphore(1);
  thread.onmessage = ({ data }: MessageEvent<JobAnswer>) => settle?.(data);
  thread.onerror = ({ message }) => fail?.(new Error(message));
  const timer = setTimeout(end, seconds * 1_000);

  function end(): void {
    clearTimeout(timer);
    isOver = true;
    thread.terminate();
    settle?.(undefined);
  }

  async function ask(job: Job): Promise<JobAnswer | undefined> {
    if (isOver) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<JobAnswer | undefined>();
    settle = resolve;
    fail = reject;
    thread.postMessage(job);
    return await promise;
  }

  /** Performs one job after the other. Undefined once the time is up. */
  const perform = (job: Job) => oneAtATime(() => ask(job));

  return { perform: perform as Perform, isOver: () => isOver, end };
}
