import { useId } from "react";
import type { User } from "../../../client/index.ts";
import { uniqueKeys } from "../../lib/unique-keys.ts";
import { user as texts } from "../../texts/index.ts";
import { OwnerLink } from "./owner-link.tsx";
import { type ShownEmail, shownEmails } from "./shown-emails.ts";

/** Addresses that are looked for among other users. */
const MAX_OWNERS = 10;

interface UserEmailsProps {
  readonly user: User;
  /** The heading's level. */
  readonly level: 2 | 3;
}

/** All addresses of a user that has more than the email, and which of them belong to someone else. */
export function UserEmails({ user, level }: UserEmailsProps) {
  const heading = useId();
  const Heading = `h${level}` as const;
  const emails = shownEmails(user);
  if (emails.length === 0) return null;
  const keys = uniqueKeys(emails.map(({ address }) => address));
  const isWithoutEmail = user.email === undefined;
  return (
    <section className="user-emails" aria-labelledby={heading}>
      <Heading id={heading} className="section-title">
        {texts.emails.title}
      </Heading>
      <ul>
        {emails.map((email, index) => (
          <li key={keys[index]}>
            <Address email={email} />
            {isWithoutEmail && index < MAX_OWNERS && <Owner address={email.address} />}
          </li>
        ))}
      </ul>
      {isWithoutEmail && <p className="hint">{texts.emails.noEmail}</p>}
    </section>
  );
}

function Address({ email: { address, type, isPrimary } }: { readonly email: ShownEmail }) {
  return (
    <p className="user-email">
      <span dir="auto">{address}</span>
      {type !== undefined && (
        <span className="badge">{texts.emails.types.get(type.toLowerCase()) ?? type}</span>
      )}
      {isPrimary && <span className="badge good">{texts.emails.primary}</span>}
    </p>
  );
}

/** Says who has the address as email. */
function Owner({ address }: { readonly address: string }) {
  return (
    <OwnerLink
      name={address}
      as="email"
      frame={(link) => (
        <p className="warning">
          {texts.emails.taken} {link}
        </p>
      )}
    />
  );
}
