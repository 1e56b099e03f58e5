import { Link } from "wouter";
import type { SchemaViolation } from "../../client/index.ts";
import { violations as texts } from "../texts/schema.ts";

/** Users with what is wrong with each. */
export function ViolationList({ violations }: { readonly violations: readonly SchemaViolation[] }) {
  return (
    <ul className="rows violation-list" aria-label={texts.list}>
      {violations.map(({ id, errors }) => (
        <li key={id} className="violation">
          <Link href={`/users/${id}`}>{texts.user(id)}</Link>
          <ul>
            {errors.map(({ pointer, detail }) => (
              <li key={`${pointer} ${detail}`}>
                {pointer !== undefined && <code>{pointer.slice(1)}</code>} {detail}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
