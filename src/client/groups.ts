import type {
  GroupExportOptions,
  GroupImportOptions,
  ImportSummary,
  ItemExport,
  ItemImport,
} from "./bulk-types.ts";
import type { MemberChange } from "./change-members.ts";
import type { CustomFields } from "./custom-fields.ts";
import { type CountedList, List, toGroupPage, toUserPage } from "./list.ts";
import { isProblem, type RecordList, Records, recordFields } from "./records.ts";
import { Resource } from "./resource.ts";
import type { ChangedMembers, Group, GroupInput, GroupPatch, User } from "./service-types.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import type {
  CallOptions,
  ChangeOptions,
  FieldOptions,
  GroupListOptions,
  GroupPage,
  Id,
  ListOptions,
  Page,
  PartialGroup,
  PartialUser,
} from "./types.ts";

/** A list of groups. Pages are fetched as you read. */
export type GroupList<Item = Group> = RecordList<Item, GroupPage<Item>>;

/** The members of a group. Pages are fetched as you read. */
export type MemberList<Custom = CustomFields, Item = User<Custom>> = CountedList<Item, Page<Custom, Item>>;

/** All matching groups, as they arrive. Memory is constant. */
export type GroupExport<Item = Group> = ItemExport<Item>;

/** The result of each line, in order, as it arrives. Nothing is sent until you iterate or call `summary`. */
export type GroupImport = ItemImport<ImportSummary>;

interface GroupTypes {
  readonly name: "groups";
  readonly item: Group;
  readonly part: PartialGroup;
  readonly input: GroupInput;
  readonly patch: GroupPatch;
  readonly by: { readonly name: string };
  readonly listOptions: GroupListOptions;
  readonly fieldOptions: FieldOptions;
  readonly exportOptions: GroupExportOptions;
  readonly importOptions: GroupImportOptions;
}

/** The operations on groups and their members. */
export class Groups<Custom = CustomFields> extends Records<GroupTypes> {
  constructor(transport: ServiceTransport) {
    super(new Resource(transport, "groups", recordFields), toGroupPage);
  }

  /** The group cannot be restored. Its members stay users. */
  delete(id: Id, options?: ChangeOptions): Promise<void> {
    return this.deleteRecord(id, options);
  }

  /** The users that are members of the group: iterate over them, or call `.page()` or `.all()`. */
  members(
    id: Id,
    options: ListOptions<Custom> & FieldOptions<Custom>,
  ): MemberList<Custom, PartialUser<Custom>>;
  members(id: Id, options?: ListOptions<Custom>): MemberList<Custom>;
  members(
    id: Id,
    options: ListOptions<Custom> & Partial<FieldOptions<Custom>> = {},
  ): MemberList<Custom, unknown> {
    return new List<unknown, Page<Custom, unknown>>(this.#members(id), options, toUserPage);
  }

  /** The user, or undefined if it is not a member of the group. */
  member(id: Id, userId: Id, options?: CallOptions): Promise<User<Custom> | undefined> {
    const members = this.#members(id);
    return members.transport.reportErrors(() =>
      members.requestItem("GET", [userId], options).catch((error) => {
        if (!isProblem(error, "member-not-found")) throw error;
        return undefined;
      }),
    );
  }

  // Changes of members are in a separate module, loaded on first use.

  /**
   * Makes users members of the group. Returns how many were not members before. Sends a request for each 1,000 ids, one after the
   * other: each applies to all of its ids or to none. An error ends the call, and the call can be repeated. A precondition needs at most
   * 1,000 ids, because each request changes the version of the group.
   */
  async add(id: Id, userIds: readonly Id[], options?: ChangeOptions): Promise<Pick<ChangedMembers, "added">> {
    const { added } = await this.#change({ group: id, kind: "add", userIds }, options);
    return { added };
  }

  /** Removes users from the group, with requests as those of `add`. Returns how many were members. */
  async remove(
    id: Id,
    userIds: readonly Id[],
    options?: ChangeOptions,
  ): Promise<Pick<ChangedMembers, "removed">> {
    const { removed } = await this.#change({ group: id, kind: "remove", userIds }, options);
    return { removed };
  }

  #change(change: MemberChange, options: ChangeOptions | undefined): Promise<ChangedMembers> {
    const { transport } = this.resource;
    return transport.reportErrors(async () =>
      (await import("./bulk.ts")).changeMembers(transport, change, options),
    );
  }

  #members(id: Id): Resource<User<Custom>> {
    return new Resource(this.resource.transport, "members", recordFields, ["groups", id]);
  }
}
