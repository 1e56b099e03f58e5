import type {
  ImportOptions,
  ImportSourceOf,
  ImportSummary,
  ItemExport,
  ItemImport,
  MembershipImportOptions,
  StreamOptions,
} from "./bulk-types.ts";
import { type AnyListOptions, buildQuery } from "./list.ts";
import type { Resource } from "./resource.ts";

// Imports and exports are a separate module, loaded on first use.

/** An export of all items that match. */
export function openExport<Item>(
  resource: Resource<Item>,
  options: AnyListOptions & StreamOptions,
): ItemExport<Item> {
  const start = () =>
    resource.transport.reportErrors(
      async () => new (await import("./bulk.ts")).Export(resource, buildQuery(options), options),
    );
  return {
    async *[Symbol.asyncIterator]() {
      yield* await start();
    },
    stream: async (format) => (await start()).stream(format),
  };
}

/** An import of a source, which begins with the first use of its results. */
export function openImport<Item>(
  resource: Resource<Item>,
  source: ImportSourceOf<unknown>,
  options: ImportOptions | MembershipImportOptions,
): ItemImport<ImportSummary> {
  const { idempotencyKey = randomKey() } = options;
  const start = () =>
    resource.transport.reportErrors(
      async () => new (await import("./bulk.ts")).Import(resource, source, idempotencyKey, options),
    );
  return {
    idempotencyKey,
    async *[Symbol.asyncIterator]() {
      yield* await start();
    },
    summary: async (summaryOptions) => (await start()).summary(summaryOptions),
  };
}

/** `randomUUID` is not available in pages loaded over http:. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
