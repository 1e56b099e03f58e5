import { user as texts } from "../../texts/index.ts";
import { Field } from "../../ui/field.tsx";
import { Switch } from "../../ui/switch.tsx";
import type { NameField } from "../taken-name.ts";
import { OwnerLink } from "./owner-link.tsx";
import { RecordForm } from "./record-form.tsx";
import type { OpenUser } from "./use-open-user.ts";

interface UserFormProps {
  readonly open: OpenUser;
  /** The level of headings. */
  readonly level: 2 | 3;
}

export function UserForm({ open, level }: UserFormProps) {
  const { editor, canWrite } = open;
  const { base, draft, errors, type } = editor;
  const isNew = base === undefined;
  const hintFor = (field: NameField, hint: string) => {
    if (errors.taken?.field === field) return <OwnerLink {...errors.taken} />;
    return isNew ? hint : undefined;
  };
  return (
    <RecordForm open={open} level={level}>
      <Field label={texts.email} hint={hintFor("email", texts.emailHint)} error={errors.fields.get("email")}>
        <input
          type="email"
          dir="auto"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={isNew || !canWrite ? undefined : texts.noEmail}
          readOnly={!canWrite}
          value={draft.email}
          onChange={({ target }) => type({ email: target.value }, ["email"])}
        />
      </Field>
      <Field
        label={texts.userName}
        hint={hintFor("userName", texts.userNameHint)}
        error={errors.fields.get("userName")}
      >
        <input
          dir="auto"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={isNew || !canWrite ? undefined : texts.noUserName}
          readOnly={!canWrite}
          value={draft.userName}
          onChange={({ target }) => type({ userName: target.value }, ["userName"])}
        />
      </Field>
      <Field
        label={texts.active}
        error={errors.fields.get("active")}
        frame={(control) => (
          <span className="switch-line">
            {control}
            <span>{draft.active === false ? texts.inactive : texts.isActive}</span>
          </span>
        )}
      >
        <Switch
          disabled={!canWrite}
          checked={draft.active !== false}
          onSwitch={(active) =>
            type({ active: active && base?.active === undefined ? undefined : active }, ["active"])
          }
        />
      </Field>
    </RecordForm>
  );
}
