import { Fragment } from "react";
import { describeError } from "../lib/api.ts";
import { uniqueKeys } from "../lib/unique-keys.ts";
import { keys as texts } from "../texts/index.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { LockKeyhole } from "../ui/icons.ts";
import { EmptyState } from "../ui/states.tsx";

const CREATE_KEY_COMMAND = "roster keys create --name my-program --scope users:read";

/** Shown if the API can't manage keys: the service's reason, and the command to use instead. */
export function ManageWithCli({ error }: { readonly error: unknown }) {
  const { title, text } = describeError(error);
  return (
    <EmptyState icon={LockKeyhole} title={title} text={<WithInlineCode text={text} />}>
      <div className="cli-hint">
        <p className="hint">{texts.onServer}</p>
        <div className="snippet">
          <code>{CREATE_KEY_COMMAND}</code>
          <CopyButton text={CREATE_KEY_COMMAND} />
        </div>
      </div>
    </EmptyState>
  );
}

/** Shows text in backquotes as code. */
function WithInlineCode({ text }: { readonly text: string }) {
  const parts = text.split("`");
  const keys = uniqueKeys(parts);
  return parts.map((part, at) =>
    at % 2 === 1 ? <code key={keys[at]}>{part}</code> : <Fragment key={keys[at]}>{part}</Fragment>,
  );
}
