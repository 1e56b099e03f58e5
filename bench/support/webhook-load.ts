import type { ChildServer } from "./child-server.ts";
import { readCpuSeconds } from "./process-usage.ts";
import { newSampleUser } from "./sample-users.ts";
import { percentile } from "./statistics.ts";
import { readReceived } from "./webhook-receiver.ts";

export interface WebhookLoad {
  readonly webhooks: number;
  /** Whether something listens at the URLs of the webhooks. */
  readonly isLive: boolean;
  readonly creates: number;
  readonly createsPerSecond: number;
}

export interface WebhookRound {
  /** CPU time of the service per create, in the time of the creates, less what it takes in the same time without creates. */
  readonly cpuMs: number;
  /** Like `cpuMs`, until the last delivery has arrived. */
  readonly wholeCpuMs: number;
  /** CPU time of the service per second before the creates. */
  readonly idleMs: number;
  /** From the response to the last create until the last delivery. */
  readonly lagSeconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Failed creates, and deliveries that have not arrived. */
  readonly errors: number;
  /** Deliveries that arrived more than once. */
  readonly repeated: number;
}

const WARM_UP_SECONDS = 10;
/** Longer than a node keeps the lease of a webhook that has nothing to do. */
const QUIET_MS = 4000;
const IDLE_MS = 3000;
const PATIENCE_MS = 120_000;
/** Nothing listens here: connections are refused. */
const DEAD_URL = "http://127.0.0.1:1";

/** Creates users at a steady rate, and measures what they and their deliveries cost. */
export async function measureWebhooks(
  service: Pick<ChildServer, "url" | "pid">,
  receiver: ChildServer,
  load: WebhookLoad,
): Promise<WebhookRound> {
  const { webhooks, isLive, creates, createsPerSecond } = load;
  await createWebhooks(service.url, receiver, webhooks, isLive);
  const cpuMs = () => readCpuSeconds(service.pid) * 1000;
  await Bun.sleep(QUIET_MS);
  const idleStart = { cpuMs: cpuMs(), at: performance.now() };
  await Bun.sleep(IDLE_MS);
  const idleShare = (cpuMs() - idleStart.cpuMs) / (performance.now() - idleStart.at);

  const received = async () => (await readReceived(receiver)).different;
  const start = await received();
  const warmUp = WARM_UP_SECONDS * createsPerSecond;
  await createUsers(service.url, warmUp, createsPerSecond, "warm");
  await waitUntil(async () => !isLive || (await received()) >= start + warmUp * webhooks);
  const before = { ...(await readReceived(receiver)), cpuMs: cpuMs(), at: performance.now() };
  const { latencies, failed } = await createUsers(service.url, creates, createsPerSecond, "measured");
  const window = { cpuMs: cpuMs(), at: performance.now() };
  const expected = before.different + (isLive ? (creates - failed) * webhooks : 0);
  await waitUntil(async () => (await received()) >= expected);
  const end = { ...(await readReceived(receiver)), cpuMs: cpuMs(), at: performance.now() };
  const costOf = (until: { cpuMs: number; at: number }) =>
    (until.cpuMs - before.cpuMs - idleShare * (until.at - before.at)) / creates;
  return {
    cpuMs: costOf(window),
    wholeCpuMs: costOf(end),
    idleMs: idleShare * 1000,
    lagSeconds: (end.at - window.at) / 1000,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    errors: failed + Math.abs(expected - end.different),
    repeated: end.all - before.all - (end.different - before.different),
  };
}

export async function createWebhooks(
  service: string,
  receiver: ChildServer,
  count: number,
  isLive: boolean,
): Promise<void> {
  for (let number = 1; number <= count; number++) {
    const url = isLive ? `${receiver.url}${crypto.randomUUID()}` : `${DEAD_URL}/${number}`;
    await post(`${service}/api/webhooks`, { url, types: ["user.*"] });
  }
}

/** The times of all creates, and how many failed. */
export async function createUsers(url: string, count: number, perSecond: number, name: string) {
  const latencies: number[] = [];
  let failed = 0;
  const start = performance.now();
  const running: Promise<void>[] = [];
  for (let number = 1; number <= count; number++) {
    await Bun.sleep(Math.max(0, start + (number * 1000) / perSecond - performance.now()));
    const begin = performance.now();
    const create = post(`${url}/api/users`, newSampleUser(number, name)).then(
      () => void latencies.push(performance.now() - begin),
      () => void failed++,
    );
    running.push(create);
  }
  await Promise.all(running);
  return { latencies, failed };
}

async function post(url: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`POST ${url}: ${response.status} ${text}`);
}

async function waitUntil(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isDone()) && performance.now() < deadline) await Bun.sleep(20);
}
