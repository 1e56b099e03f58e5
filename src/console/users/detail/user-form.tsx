import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, useEffect, useRef } from "react";
import type { User } from "../../../client/index.ts";
import { roster } from "../../lib/api.ts";
import { formatMoment } from "../../texts/format.ts";
import { user as texts } from "../../texts/index.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Field, focusFault } from "../../ui/field.tsx";
import { Alert } from "../../ui/states.tsx";
import { fieldLabel } from "../fields.ts";
import { OwnFields } from "./custom-fields.tsx";
import type { Editing } from "./use-user-editor.ts";

interface UserFormProps {
  /** For the button that saves, which stands elsewhere. */
  readonly id: string;
  readonly editing: Editing;
  readonly mayWrite: boolean;
  /** Goes to another place of the console. */
  readonly onLeave: (path: string) => void;
}

/** Everything about a user that can be typed. */
export function UserForm({ id, editing, mayWrite, onLeave }: UserFormProps) {
  const { base, draft, faults, type } = editing;
  const form = useRef<HTMLFormElement>(null);
  const first = useRef<HTMLInputElement>(null);
  const isNew = base === undefined;

  useEffect(() => {
    if (isNew) first.current?.focus();
  }, [isNew]);
  useEffect(() => {
    if (faults.times > 0) focusFault(form.current);
  }, [faults.times]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (mayWrite && !editing.busy) editing.save();
  };
  // Where Enter begins a new line.
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
  };
  return (
    <form id={id} ref={form} className="form" noValidate onSubmit={submit} onKeyDown={press}>
      {base && <Facts user={base} />}
      {!mayWrite && <p className="notice">{texts.readOnly}</p>}
      {faults.general !== undefined && <Alert>{faults.general}</Alert>}
      <Field label={texts.name} fault={faults.fields.get("name")}>
        <input
          ref={first}
          autoComplete="off"
          readOnly={!mayWrite}
          value={draft.name}
          onChange={({ target }) => type({ name: target.value }, ["name"])}
        />
      </Field>
      <Field
        label={texts.email}
        hint={
          faults.taken === undefined ? (
            mayWrite && texts.emailHint
          ) : (
            <TakenBy email={faults.taken} onLeave={onLeave} />
          )
        }
        fault={faults.fields.get("email")}
      >
        <input
          type="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          readOnly={!mayWrite}
          value={draft.email}
          onChange={({ target }) => type({ email: target.value }, ["email"])}
        />
      </Field>
      <OwnFields editing={editing} mayWrite={mayWrite} />
    </form>
  );
}

/** What the service says about the record itself. */
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
              <time dateTime={user[field]}>{formatMoment(user[field])}</time>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The way to the user that has the email already, if the caller may see that. */
function TakenBy({ email, onLeave }: { readonly email: string; readonly onLeave: (path: string) => void }) {
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
        onLeave(path);
      }}
    >
      {texts.openOther(other.name)}
    </a>
  );
}
