import type { DisabledReason } from "../contract/webhooks/webhook.ts";
import { systemOrigin } from "../domain/caller.ts";
import type { StoredEvent } from "../domain/events/event.ts";
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryReport,
  Replay,
  WebhookWork,
} from "../domain/webhooks/delivery-store.ts";
import type { StoredWebhook } from "../domain/webhooks/webhook-store.ts";
import { DeliveryQueue, type QueuedDelivery, toFresh, toStored } from "./delivery-queue.ts";
import { DeliveryRecorder } from "./delivery-recorder.ts";
import type { TurnTaker } from "./delivery-turns.ts";
import { type EventMatcher, MatchedEvents } from "./event-matcher.ts";
import { FeedPosition } from "./feed-position.ts";
import type { EventTaker } from "./feed-reader.ts";
import { ReceiverHealth } from "./receiver-health.ts";
import { retryDelay } from "./retry-schedule.ts";
import { checksumOf, findEvent, secretsOf, sendEvent } from "./send-event.ts";
import type { SendOutcome } from "./sender.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** A worker without work gives its lease back after this long. */
const IDLE_MS = 2000;
/** Events in memory, and stored deliveries, of one webhook. With more, it takes no events until half of them are gone. */
const MAX_FRESH = 256;
const MAX_STORED = 1000;
const MAX_ATTEMPTS_KEPT = 10;
/** Attempts that one node runs at the same time. Every webhook gets an equal share, so a slow receiver delays no other. */
const MAX_RUNNING = 512;
/** Events of a replay that are sent together. */
const REPLAY_EVENTS = 100;
/** After a longer outage, the first success makes the waiting deliveries due. */
const OUTAGE_MS = 300_000;

/** The event of a delivery was removed: nothing is sent, and the receiver has nothing to do with it. */
const EXPIRED: SendOutcome = {
  code: null,
  durationMs: 0,
  error: "The event is no longer kept.",
  retryAfterMs: undefined,
  isReached: true,
};

type BegunAttempt = Pick<DeliveryAttempt, "time" | "builtFrom">;

/** Delivers the events of one webhook, while this node has its lease. */
export class WebhookWorker implements EventTaker, TurnTaker {
  readonly #parts: WorkerParts;
  readonly #queue = new DeliveryQueue();
  readonly #position: FeedPosition;
  readonly #health: ReceiverHealth;
  readonly #recorder: DeliveryRecorder;
  #webhook: StoredWebhook;
  #matcher: EventMatcher;
  /** The replay that runs, and how far it is. */
  #replay: DeliveryReport["replay"];
  /** Deliveries that had finished when the worker began, after the stored position. */
  readonly #finished = new Set<number>();
  #sending = 0;
  /** Whether the stored deliveries have been read. */
  #isReady = false;
  #isFull = false;
  #idleSince: number;
  #state: "running" | "stopping" | "ended" = "running";
  /** Undefined if nobody waits for a change. */
  #changed: PromiseWithResolvers<void> | undefined;
  readonly #ended = Promise.withResolvers<void>();

  /** `leasedAt` is the monotonic time before the lease was taken. */
  constructor(webhook: StoredWebhook, leasedAt: number, parts: WorkerParts) {
    this.#parts = parts;
    this.#idleSince = parts.clock.monotonic();
    this.#webhook = webhook;
    this.#matcher = parts.matchers.of(webhook);
    this.#position = new FeedPosition(webhook.position);
    this.#health = new ReceiverHealth(webhook.failingSince);
    this.#recorder = new DeliveryRecorder(webhook, leasedAt, parts);
  }

  get matcher(): EventMatcher {
    return this.#matcher;
  }

  get position(): number {
    return this.#position.scanned;
  }

  /** The position of the oldest event that was not sent yet; undefined if there is none. */
  get oldestOpen(): number | undefined {
    return this.#position.oldestOpen;
  }

  get hasRoom(): boolean {
    return this.#state === "running" && this.#isReady && !this.#isFull && !this.#isPaused;
  }

