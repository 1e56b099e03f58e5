import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import icon from "../../pages/icon.svg";
import { ask, explain } from "../api.ts";
import { shell, signIn } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Copy } from "../ui/copy.tsx";
import { Field } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
import { resumeSession } from "./session.ts";
import { whoQuery } from "./who.ts";

const MAKE_KEY = "roster keys create --name console --scope users:read,users:write,keys:manage";

/** Where the console begins if a key is asked for. */
export function SignInPage() {
  const queries = useQueryClient();
  return (
    <main className="sign-in-page">
      <section className="sign-in">
        <div className="brand">
          <img src={icon} alt="" width="26" height="26" />
          {shell.brand}
        </div>
        <h1 className="view-title">{signIn.title}</h1>
        <p className="lead">{signIn.lead}</p>
        <SignInForm onDone={() => queries.invalidateQueries()} />
        <div className="make-key">
          <p className="hint">{signIn.make}</p>
          <div className="snippet">
            <code>{MAKE_KEY}</code>
            <Copy text={MAKE_KEY} />
          </div>
        </div>
      </section>
    </main>
  );
}

/** Over everything else, when a session has ended: what lies beneath stays as it is. */
export function SignInAgain() {
  const queries = useQueryClient();
  const done = async () => {
    // What failed meanwhile; what did not fail is still what it was.
    await queries.invalidateQueries({ queryKey: whoQuery.queryKey });
    await queries.refetchQueries({ predicate: ({ state }) => state.status === "error" });
  };
  return (
    <Modal open onClose={resumeSession} title={signIn.again} lead={signIn.againLead}>
      <SignInForm onDone={done} />
    </Modal>
  );
}

function SignInForm({ onDone }: { readonly onDone: () => unknown }) {
  const [key, setKey] = useState("");
  const note = useId();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (secret: string) => ask("/api/session", { method: "POST", body: { key: secret } }),
    // Nothing keeps the key.
    gcTime: 0,
    onSuccess: () => {
      setKey("");
      resumeSession();
      return onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(key.trim());
  };
  return (
    <form className="form" method="post" onSubmit={submit} autoComplete="off">
      {!isSecureContext && (
        <p className="warning" id={note}>
          {signIn.unencrypted}
        </p>
      )}
      <Field label={signIn.key} fault={error ? explain(error).text : undefined}>
        <input
          type="password"
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={signIn.placeholder}
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
      </Field>
      <Button kind="primary" type="submit" busy={isPending}>
        {signIn.submit}
      </Button>
    </form>
  );
}
