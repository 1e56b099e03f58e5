import { parseDatabase } from "../../src/config/database-url.ts";
import { toEventId } from "../../src/domain/events/event.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { openStore } from "../../src/store/open-store.ts";
import { pooler } from "./postgres/fresh-database.ts";

interface RecordedDelivery {
  /** A webhook that is not active: no service sends to it. */
  readonly webhookId: number;
  readonly userId: number;
  /** What the receiver answered. Receivers of tests have private addresses, whose responses no service stores. */
  readonly body: string;
}

/** Records that the first event of a user could not be delivered, with the response. Returns the id of the delivery. */
export async function recordDelivery(
  databaseUrl: string,
  { webhookId, userId, body }: RecordedDelivery,
): Promise<string> {
  const options = {
    ...{ batch: 512, queue: 1000, waitMs: 60_000, recordRules: defaultRecordRules },
    ...{ pool: 2, dedicatedSessions: pooler === "none", migrate: false },
  };
  const store = await openStore(parseDatabase(databaseUrl), options, { committed: () => undefined });
  try {
    const subject = { type: "user", id: userId } as const;
    const position = (await store.events.read({ subject, limit: 1 }))?.events[0]?.position ?? 0;
    const time = Date.parse("2026-11-16T08:00:00.000Z");
    const attempt = { time, code: 500, durationMs: 3, error: "The receiver answered 500." };
    const delivery = {
      ...{ position, type: "user.created", subjectId: userId, state: "failed" as const, failures: 10 },
      ...{ attempts: [attempt], nextAttemptAt: null, response: { time, body, isCut: true } },
    };
    const progress = { knownPosition: Number.MAX_SAFE_INTEGER, position: 0, failingSince: null };
    const report = { webhookId, deliveries: [delivery], attempts: [], pausedUntil: 0, replay: undefined };
    await store.deliveries.lease([webhookId], "test", 60_000);
    const recorded = await store.deliveries.record([{ ...report, ...progress }], "test", 60_000);
    if (!recorded.includes(webhookId)) throw new Error("The delivery was not recorded.");
    await store.deliveries.release([webhookId], "test");
    return toEventId(position);
  } finally {
    await store.close();
  }
}
