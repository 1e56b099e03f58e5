import { useQuery } from "@tanstack/react-query";
import type { Group } from "../../client/index.ts";
import { groupRecordFields } from "../../contract/groups/group-fields.ts";
import { roster } from "../lib/api.ts";
import { group as texts } from "../texts/groups.ts";
import { showToast } from "../ui/toasts.tsx";
import type { RecordKind } from "../users/detail/record-kind.ts";
import { useOpenRecord } from "../users/detail/use-open-user.ts";
import { createRecord, updateRecord } from "../users/record.ts";
import { groupFieldLabel } from "./group-fields.ts";
import { groupQuery, reloadGroups, showGroup } from "./queries.ts";

const groupKind: RecordKind<Group> = {
  name: "group",
  texts,
  fields: groupRecordFields,
  formFields: ["name", "scim"],
  hasSchema: false,
  writeScope: "groups:write",
  problems: { invalid: "invalid-group", missing: "group-not-found" },
  useFieldLabel: () => groupFieldLabel,
  read: (id) => roster.groups.get(id),
  create: (record, idempotencyKey) => createRecord(roster.groups, record, idempotencyKey),
  update: (base, record) => updateRecord(roster.groups, base, record, groupRecordFields),
  show: showGroup,
  remove: () => void reloadGroups(),
  reportSaved(saved, base) {
    showGroup(saved);
    void reloadGroups();
    showToast({ title: base?.id === saved.id ? texts.saved(saved.name) : texts.created(saved.name) });
  },
};

/** State of a group while it is open. `id` is undefined for a new group. `onDone` as of `useOpenRecord`. */
export function useOpenGroup(id: number | undefined, onDone: (saved: Group | undefined) => void) {
  const query = useQuery({ ...groupQuery(id ?? 0), enabled: id !== undefined });
  return useOpenRecord({ kind: groupKind, id, query, onDone });
}
