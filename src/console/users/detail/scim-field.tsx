import { user as texts } from "../../texts/index.ts";
import type { FormEditor } from "./use-user-editor.ts";

/** Shows what SCIM clients keep in a user or a group, if there is anything. Only programs change it. */
export function ScimField({ editor: { draft, errors } }: { readonly editor: FormEditor }) {
  if (draft.scim === undefined) return null;
  const error = errors.fields.get("scim");
  return (
    <div className="scim-data">
      <details>
        <summary>{texts.scimData}</summary>
        <p className="hint">{texts.scimHint}</p>
        <pre>
          <code>{JSON.stringify(draft.scim, undefined, 2)}</code>
        </pre>
      </details>
      {error !== undefined && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
