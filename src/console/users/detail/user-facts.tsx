import type { User } from "../../../client/index.ts";
import { user as texts } from "../../texts/index.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { fieldLabel } from "../fields.ts";

/** The managed fields. */
export function UserFacts({ user }: { readonly user: User }) {
  return (
    <section className="facts" aria-label={texts.facts}>
      <dl>
        {(["id", "version"] as const).map((field) => (
          <div key={field}>
            <dt>{fieldLabel(field)}</dt>
            <dd>{user[field]}</dd>
          </div>
        ))}
      </dl>
      <div className="facts-copy">
        <CopyButton text={String(user.id)} label={texts.copyId} />
        <CopyButton text={JSON.stringify(user, null, 2)} label={texts.copyJson} />
      </div>
      <dl className="facts-times">
        {(["createdAt", "updatedAt"] as const).map((field) => (
          <div key={field}>
            <dt>{fieldLabel(field)}</dt>
            <dd>
              <Timestamp iso={user[field]} form="exact" />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
