import { user as texts } from "../../texts/index.ts";
import { Field } from "../../ui/field.tsx";
import { toTypedInput } from "../typed-input.ts";
import { typedInputControl } from "../typed-input-control.tsx";
import type { FormEditor } from "./use-user-editor.ts";

/** Shows what SCIM clients keep in a user or a group, if there is anything. */
export function ScimField({ editor: { draft, errors } }: { readonly editor: FormEditor }) {
  if (draft.scim === undefined) return null;
  return (
    <Field
      className="custom-field-json"
      label={texts.scim}
      hint={texts.scimHint}
      error={errors.fields.get("scim")}
    >
      {typedInputControl(toTypedInput(draft.scim), () => undefined, { readOnly: true })}
    </Field>
  );
}
