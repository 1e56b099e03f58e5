import { type Fields, textOf } from "../record.ts";
import { isSound, type Own, ownOf, readOwn, signatureOf } from "./custom-fields-draft.ts";

/** A user as it is being typed. */
export interface Draft {
  readonly name: string;
  readonly email: string;
  readonly own: Own;
}

export function draftOf(record: Fields): Draft {
  const own = new Map(record);
  own.delete("name");
  own.delete("email");
  return { name: textOf(record.get("name")), email: textOf(record.get("email")), own: ownOf(own) };
}

/** What the draft comes to; undefined as long as something is wrong with the own fields. */
export function readDraft({ name, email, own }: Draft): Fields | undefined {
  const reading = readOwn(own);
  if (!isSound(reading)) return undefined;
  const address = email.trim();
  return new Map([
    ["name", name.trim()],
    ...(address === "" ? [] : [["email", address] as const]),
    ...reading.fields,
  ]);
}

export function isSameDraft(one: Draft, other: Draft): boolean {
  return (
    one.name === other.name && one.email === other.email && signatureOf(one.own) === signatureOf(other.own)
  );
}
