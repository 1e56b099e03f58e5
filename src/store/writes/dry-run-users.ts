import { defaultImportOptions } from "../../contract/bulk/bulk.ts";
import type { UserRecord } from "../../contract/users/user.ts";
import { foldEmail } from "../../domain/fold.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import type { SchemaStore } from "../../domain/schema/schema-store.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import { parseUser, renderUser, userNameKey } from "../../domain/users/user.ts";
import type { UserStore } from "../../domain/users/user-store.ts";
import { SchemaRules } from "../schema/schema-state.ts";
import {
  requestedUserName,
  requestedValues,
  USER_NAME,
  uniqueKey,
  uniqueValues,
  userNameValue,
} from "../schema/unique-values.ts";
import { DryRun, type Fields, isProvisional } from "./dry-run.ts";
import { InMemoryBatch } from "./in-memory-batch.ts";
import type { IndexedUser, UserRow } from "./write-transaction.ts";

/** Starts a dry run of an import of users. Emails, user names and unique values are the keys. */
export function dryRunUsers(
  users: Pick<UserStore, "find">,
  schemas: Pick<SchemaStore, "current">,
  recordRules: RecordRules,
): DryRun<IndexedUser> {
  const schema = new SchemaRules(recordRules);
  return new DryRun({
    records: "users",
    defaults: defaultImportOptions,
    async readRules() {
      const { version, json } = await schemas.current();
      schema.update({ version, collecting: "" }, json);
      return schema.rules;
    },
    // The keys of emails differ from those of user names and unique values.
    keysOf: ({ names, values }) => [...names, ...names.map(nameKey), ...values.map(uniqueKey)],
    idsOf: ({ ids }) => ids,
    countCreates: ({ creates }) => creates.length,
    find: (ids, { names, values }) => users.find(ids, names, values),
    withFields(user, fields) {
      const { record, createdAt } = parseUser(user.json);
      for (const [field, value] of Object.entries(fields)) {
        if (value === undefined) delete record[field];
        else record[field] = value;
      }
      return renderUser(user.id, record, user.version, createdAt, createdAt);
    },
    ownedKeys: ({ json }, rules) => ownedKeys(parseUser(json).record, rules),
    provisionalRecords: ({ names }, keys, owners) =>
      provisionalRecords(names, keys, owners)
        .entries()
        .map(([id, record]) => renderUser(id, record, 1, "", ""))
        .toArray(),
    toRow,
    startBatch: ({ rows, owners, ids, rules }) =>
      new InMemoryBatch(
        { rows, emails: owners, values: owners, rules, outcomes: new Map(), ids },
        Date.now(),
      ),
    changesOf: (changes) => changes,
    indexedKeys({ row, terms }, rules) {
      const { emailKey } = terms;
      const name = userNameValue(row.userNameKey, terms);
      return [
        ...(emailKey === undefined ? [] : [emailKey]),
        ...[...uniqueValues(terms, rules), ...(name ? [name] : [])].map(uniqueKey),
      ];
    },
    keyFields({ json }, { uniqueFields = [] }) {
      const record: Fields = parseUser(json).record;
      return Object.fromEntries(["email", USER_NAME, ...uniqueFields].map((field) => [field, record[field]]));
    },
  });
}

function nameKey(name: string): string {
  return uniqueKey({ field: USER_NAME, value: name });
}

/** What is known of users that earlier lines would create, by id: the email and the user name, if they are among the names. */
function provisionalRecords(
  names: readonly string[],
  keys: readonly string[],
  owners: ReadonlyMap<string, number>,
): Map<number, UserRecord> {
  const records = new Map<number, UserRecord>();
  for (const key of keys) {
    const id = owners.get(key);
    if (id !== undefined && isProvisional(id)) records.set(id, { name: "-" });
  }
  for (const name of names) {
    const owner = owners.get(nameKey(name));
    const emailOwner = owners.get(name);
    const withEmail = emailOwner === undefined ? undefined : records.get(emailOwner);
    if (withEmail) withEmail.email = name;
    const withName = owner === undefined || owner === emailOwner ? undefined : records.get(owner);
    if (withName) withName.userName = name;
  }
  return records;
}

/** The folded email, and the keys of the user name and of the unique values that a record has. */
function ownedKeys(record: UserRecord, rules: RecordRules): string[] {
  const { email } = record;
  const name = requestedUserName(record);
  return [
    ...(email === undefined ? [] : [foldEmail(email)]),
    ...[...requestedValues(record, rules), ...(name ? [name] : [])].map(uniqueKey),
  ];
}

function toRow(user: StoredRecord): UserRow {
  const { record } = parseUser(user.json);
  return { ...user, updatedAt: 0, changedBy: null, userNameKey: userNameKey(record) };
}
