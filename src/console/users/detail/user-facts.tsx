import { user as texts } from "../../texts/index.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { fieldLabel } from "../fields.ts";
import type { EditedItem } from "../record.ts";

/** The managed fields. */
export function RecordFacts({ of: item }: { readonly of: EditedItem }) {
  return (
    <section className="facts" aria-label={texts.facts}>
      <dl>
        {(["id", "version"] as const).map((field) => (
          <div key={field}>
            <dt>{fieldLabel(field)}</dt>
            <dd>{item[field]}</dd>
          </div>
        ))}
      </dl>
      <div className="facts-copy">
        <CopyButton text={String(item.id)} label={texts.copyId} />
        <CopyButton text={JSON.stringify(item, null, 2)} label={texts.copyJson} />
      </div>
      <dl className="facts-times">
        {(["createdAt", "updatedAt"] as const).map((field) => (
          <div key={field}>
            <dt>{fieldLabel(field)}</dt>
            <dd>
              <Timestamp iso={item[field]} form="exact" />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
