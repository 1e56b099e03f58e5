import { LockKeyhole } from "lucide-react";
import { Fragment } from "react";
import { describeError } from "../lib/api.ts";
import { keys as texts } from "../texts/index.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { EmptyState } from "../ui/states.tsx";

const MAKE_KEY = "roster keys create --name my-program --scope users:read";

/** What the service says where keys cannot be managed through it, and what is done instead. */
export function ManageWithCli({ error }: { readonly error: unknown }) {
  const { title, text } = describeError(error);
  return (
    <EmptyState icon={LockKeyhole} title={title} text={<WithInlineCode text={text} />}>
      <div className="on-host">
        <p className="hint">{texts.onHost}</p>
        <div className="snippet">
          <code>{MAKE_KEY}</code>
          <CopyButton text={MAKE_KEY} />
        </div>
      </div>
    </EmptyState>
  );
}

/** What the service puts between backquotes is to be typed. */
function WithInlineCode({ text }: { readonly text: string }) {
  return text.split("`").map((part, at) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text, which have no other name.
    return at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>;
  });
}
