import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, Fragment, useEffect, useRef, useState } from "react";
import { scopes } from "../../contract/keys/key.ts";
import icon from "../../pages/icon.svg";
import { describeInLine, dismissPrompt } from "../lib/api.ts";
import { type CurrentSession, createSession, sessionQuery } from "../lib/session.ts";
import type { PromptReason } from "../lib/sign-in-prompt.ts";
import { shell, signIn } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Field } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";

const CREATE_KEY_COMMAND = `roster keys create --name console \\\n  --scope ${scopes.join(",")}`;

/** The first page if the service requires a key. */
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
        <div className="create-key">
          <p className="hint">{signIn.create}</p>
          <div className="snippet">
            <pre>
              {CREATE_KEY_COMMAND.split(/(?<=,)/).map((part) => (
                <Fragment key={part}>
                  {part}
                  <wbr />
                </Fragment>
              ))}
            </pre>
            <CopyButton text={CREATE_KEY_COMMAND} />
          </div>
        </div>
      </section>
    </main>
  );
}

interface SignInAgainProps {
  /** The session before this prompt. */
  readonly session: CurrentSession;
  readonly reason: PromptReason;
}

/** A dialog over the page. The page below keeps its state. */
export function SignInAgain({ session, reason }: SignInAgainProps) {
  const queries = useQueryClient();
  const done = async () => {
    // Repeat only the queries that failed.
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    await queries.refetchQueries({ predicate: ({ state }) => state.status === "error" });
  };
  // An open service did not require a key before the first one was created.
  const { title, lead } =
    reason === "change" ? signIn.change : session.auth === "open" ? signIn.closed : signIn.again;
  return (
    <Modal open onClose={dismissPrompt} title={title} lead={lead}>
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

  // Not a mutation: the mutation cache would keep the key in memory.
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
      setError(describeInLine(error));
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
