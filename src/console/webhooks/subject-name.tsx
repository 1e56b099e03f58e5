import { Link } from "wouter";
import type { Delivery } from "../../client/index.ts";
import { useName } from "../lib/record-names.ts";
import { deliveries as texts } from "../texts/webhooks.ts";

interface SubjectNameProps extends Pick<Delivery, "subject"> {
  readonly tabIndex: number;
}

/** What the event of a delivery is about: a user by name, if it is known. */
export function SubjectName({ subject, tabIndex }: SubjectNameProps) {
  if (subject.type !== "user") return subjectText(subject);
  return (
    <Link href={`/users/${subject.id}`} tabIndex={tabIndex}>
      <UserName id={subject.id} />
    </Link>
  );
}

function UserName({ id }: { readonly id: number }) {
  const name = useName("user", id);
  return typeof name === "string" ? <bdi>{name}</bdi> : subjectText({ type: "user", id });
}

/** For example "User 7". */
export function subjectText({ type, id }: Delivery["subject"]): string {
  const name = new Map<string, string>(Object.entries(texts.subject)).get(type) ?? type;
  return texts.subjectOf(name, id);
}
