import type { SourceChange } from "./change-source.ts";

/**
 * Half of the simulations have limits so small that every simulation reaches them: what happens at a limit is where defects hide.
 * The limits are constants of the source, so all simulations of a process have the same.
 */
export function hasSmallLimits(seed: number): boolean {
  return seed % 2 === 1;
}

/** The most unread bytes of a node: with small limits, and otherwise. */
export const UNREAD_BYTES = { small: 2000, usual: 64 * 1_048_576 } as const;

/** A webhook that had too many deliveries to retry takes new events again when it has fewer than this. */
export const BACKLOG_ENDS = { small: 3, usual: 500 } as const;

function limit(file: string, text: string, replacement: string): SourceChange {
  return { file: `src/${file}`, text: `const ${text};`, replacement: `const ${replacement};` };
}

export const smallLimits: readonly SourceChange[] = [
  limit("domain/events/event-feed.ts", "PAGE_EVENTS = 100", "PAGE_EVENTS = 3"),
  limit(
    "domain/events/event-feed.ts",
    "MAX_KEPT = { events: 2000, characters: 8 * 1_048_576 } as const",
    "MAX_KEPT = { events: 12, characters: 8000 } as const",
  ),
  limit(
    "domain/events/event-feed.ts",
    "BATCH = { events: 100, characters: 65_536, charactersOfAll: 64 * 1_048_576 } as const",
    "BATCH = { events: 2, characters: 1000, charactersOfAll: 2000 } as const",
  ),
  limit("domain/events/event-feed.ts", "MAX_BATCHES = 64", "MAX_BATCHES = 2"),
  limit("domain/events/event-feed.ts", "STORE_READS = 8", "STORE_READS = 1"),
  limit(
    "domain/scheduling/send-slice.ts",
    "SLICE = { sends: 50, bytes: 524_288 } as const",
    "SLICE = { sends: 1, bytes: 500 } as const",
  ),
  limit("domain/keys/sessions.ts", "MAX_CACHED = 1000", "MAX_CACHED = 2"),
  limit(
    "http/events/unread-bytes.ts",
    "MAX_UNREAD_BYTES = 64 * 1_048_576",
    `MAX_UNREAD_BYTES = ${UNREAD_BYTES.small}`,
  ),
  {
    file: "src/contract/groups/group.ts",
    text: "changesPerEvent: 1000",
    replacement: "changesPerEvent: 2",
  },
  limit("store/groups/group-tables.ts", "MAX_REMOVED = 1000", "MAX_REMOVED = 2"),
  limit("store/events/event-tables.ts", "MAX_SCANNED = 5000", "MAX_SCANNED = 4"),
  limit("store/events/event-tables.ts", "MAX_ERASED = 500", "MAX_ERASED = 2"),
  limit("store/postgres/read-batcher.ts", "MAX_BATCH = 256", "MAX_BATCH = 2"),
  limit("webhooks/feed-reader.ts", "PAGE_EVENTS = 100", "PAGE_EVENTS = 3"),
  limit("webhooks/feed-reader.ts", "MAX_BATCHES = 8", "MAX_BATCHES = 2"),
  limit("webhooks/webhook-worker.ts", "MAX_FRESH = 256", "MAX_FRESH = 4"),
  limit("webhooks/webhook-worker.ts", "MAX_STORED = 1000", "MAX_STORED = 6"),
  limit("webhooks/webhook-worker.ts", "MAX_RUNNING = 512", "MAX_RUNNING = 2"),
  limit(
    "webhooks/delivery-recorder.ts",
    "RESULTS = { many: 500, most: 1000 } as const",
    "RESULTS = { many: 2, most: 3 } as const",
  ),
  limit("webhooks/report-writer.ts", "MAX_DELIVERIES = 1000", "MAX_DELIVERIES = 2"),
];
