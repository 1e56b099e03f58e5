import type { ChildServer } from "../support/child-server.ts";
import { newSampleUser } from "../support/sample-users.ts";

const PAUSE_MS = 25;
const PATIENCE_MS = 10_000;

/**
 * Creates users on the first node, one after the other until the work ends, and follows the events on the last node. Returns how many
 * milliseconds after the answer to a create its event arrived; 0 if it came before the answer.
 */
export async function measureEventDelays(
  nodes: readonly ChildServer[],
  work: Promise<unknown>,
): Promise<number[]> {
  const arrivals = new Map<number, number>();
  const answers = new Map<number, number>();
  const controller = new AbortController();
  const { signal } = controller;
  const stream = await fetch(`${nodes.at(-1)?.url}/api/events?type=user.created`, {
    headers: { accept: "text/event-stream" },
    signal,
  });
  const following = readStream(stream, arrivals).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  let isWorking = true;
  work.finally(() => {
    isWorking = false;
  });
  for (let number = 0; isWorking; number++) {
    const body = JSON.stringify(newSampleUser(number, "probe"));
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${nodes[0]?.url}/api/users`, { method: "POST", headers, body });
    const { id }: { id: number } = await response.json();
    answers.set(id, performance.now());
    await Bun.sleep(PAUSE_MS);
  }
  const deadline = performance.now() + PATIENCE_MS;
  const isMissing = () => [...answers.keys()].some((id) => !arrivals.has(id));
  while (isMissing() && performance.now() < deadline) await Bun.sleep(PAUSE_MS);
  controller.abort();
  await following;
  return [...answers].map(([id, answered]) =>
    Math.max(0, (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - answered),
  );
}

/** Notes when the event of each user arrives. */
async function readStream({ body }: Response, arrivals: Map<number, number>): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body ?? []) {
    const now = performance.now();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const id = /"subject":\{"type":"user","id":(\d+)\}/.exec(line)?.[1];
      if (id !== undefined) arrivals.set(Number(id), now);
    }
  }
}
