import { defaultGroupImportOptions } from "../../contract/bulk/bulk.ts";
import { foldEmail } from "../../domain/fold.ts";
import { parseGroup, renderGroup } from "../../domain/groups/group.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import { DryRun, isProvisional } from "./dry-run.ts";
import { InMemoryBatch } from "./in-memory-batch.ts";
import { noGroups } from "./in-memory-groups.ts";
import type { GroupRow, IndexedGroup } from "./write-transaction.ts";

/** Finds the groups with one of these ids or folded names. */
type FindGroups = (ids: readonly number[], names: readonly string[]) => Promise<readonly StoredRecord[]>;

/** Starts a dry run of an import of groups. Folded names are the keys. */
export function dryRunGroups(find: FindGroups, rules: RecordRules): DryRun<IndexedGroup> {
  return new DryRun({
    records: "groups",
    defaults: defaultGroupImportOptions,
    readRules: async () => rules,
    keysOf: ({ groups }) => groups.names,
    idsOf: ({ groups }) => groups.ids,
    countCreates: ({ groups }) => groups.creates.length,
    find: (ids, { groups }) => find(ids, groups.names),
    withFields({ id, version, json }, fields) {
      const { record, memberCount, createdAt } = parseGroup(json);
      const name = typeof fields.name === "string" ? fields.name : record.name;
      const times = { createdAt, updatedAt: createdAt };
      return renderGroup(id, { ...record, name }, memberCount, version, times);
    },
    ownedKeys: ({ json }) => [foldEmail(parseGroup(json).record.name)],
    provisionalRecords: (_, keys, owners) =>
      keys.flatMap((name) => {
        const id = owners.get(name);
        if (id === undefined || !isProvisional(id)) return [];
        return [renderGroup(id, { name }, 0, 1, { createdAt: "", updatedAt: "" })];
      }),
    toRow,
    startBatch({ rows, owners, ids, rules: current }) {
      const groups = { ...noGroups, rows, names: owners, ids };
      const noUsers = { rows: [], emails: new Map(), values: new Map(), ids: [] };
      return new InMemoryBatch({ ...noUsers, rules: current, outcomes: new Map(), groups }, Date.now());
    },
    changesOf: ({ groups }) => groups,
    indexedKeys: ({ terms }) => [terms.uniqueName],
    keyFields: ({ json }) => ({ name: parseGroup(json).record.name }),
  });
}

function toRow(group: StoredRecord): GroupRow {
  return { ...group, updatedAt: 0, changedBy: null, memberCount: parseGroup(group.json).memberCount };
}
