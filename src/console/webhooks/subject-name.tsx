import { Link } from "wouter";
import type { Delivery } from "../../client/index.ts";
import { deliveries as texts } from "../texts/webhooks.ts";
import { useUserName } from "../users/user-names.ts";

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
  const name = useUserName(id);
  return name === undefined ? subjectText({ type: "user", id }) : <bdi>{name}</bdi>;
}

/** For example "User 7". */
export function subjectText({ type, id }: Delivery["subject"]): string {
  const name = new Map<string, string>(Object.entries(texts.subject)).get(type) ?? type;
  return texts.subjectOf(name, id);
}
