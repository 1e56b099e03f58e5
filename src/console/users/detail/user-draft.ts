import { type UserRecord, textOf } from "../record.ts";
import { isSound, type Own, ownOf, readOwn, signatureOf } from "./custom-fields-draft.ts";

/** A user as it is being typed. */
export interface UserDraft {
  readonly name: string;
  readonly email: string;
  readonly customFields: Own;
}

export function draftOf(record: UserRecord): UserDraft {
  const own = new Map(record);
  own.delete("name");
  own.delete("email");
  return { name: textOf(record.get("name")), email: textOf(record.get("email")), customFields: ownOf(own) };
}

/** What the draft comes to; undefined as long as something is wrong with the own fields. */
export function parseDraft({ name, email, customFields: own }: UserDraft): UserRecord | undefined {
  const reading = readOwn(own);
  if (!isSound(reading)) return undefined;
  const address = email.trim();
  return new Map([
    ["name", name.trim()],
    ...(address === "" ? [] : [["email", address] as const]),
    ...reading.fields,
  ]);
}

export function isSameDraft(one: UserDraft, other: UserDraft): boolean {
  return (
    one.name === other.name && one.email === other.email && signatureOf(one.customFields) === signatureOf(other.customFields)
  );
}