  get #isPaused(): boolean {
    return this.#health.pausedUntil > this.#parts.clock.now();
  }

  /** The webhook may have changed; deliveries or a replay may have been requested. */
  update(webhook: StoredWebhook, work: WebhookWork | undefined): void {
    // The owner has deactivated the webhook and activated it again: it begins with later events.
    if (webhook.position > this.#position.settled) this.deactivate();
    if (webhook.version !== this.#webhook.version) {
      this.#webhook = webhook;
      this.#matcher = this.#parts.matchers.of(webhook);
    }
    if (work?.replay && !this.#replay) void this.#runReplay(work.replay);
    const nextAttemptAt = work?.nextAttemptAt ?? Number.POSITIVE_INFINITY;
    const isUnknown = nextAttemptAt < (this.#queue.nextRetryAt() ?? Number.POSITIVE_INFINITY);
    if (isUnknown && nextAttemptAt <= this.#parts.clock.now()) void this.#readOpen();
  }

  /** Runs until there is nothing to do, the lease is lost, or `stop`. Gives the lease back. Never fails. */
  async run(): Promise<void> {
    await this.#readOpen();
    this.#isReady = true;
    this.#checkRoom();
    this.#parts.reader.wake();
    await this.#ended.promise;
    this.#notify();
    await this.#saveResults();
    await this.#parts.reports.release(this.#webhook.id);
  }

  /** Sends nothing more, now or later: the webhook is not active, or was not. */
  deactivate(): void {
    this.#recorder.dropWaiting();
    this.#end();
  }

  /** Lets running attempts finish for this long. Attempts that take longer count as not made. */
  async stop(graceMs: number): Promise<void> {
    if (this.#state === "running") this.#state = "stopping";
    const { clock } = this.#parts;
    const deadline = clock.monotonic() + graceMs;
    while (this.#sending > 0 && clock.monotonic() < deadline) await clock.sleep(10);
    this.#end();
  }

  #end(): void {
    this.#state = "ended";
    this.#ended.resolve();
  }

  /** Reads stored deliveries that this worker does not know. Ends the worker if it fails. */
  #readOpen(): Promise<void> {
    const { clock, deliveries, monitor } = this.#parts;
    return this.#recorder.exclusively(async () => {
      const start = clock.monotonic();
      try {
        const open = await deliveries.listOpen(this.#webhook.id, this.#position.settled);
        const now = clock.now();
        for (const delivery of open) {
          const { position, state } = delivery;
          if (this.#recorder.has(position)) continue;
          if (state === "waiting") this.#queue.addStored(delivery, now);
          else if (position > this.#position.scanned) this.#finished.add(position);
        }
      } catch (error) {
        monitor.failed(error, "read", start);
        this.#end();
      }
    });
  }

  take(events: readonly StoredEvent[], position: number): void {
    const now = this.#parts.clock.now();
    for (const event of events) {
      if (event.position <= this.#position.scanned) continue;
      if (this.#queue.has(event.position) || this.#finished.delete(event.position)) continue;
      this.#position.take(event.position);
      this.#queue.add(toFresh(event), now);
      if (this.#queue.isBehindRetry(event.position)) this.#store(toFresh(event), now);
    }
    this.#position.moveTo(position);
    this.#checkRoom();
    this.#pump();
  }

  forgetEvents(userId?: number): void {
    this.#queue.forgetEvents(userId);
  }

  onExpired(): void {
    this.#parts.report("warn", "events expired before they were delivered to a webhook", this.#logFields);
  }

  #checkRoom(): void {
    const wasFull = this.#isFull;
    const most = wasFull ? 0.5 : 1;
    this.#isFull = this.#queue.fresh >= MAX_FRESH * most || this.#queue.stored >= MAX_STORED * most;
    if (wasFull && !this.#isFull) this.#parts.reader.wake();
  }

  /** Sends the events of a time range again, a page at a time. */
  async #runReplay(replay: Replay): Promise<void> {
    const { clock, monitor } = this.#parts;
    this.#replay = { ...replay, finished: false };
    while (this.#state === "running" && this.#replay && !this.#replay.finished) {
      const start = clock.monotonic();
      try {
        this.#replay = await this.#replayPage(this.#replay);
      } catch (error) {
        monitor.failed(error, "read", start);
        await clock.sleep(1000);
      }
    }
  }

  /** Returns how far the replay is after the page. */
  async #replayPage({ from, to, after }: Replay): Promise<DeliveryReport["replay"]> {
    const { clock, events, reader } = this.#parts;
    const { purges } = reader;
    const matcher = this.#matcher;
    const { types } = matcher;
    const range = { from, to, limit: REPLAY_EVENTS, ...(types && { types }) };
    const page = await events.read(after === null ? range : { ...range, after });
    // The event at the cursor was removed, and so was everything before it.
    if (!page) return { from, to, after: null, finished: false };
    const matching = await new MatchedEvents(page.events).find(matcher);
    if (purges !== reader.purges) return { from, to, after, finished: false };
    for (const event of matching) this.#queue.add(toFresh(event), clock.now());
    this.#pump();
    const isOpen = () => matching.some(({ position }) => this.#queue.hasFresh(position));
    while (isOpen() && this.#state === "running") await this.#nextChange();
    if (isOpen()) return { from, to, after, finished: false };
    const last = page.next ?? page.events.at(-1)?.position ?? after;
    return { from, to, after: last, finished: page.next === undefined };
  }

  /** Runs several times a second. */
  tick(): void {
    const now = this.#parts.clock.now();
    this.#queue.wake(now);
    this.#pump();
    if (!this.#isIdle(now)) this.#idleSince = this.#parts.clock.monotonic();
    else if (this.#parts.clock.monotonic() - this.#idleSince > IDLE_MS) this.#end();
    this.#notify();
  }

  /** Runs several times a second, for all webhooks in the same turn of the event loop. */
  record(): void {
    if (this.#recorder.isDue) void this.#saveResults();
  }

  /** Records the results so far, and how far the webhook is. Never fails. */
  #saveResults(): Promise<void> {
    return this.#recorder.exclusively(async () => {
      const { failingSince, pausedUntil } = this.#health;
      const replay = this.#replay;
      const position = this.#position.settled;
      const outcome = await this.#recorder.record({ position, failingSince, pausedUntil, replay });
      if (outcome === "lost") this.#end();
      if (outcome !== "recorded") return;
      if (replay?.finished) this.#replay = undefined;
      this.#notify();
    });
  }

  #isIdle(now: number): boolean {
    if (!this.#isReady || this.#sending > 0 || this.#recorder.isBusy) return false;
    if (this.#health.pausedUntil > now + IDLE_MS) return true;
    const isCaughtUp = this.#position.scanned >= this.#parts.feed.last && this.#queue.fresh === 0;
    const nextRetryAt = this.#queue.nextRetryAt() ?? Number.POSITIVE_INFINITY;
    return isCaughtUp && !this.#replay && !this.#queue.hasReady && nextRetryAt > now + IDLE_MS;
  }

  /** Asks for a turn if there is something to send. */
  #pump(): void {
    if (this.#maySend && this.#queue.hasReady) this.#parts.turns.add(this);
  }

  get #maySend(): boolean {
    const share = Math.max(1, Math.floor(MAX_RUNNING / this.#parts.reader.takers));
    const limit = Math.min(this.#health.concurrency, share);
    return (
      this.#state === "running" &&
      this.#sending < limit &&
      !this.#recorder.isFull &&
      this.#recorder.hasLease &&
      !this.#isPaused
    );
  }

  sendNext(): boolean {
    const delivery = this.#maySend ? this.#queue.take() : undefined;
    if (!delivery) return false;
    this.#sending++;
    if (delivery.event) this.#send(delivery, delivery.event);
    else void this.#readAndSend(delivery);
    return this.#maySend && this.#queue.hasReady;
  }

  #send(delivery: QueuedDelivery, event: StoredEvent): void {
    const time = this.#parts.clock.now();
    const attempt = {
      time,
      builtFrom: checksumOf(this.#webhook, secretsOf(this.#webhook, time), this.#parts),
    };
    sendEvent(this.#parts, this.#webhook, event, time, (outcome) => this.#settle(delivery, attempt, outcome));
  }

  /** Sends a stored delivery, whose event has to be read again. */
  async #readAndSend(delivery: QueuedDelivery): Promise<void> {
    const { clock, events, monitor } = this.#parts;
    const start = clock.monotonic();
    const time = clock.now();
    try {
      const event = await findEvent(events, delivery);
      if (event) this.#send(delivery, event);
      else this.#settle(delivery, { time }, EXPIRED);
    } catch (error) {
      // The event cannot be read. It is still the next one of its subject.
      monitor.failed(error, "read", start);
      this.#sending--;
      this.#queue.postpone({ ...delivery, nextAttemptAt: time + 1000 }, time);
    }
  }

  #settle(delivery: QueuedDelivery, begun: BegunAttempt, outcome: SendOutcome): void {
    this.#sending--;
    if (this.#state !== "ended") this.#record(delivery, begun, outcome);
    this.#checkRoom();
    this.#pump();
    this.#notify();
  }

  #record(delivery: QueuedDelivery, begun: BegunAttempt, outcome: SendOutcome): void {
    const { observe, random, clock } = this.#parts;
    const { code, durationMs, error, retryAfterMs, response } = outcome;
    const canRetry = outcome !== EXPIRED;
    const attempt = { ...begun, code, durationMs, error };
    const attempts = [...delivery.attempts, attempt].slice(-MAX_ATTEMPTS_KEPT);
    const now = clock.now();
    if (canRetry) this.#recorder.count(begun.time, error === null);
    if (response) this.#recorder.addResponse(delivery.position, { time: begun.time, ...response });
    if (error === null) {
      observe("delivered");
      this.#finish({ ...delivery, attempts }, "delivered", now);
      this.#succeed(now);
      return;
    }
    const failures = delivery.failures + 1;
    const delay = canRetry && code !== 410 ? retryDelay(failures, retryAfterMs, random()) : undefined;
    if (delay === undefined) {
      observe("failed");
      this.#finish({ ...delivery, attempts, failures }, "failed", now);
    } else {
      observe("retried");
      this.#store({ ...delivery, attempts, failures, nextAttemptAt: now + delay }, now);
      // Later ones wait for this one, also if they were requested.
      for (const later of this.#queue.listBehind(delivery)) {
        if (!later.isStored || later.nextAttemptAt !== null)
          this.#store({ ...later, nextAttemptAt: null }, now);
      }
    }
    this.#fail(error, outcome, now);
  }

  #finish(delivery: QueuedDelivery, state: "delivered" | "failed", now: number): void {
    this.#keep(toStored({ ...delivery, nextAttemptAt: null }, state));
    this.#queue.finish(delivery.position, now);
  }

  /** Keeps the delivery for later, without its event. */
  #store(delivery: QueuedDelivery, now: number): void {
    this.#keep(toStored(delivery, "waiting"));
    this.#queue.postpone({ ...delivery, event: undefined, isStored: true }, now);
  }

  /** The result is recorded soon, and the position can move past it. */
  #keep(result: Delivery): void {
    this.#recorder.add(result);
    this.#position.settle(result.position);
    if (this.#recorder.hasMany) void this.#saveResults();
  }

  #succeed(now: number): void {
    if (this.#health.succeed(now) < OUTAGE_MS) return;
    this.#parts.report("info", "deliveries to a webhook succeed again", this.#logFields);
    this.#queue.hurry(now);
  }

  #fail(error: string, outcome: SendOutcome, now: number): void {
    const { code } = outcome;
    const isFirst = this.#health.fail(now, outcome);
    if (isFirst) this.#parts.report("warn", "a delivery to a webhook failed", { ...this.#logFields, error });
    if (code === 410) void this.#disable("gone");
    else if (this.#health.isFailingTooLong(now)) void this.#disable("failing");
  }

  async #disable(reason: DisabledReason): Promise<void> {
    const { webhooks, report, monitor } = this.#parts;
    if (this.#state !== "running") return;
    this.#state = "stopping";
    const start = this.#parts.clock.monotonic();
    try {
      await this.#saveResults();
      const isDisabled = await webhooks.disable(this.#webhook.id, reason, systemOrigin);
      if (isDisabled) report("warn", "webhook disabled", { ...this.#logFields, reason });
    } catch (error) {
      monitor.failed(error, "write", start);
    }
    this.#end();
  }

  get #logFields(): { readonly webhook: string } {
    return { webhook: String(this.#webhook.id) };
  }

  /** Resolves when deliveries have made progress. */
  #nextChange(): Promise<void> {
    this.#changed ??= Promise.withResolvers();
    return this.#changed.promise;
  }

  #notify(): void {
    const changed = this.#changed;
    this.#changed = undefined;
    changed?.resolve();
  }
}
