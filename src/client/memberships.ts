import type {
  ItemExport,
  ItemImport,
  Membership,
  MembershipExportOptions,
  MembershipImportOptions,
  MembershipImportSource,
  MembershipSummary,
} from "./bulk-types.ts";
import { Resource } from "./resource.ts";
import { openExport, openImport } from "./streams.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";

export type MembershipExport = ItemExport<Membership>;
export type MembershipImport = ItemImport<MembershipSummary>;

/** The memberships of all groups. */
export class Memberships {
  readonly #memberships: Resource<Membership>;

  constructor(transport: ServiceTransport) {
    const fieldTypes = { group: "number or string", user: "number or string" } as const;
    this.#memberships = new Resource(transport, "memberships", fieldTypes);
  }

  /** All memberships, or those of some groups, in one streamed response. */
  export({ names, ...options }: MembershipExportOptions = {}): MembershipExport {
    return openExport(this.#memberships, names ? { ...options, where: { names } } : options);
  }

  /** Adds or removes a membership for each line or object of the source. A line that fails does not stop the others. */
  import(source: MembershipImportSource, options: MembershipImportOptions = {}): MembershipImport {
    const lines = openImport(this.#memberships, source, options);
    return {
      idempotencyKey: lines.idempotencyKey,
      [Symbol.asyncIterator]: () => lines[Symbol.asyncIterator](),
      summary: async (summaryOptions) => {
        const { created, existing, ...failures } = await lines.summary(summaryOptions);
        return { added: created, others: existing, ...failures };
      },
    };
  }
}
