/** What a create costs with one webhook and with many, whose receivers respond or refuse connections. */
import { type ChildServer, startService } from "./support/child-server.ts";
import { startMonitoredServer } from "./support/monitored-server.ts";
import { readOptions } from "./support/options.ts";
import { interleave } from "./support/rounds.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";
import { createUsers, createWebhooks, measureWebhooks, type WebhookRound } from "./support/webhook-load.ts";
import { startWebhookReceiver } from "./support/webhook-receiver.ts";

const FLAGS = ["--webhook-private=allow"];
const targets = { ratio: 2, turnMs: 10 } as const;
const { numbers, json } = readOptions({ rounds: 3, seconds: 10, webhooks: 100, rate: 50 });
const { rounds, seconds, webhooks, rate: createsPerSecond } = numbers;
const creates = seconds * createsPerSecond;

const subjects = [
  { name: "1 webhook", webhooks: 1, isLive: true },
  { name: `${webhooks} live`, webhooks, isLive: true },
  { name: `${webhooks} dead`, webhooks, isLive: false },
] as const;

type Subject = (typeof subjects)[number];

async function run(subject: Subject) {
  await using receiver = await startWebhookReceiver();
  return { ...(await measureCosts(subject, receiver)), turnMs: await measureTurns(subject, receiver) };
}

async function measureCosts(subject: Subject, receiver: ChildServer): Promise<WebhookRound> {
  using folder = new ScratchFolder();
  await using service = await startService(folder.file("roster.db"), FLAGS);
  return await measureWebhooks(service, receiver, { ...subject, creates, createsPerSecond });
}

/** In another process: the measurement of turns takes CPU time too. */
async function measureTurns({ webhooks, isLive }: Subject, receiver: ChildServer): Promise<number> {
  using folder = new ScratchFolder();
  await using service = await startMonitoredServer(folder.file("roster.db"), FLAGS);
  await createWebhooks(service.url, receiver, webhooks, isLive);
  // The first creates warm up.
  await createUsers(service.url, creates, createsPerSecond, "warm");
  await service.takeLongestTurn();
  await createUsers(service.url, creates, createsPerSecond, "measured");
  return await service.takeLongestTurn();
}

const results = await interleave(subjects, rounds, run);
type Round = Awaited<ReturnType<typeof run>>;
const figures = subjects.map((subject) => {
  const of = results.get(subject) ?? [];
  const medianOf = (figure: (round: Round) => number) => median(of.map(figure));
  return {
    name: subject.name,
    cpuMs: medianOf(({ cpuMs }) => cpuMs),
    wholeCpuMs: medianOf(({ wholeCpuMs }) => wholeCpuMs),
    idleMs: medianOf(({ idleMs }) => idleMs),
    lagSeconds: medianOf(({ lagSeconds }) => lagSeconds),
    turnMs: medianOf(({ turnMs }) => turnMs),
    p50Ms: medianOf(({ p50Ms }) => p50Ms),
    p99Ms: medianOf(({ p99Ms }) => p99Ms),
    errors: of.reduce((sum, { errors }) => sum + errors, 0),
    repeated: of.reduce((sum, { repeated }) => sum + repeated, 0),
  };
});
const base = figures[0]?.cpuMs ?? Number.NaN;
const isMet = ({ cpuMs, turnMs }: (typeof figures)[number]) =>
  cpuMs <= targets.ratio * base && turnMs <= targets.turnMs;
print(json, { ...numbers, figures, targets, met: figures.every(isMet) }, [
  [
    ...["", "CPU ms/create", "× one", `≤ ${targets.ratio}`, "until the last delivery", "lag s", "idle ms/s"],
    ...["longest turn ms", `≤ ${targets.turnMs}`, "p50 ms", "p99 ms", "errors", "repeated"],
  ],
  ...figures.map((figure) => [
    figure.name,
    figure.cpuMs.toFixed(2),
    (figure.cpuMs / base).toFixed(2),
    verdict(figure.cpuMs <= targets.ratio * base),
    figure.wholeCpuMs.toFixed(2),
    figure.lagSeconds.toFixed(1),
    figure.idleMs.toFixed(1),
    figure.turnMs.toFixed(1),
    verdict(figure.turnMs <= targets.turnMs),
    figure.p50Ms.toFixed(1),
    figure.p99Ms.toFixed(1),
    String(figure.errors),
    String(figure.repeated),
  ]),
]);
process.exitCode = figures.every(({ errors }) => errors === 0) ? 0 : 1;
