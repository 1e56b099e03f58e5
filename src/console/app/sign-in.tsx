import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { scopes } from "../../contract/key.ts";
import icon from "../../pages/icon.svg";
import { describeError } from "../lib/api.ts";
import { type CurrentSession, createSession, sessionQuery } from "../lib/session.ts";
import { closeSignInPrompt, type SignInReason } from "../lib/sign-in-prompt.ts";
import { shell, signIn } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Field } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";

const MAKE_KEY = `roster keys create --name console \\\n  --scope ${scopes.join(",")}`;

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
        <SignInForm onDone={() => queries.invalidateQueries({}, { throwOnError: true })} />
        <div className="make-key">
          <p className="hint">{signIn.make}</p>
          <div className="snippet">
            <pre>{MAKE_KEY}</pre>
            <CopyButton text={MAKE_KEY} />
          </div>
        </div>
      </section>
    </main>
  );
}

interface SignInAgainProps {
  /** Who it was until now. */
  readonly session: CurrentSession;
  readonly why: SignInReason;
}

/** Over everything else, when a session has ended: what lies beneath stays as it is. */
export function SignInAgain({ session, why }: SignInAgainProps) {
  const queries = useQueryClient();
  const done = async () => {
    // What failed meanwhile; what did not fail is still what it was.
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    await queries.refetchQueries({ predicate: ({ state }) => state.status === "error" });
  };
  // Nobody had to sign in before the first key was made.
  const { title, lead } =
    why === "change" ? signIn.change : session.auth === "open" ? signIn.closed : signIn.again;
  return (
    <Modal open onClose={closeSignInPrompt} title={title} lead={lead}>
      <SignInForm onDone={done} />
    </Modal>
  );
}

function SignInForm({ onDone }: { readonly onDone: () => unknown }) {
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  // No mutation: its cache would keep the key.
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    if (key.trim() === "") {
      setError(signIn.missing);
      input.current?.focus();
      return;
    }
    setBusy(true);
    try {
      await createSession(key.trim());
      setKey("");
      await onDone();
    } catch (error) {
      setError(describeError(error).text);
      input.current?.select();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="form" method="post" onSubmit={submit} autoComplete="off" noValidate>
      {!isSecureContext && <p className="warning">{signIn.unencrypted}</p>}
      <Field label={signIn.key} error={error}>
        <input
          ref={input}
          type="password"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={signIn.placeholder}
          value={key}
          onChange={(event) => {
            setKey(event.target.value);
            setError(undefined);
          }}
        />
      </Field>
      <Button kind="primary" type="submit" busy={busy}>
        {signIn.submit}
      </Button>
    </form>
  );
}
