import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, useEffect, useRef } from "react";
import type { User } from "../../../client/index.ts";
import { HistorySection } from "../../activity/history-section.tsx";
import { roster } from "../../lib/api.ts";
import { formatDateTime } from "../../texts/format.ts";
import { user as texts } from "../../texts/index.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Field, focusFirstError } from "../../ui/field.tsx";
import { Alert } from "../../ui/states.tsx";
import { fieldLabel } from "../fields.ts";
import { CustomFields } from "./custom-fields.tsx";
import type { UserEditor } from "./use-user-editor.ts";

interface UserFormProps {
  /** The form's id, for the save button outside of the form. */
  readonly id: string;
  readonly editor: UserEditor;
  readonly canWrite: boolean;
  /** Leaves the drawer for another page of the console. */
  readonly navigate: (path: string) => void;
}

export function UserForm({ id, editor, canWrite, navigate }: UserFormProps) {
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
  // Ctrl+Enter submits from multiline inputs too.
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
  };
  return (
    <form
      id={id}
      ref={form}
      className={isNew ? "form" : "form in-place"}
      noValidate
      onSubmit={submit}
      onKeyDown={press}
    >
      {base && <Facts user={base} />}
      {!canWrite && <p className="notice">{texts.readOnly}</p>}
      {errors.general !== undefined && <Alert>{errors.general}</Alert>}
      <Field label={texts.name} error={errors.fields.get("name")}>
        <input
          ref={first}
          autoComplete="off"
          readOnly={!canWrite}
          value={draft.name}
          onChange={({ target }) => type({ name: target.value }, ["name"])}
        />
      </Field>
      <Field
        label={texts.email}
        hint={
          errors.taken === undefined ? (
            isNew && texts.emailHint
          ) : (
            <EmailOwnerLink email={errors.taken} navigate={navigate} />
          )
        }
        error={errors.fields.get("email")}
      >
        <input
          type="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={isNew || !canWrite ? undefined : texts.noEmail}
          readOnly={!canWrite}
          value={draft.email}
          onChange={({ target }) => type({ email: target.value }, ["email"])}
        />
      </Field>
      <CustomFields editor={editor} canWrite={canWrite} />
      {base && <HistorySection id={base.id} />}
    </form>
  );
}

/** The managed fields. */
function Facts({ user }: { readonly user: User }) {
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
              <time dateTime={user[field]}>{formatDateTime(user[field])}</time>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Link to the user that already has the email, if the key can read users. */
function EmailOwnerLink({
  email,
  navigate,
}: {
  readonly email: string;
  readonly navigate: (path: string) => void;
}) {
  const { data: other } = useQuery({
    queryKey: ["email", email],
    queryFn: async ({ signal }) => (await roster.users.find({ email }, { signal })) ?? null,
    staleTime: 0,
    gcTime: 0,
  });
  if (!other) return null;
  const path = `/users/${other.id}`;
  return (
    <a
      href={path}
      onClick={(event) => {
        event.preventDefault();
        navigate(path);
      }}
    >
      {texts.openOther(other.name)}
    </a>
  );
}
