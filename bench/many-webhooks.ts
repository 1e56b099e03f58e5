/** What a create costs with one webhook and with many, whose receivers respond or refuse connections. */
import { startService } from "./support/child-server.ts";
import { readOptions } from "./support/options.ts";
import { interleave } from "./support/rounds.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";
import { measureWebhooks, type WebhookRound } from "./support/webhook-load.ts";
import { startWebhookReceiver } from "./support/webhook-receiver.ts";

const TARGET = 2;
const { numbers, json } = readOptions({ rounds: 3, seconds: 10, webhooks: 100, creates: 50 });
const { rounds, seconds, webhooks, creates: createsPerSecond } = numbers;

const subjects = [
  { name: "1 webhook", webhooks: 1, isLive: true },
  { name: `${webhooks} live`, webhooks, isLive: true },
  { name: `${webhooks} dead`, webhooks, isLive: false },
] as const;

async function run(subject: (typeof subjects)[number]): Promise<WebhookRound> {
  using folder = new ScratchFolder();
  await using receiver = await startWebhookReceiver();
  await using service = await startService(folder.file("roster.db"), ["--webhook-private=allow"]);
  const round = await measureWebhooks(service, receiver, {
    ...subject,
    creates: seconds * createsPerSecond,
    createsPerSecond,
  });
  if (process.env.VERBOSE) console.log(subject.name, round);
  return round;
}

const results = await interleave(subjects, rounds, run);
const figures = subjects.map((subject) => {
  const of = results.get(subject) ?? [];
  const medianOf = (figure: (round: WebhookRound) => number) => median(of.map(figure));
  return {
    name: subject.name,
    cpuMs: medianOf(({ cpuMs }) => cpuMs),
    wholeCpuMs: medianOf(({ wholeCpuMs }) => wholeCpuMs),
    idleMs: medianOf(({ idleMs }) => idleMs),
    lagSeconds: medianOf(({ lagSeconds }) => lagSeconds),
    p50Ms: medianOf(({ p50Ms }) => p50Ms),
    p99Ms: medianOf(({ p99Ms }) => p99Ms),
    errors: of.reduce((sum, { errors }) => sum + errors, 0),
    repeated: of.reduce((sum, { repeated }) => sum + repeated, 0),
  };
});
const base = figures[0]?.cpuMs ?? Number.NaN;
print(json, { ...numbers, figures, target: TARGET }, [
  [
    "",
    "CPU ms/create",
    "× one",
    "target",
    "",
    "until the last delivery",
    "lag s",
    "idle ms/s",
    "p50 ms",
    "p99 ms",
    "errors",
    "repeated",
  ],
  ...figures.map((figure, index) => [
    figure.name,
    figure.cpuMs.toFixed(2),
    (figure.cpuMs / base).toFixed(2),
    index === 0 ? "" : `≤ ${TARGET}`,
    index === 0 ? "" : verdict(figure.cpuMs <= TARGET * base),
    figure.wholeCpuMs.toFixed(2),
    figure.lagSeconds.toFixed(1),
    figure.idleMs.toFixed(1),
    figure.p50Ms.toFixed(1),
    figure.p99Ms.toFixed(1),
    String(figure.errors),
    String(figure.repeated),
  ]),
]);
process.exitCode = figures.every(({ errors }) => errors === 0) ? 0 : 1;
