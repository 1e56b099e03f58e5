import type { Scope } from "../../client/index.ts";
import { conflictActions, type matchFields } from "../../contract/bulk/bulk.ts";
import { groupRecordFields, reservedGroupFields } from "../../contract/groups/group-fields.ts";
import { findNameError } from "../../contract/users/field-name.ts";
import { userRecordFields } from "../../contract/users/user-fields.ts";
import { reloadGroups } from "../groups/queries.ts";
import { checkFieldName } from "../users/fields.ts";
import { reloadUsers } from "../users/queries.ts";
import { viewPaths } from "../view-paths.ts";

/** What the rows of a file are. */
export const importKinds = ["users", "groups", "memberships"] as const;
export type ImportKind = (typeof importKinds)[number];

/** The fields that a column can become without a name and a type that the person chooses. */
export const coreTargets = ["name", "email", "userName", "group", "user"] as const;
export type CoreTarget = (typeof coreTargets)[number];

/** The fields by which rows find users or groups. */
export const matchTargets = ["email", "userName", "name"] as const satisfies readonly (
  | (typeof matchFields)[number]
  | "name"
)[];
export type MatchTarget = (typeof matchTargets)[number];

/** What an import does: with a row whose user or group exists, or with a membership. */
export const importActions = [...conflictActions, "add", "remove"] as const;
export type ImportAction = (typeof importActions)[number];

interface KindOfImport {
  /** What the import and its check need. */
  readonly scopes: readonly Scope[];
  /** What an update needs besides. */
  readonly updateScope: Scope;
  readonly targets: readonly CoreTarget[];
  /** The fields that a request body always has. */
  readonly written: readonly CoreTarget[];
  readonly hasCustomFields: boolean;
  /** Those of the targets by which rows find what exists. */
  readonly matches: readonly MatchTarget[];
  /** The first one is the default. */
  readonly actions: readonly ImportAction[];
  readonly isManaged: (field: string) => boolean;
  /** Why a column can't become a custom field of this name. */
  readonly checkName: (field: string) => ReturnType<typeof checkFieldName>;
  /** Shows what was imported in the views that are open. */
  readonly reload: () => Promise<unknown>;
  /** The view of what was imported. */
  readonly path: string;
}

export const kinds: Readonly<Record<ImportKind, KindOfImport>> = {
  users: {
    scopes: ["users:write"],
    updateScope: "users:read",
    targets: ["name", "email", "userName"],
    // Without the column of emails, the service would take a custom field "Email" for it.
    written: ["name", "email"],
    hasCustomFields: true,
    matches: ["email", "userName"],
    actions: conflictActions,
    isManaged: (field) => userRecordFields.isManaged(field),
    checkName: checkFieldName,
    reload: reloadUsers,
    path: viewPaths.users,
  },
  groups: {
    scopes: ["groups:write"],
    updateScope: "groups:read",
    targets: ["name"],
    written: ["name"],
    hasCustomFields: true,
    matches: ["name"],
    actions: conflictActions,
    isManaged: (field) => groupRecordFields.isManaged(field),
    checkName: checkGroupField,
    reload: reloadGroups,
    path: viewPaths.groups,
  },
  memberships: {
    // The check tells which users and groups exist.
    scopes: ["groups:write", "groups:read", "users:read"],
    updateScope: "groups:write",
    targets: ["group", "user"],
    written: ["group", "user"],
    hasCustomFields: false,
    matches: [],
    actions: ["add", "remove"],
    isManaged: () => false,
    checkName: () => undefined,
    reload: () => Promise.all([reloadGroups(), reloadUsers()]),
    path: viewPaths.groups,
  },
};

function checkGroupField(field: string): ReturnType<typeof checkFieldName> {
  if (groupRecordFields.isManaged(field)) return "managed";
  if (field === "name") return "core";
  return reservedGroupFields.some((name) => name === field) ? "reserved" : findNameError(field);
}
