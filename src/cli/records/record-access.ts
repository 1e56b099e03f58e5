import type {
  ChangeOptions,
  Client,
  CreateOptions,
  CustomFields,
  Group,
  GroupInput,
  GroupPatch,
  User,
  UserInput,
  UserPatch,
} from "../../client/index.ts";
import type { Flag } from "../../config/flag.ts";
import { findGroupId, type GroupWord } from "../find-group.ts";
import { groupFlag } from "../flags/group-flags.ts";
import { readName, requireName } from "../flags/record-flags.ts";
import { idFlag, toUserInput, toUserPatch } from "../flags/user-flags.ts";
import { formatCount } from "../output/format-count.ts";
import { printable } from "../output/printable.ts";
import { type AnyRecord, groupKind, type RecordKind, userKind } from "./record-kind.ts";

/** The calls that users and groups have in common. */
export interface RecordCalls<Item extends AnyRecord, Input, Patch> {
  get(id: number): Promise<Item>;
  create(input: Input, options?: CreateOptions): Promise<Item>;
  replace(id: number, input: Input, options?: ChangeOptions): Promise<Item | undefined>;
  update(id: number, patch: Patch, options?: ChangeOptions): Promise<Item | undefined>;
  delete(id: number, options?: ChangeOptions): Promise<void>;
}

/** How commands find, read and change single users, or groups. */
export interface RecordAccess<Item extends AnyRecord, Input, Patch, Word> {
  readonly kind: RecordKind;
  /** The argument that names a record. */
  readonly flag: Flag<Word>;
  /** The id of the record that the argument names. Throws a `GroupNameError`. */
  findId(client: Client, word: Word): Promise<number>;
  calls(client: Client): RecordCalls<Item, Input, Patch>;
  /** Throws a `ConfigError`, as `toPatch` does. */
  toInput(fields: CustomFields): Input;
  toPatch(fields: CustomFields): Patch;
  /** For example `user 7, Ada <ada@example.com>`. */
  describe(item: Item): string;
}

export const userAccess: RecordAccess<User, UserInput, UserPatch, number> = {
  kind: userKind,
  flag: idFlag,
  findId: async (_client, id) => id,
  calls: ({ users }) => users,
  toInput: toUserInput,
  toPatch: toUserPatch,
  describe: ({ id, name, email }) =>
    printable(`user ${id}, ${name}${email === undefined ? "" : ` <${email}>`}`),
};

export const groupAccess: RecordAccess<Group, GroupInput, GroupPatch, GroupWord> = {
  kind: groupKind,
  flag: groupFlag,
  findId: findGroupId,
  calls: ({ groups }) => groups,
  toInput: (fields) => requireName(groupKind, toGroupPatch(fields)),
  toPatch: toGroupPatch,
  describe: ({ id, name, memberCount }) =>
    printable(`group ${id}, ${name} (${formatCount(memberCount, "member")})`),
};

function toGroupPatch({ name, ...customFields }: CustomFields): GroupPatch {
  return { ...customFields, ...readName({ name }) };
}
