import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef } from "react";
import { Link } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import { roster } from "../../lib/api.ts";
import { user as texts } from "../../texts/index.ts";
import { Field, focusFirstError } from "../../ui/field.tsx";
import { Alert } from "../../ui/states.tsx";
import { Switch } from "../../ui/switch.tsx";
import { CustomFields } from "./custom-fields.tsx";
import type { OpenUser } from "./use-open-user.ts";

interface UserFormProps {
  readonly open: OpenUser;
  /** The level of headings. */
  readonly level: 2 | 3;
}

export function UserForm({ open: { form: id, editor, canWrite }, level }: UserFormProps) {
  const { base, draft, errors, type } = editor;
  const form = useRef<HTMLFormElement>(null);
  const first = useRef<HTMLInputElement>(null);
  const isNew = base === undefined;

  useEffect(() => {
    if (isNew) first.current?.focus();
  }, [isNew]);
  useEffect(() => {
    if (errors.saveCount > 0) focusFirstError(form.current);
  }, [errors.saveCount]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canWrite && !editor.busy) editor.save();
  };
  return (
    <form id={id} ref={form} className={isNew ? "form" : "form in-place"} noValidate onSubmit={submit}>
      {!canWrite && <p className="notice">{texts.readOnly}</p>}
      {errors.general !== undefined && <Alert>{errors.general}</Alert>}
      <Field label={texts.name} error={errors.fields.get("name")}>
        <input
          ref={first}
          dir="auto"
          autoComplete="off"
          readOnly={!canWrite}
          value={draft.name}
          onChange={({ target }) => type({ name: target.value }, ["name"])}
        />
      </Field>
      <Field
        label={texts.email}
        hint={errors.taken === undefined ? isNew && texts.emailHint : <EmailOwnerLink email={errors.taken} />}
        error={errors.fields.get("email")}
      >
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
      <CustomFields editor={editor} canWrite={canWrite} level={level} />
    </form>
  );
}

/** Link to the user that already has the email, if the key can read users. */
function EmailOwnerLink({ email }: { readonly email: string }) {
  const search = useSearch();
  const { data: other } = useQuery({
    queryKey: ["email", email],
    queryFn: async ({ signal }) => (await roster.users.find({ email }, { signal })) ?? null,
    staleTime: 0,
    gcTime: 0,
  });
  return other ? <Link href={`/users/${other.id}${search}`}>{texts.openOther(other.name)}</Link> : null;
}
