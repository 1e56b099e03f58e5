import type { Bulk } from "./bulk.ts";
import type {
  BulkChange,
  BulkOptions,
  BulkSummary,
  ExportOptions,
  ImportOptions,
  ImportSummary,
  ItemExport,
  ItemImport,
} from "./bulk-types.ts";
import type { CustomFields } from "./custom-fields.ts";
import { type CountedList, List, toGroupPage, toUserPage } from "./list.ts";
import { type RecordList, Records, recordFields } from "./records.ts";
import { Resource } from "./resource.ts";
import type { ChangedUser, Group, User, UserInput, UserPatch } from "./service-types.ts";
import { randomKey } from "./streams.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import type {
  DeleteOptions,
  FieldOptions,
  GroupListOptions,
  GroupPage,
  Id,
  ListOptions,
  Page,
  PartialGroup,
  PartialUser,
} from "./types.ts";

/** A list of users. Pages are fetched as you read. */
export type UserList<Custom = CustomFields, Item = User<Custom>> = RecordList<Item, Page<Custom, Item>>;

/** The groups of a user. Pages are fetched as you read. */
export type UserGroupList<Item = Group> = CountedList<Item, GroupPage<Item>>;

/** All matching users, as they arrive. Memory is constant. */
export type UserExport<Custom = CustomFields, Item = User<Custom>> = ItemExport<Item>;

/** The result of each line, in order, as it arrives. Nothing is sent until you iterate or call `summary`. */
export type UserImport = ItemImport<ImportSummary>;

/** The result of each user, in the order of the ids, or by id with a filter, as it arrives. Nothing is sent until you iterate or call a method. */
export interface UserBulk extends AsyncIterable<ChangedUser> {
  /** Pass it to another call with the same change to repeat this one without effect on users that are done. */
  readonly idempotencyKey: string;
  /** The X-Request-Id of the response: the events of the change have it. Undefined before the first result. */
  readonly requestId: string | undefined;
  /** Makes the change and counts the results. Returns up to `max` failures. */
  summary(options?: { max?: number }): Promise<BulkSummary>;
  /** Changes nothing. Returns the number of users that exist, or that match the filter. */
  count(): Promise<number>;
}

interface UserTypes<Custom> {
  readonly name: "users";
  readonly item: User<Custom>;
  readonly part: PartialUser<Custom>;
  readonly input: UserInput<Custom>;
  readonly patch: UserPatch<Custom>;
  readonly by: { readonly email: string } | { readonly userName: string };
  readonly listOptions: ListOptions<Custom>;
  readonly fieldOptions: FieldOptions<Custom>;
  readonly exportOptions: ExportOptions<Custom>;
  readonly importOptions: ImportOptions;
}

/** The operations on users. */
export class Users<Custom = CustomFields> extends Records<UserTypes<Custom>> {
  constructor(transport: ServiceTransport) {
    super(new Resource(transport, "users", recordFields), toUserPage);
  }

  /** The user can be restored for some time (`deletedUsers.restore`), unless you purge it. */
  delete(id: Id, { purge, ...options }: DeleteOptions = {}): Promise<void> {
    return this.deleteRecord(id, options, purge ? new URLSearchParams({ purge: "true" }) : undefined);
  }

  /** The groups that the user is a member of. */
  groups(id: Id, options: GroupListOptions & FieldOptions): UserGroupList<PartialGroup>;
  groups(id: Id, options?: GroupListOptions): UserGroupList;
  groups(id: Id, options: GroupListOptions & Partial<FieldOptions> = {}): UserGroupList<unknown> {
    const resource = new Resource(this.resource.transport, "groups", recordFields, ["users", id]);
    return new List<unknown, GroupPage<unknown>>(resource, options, toGroupPage);
  }

  /**
   * Applies one change to many users: a merge patch, `delete: true`, `restore: true`, or the id of a group in `addToGroup` or
   * `removeFromGroup`. A user that fails does not stop the others.
   */
  bulk(change: BulkChange<Custom>, options: BulkOptions = {}): UserBulk {
    const { transport } = this.resource;
    const { idempotencyKey = randomKey() } = options;
    let bulk: Bulk | undefined;
    const start = () =>
      transport.reportErrors(async () => {
        bulk = new (await import("./bulk.ts")).Bulk(transport, change, idempotencyKey, options);
        return bulk;
      });
    return {
      idempotencyKey,
      get requestId() {
        return bulk?.requestId;
      },
      async *[Symbol.asyncIterator]() {
        yield* await start();
      },
      summary: async (summaryOptions) => (await start()).summary(summaryOptions),
      count: async () => (await start()).count(),
    };
  }
}
