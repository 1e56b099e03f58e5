import { type FormEvent, useLayoutEffect, useRef, useState } from "react";
import { filterLimits } from "../../../contract/listing.ts";
import { describeError, isProblem, promptIfSignedOut, roster } from "../../lib/api.ts";
import { users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { useFirstFocus } from "../../ui/popup.tsx";

/** Why the service refuses an expression. */
interface Refusal {
  readonly detail: string;
  /** Where the invalid part begins, as an index into the text. */
  readonly at?: number | undefined;
}

interface ExpressionFormProps {
  readonly expression: string;
  /** Gets only expressions that the service accepts. */
  readonly onApply: (expression: string) => void;
}

/** All filters as text. The service checks the expression before it applies. */
export function ExpressionForm({ expression, onApply }: ExpressionFormProps) {
  const [text, setText] = useState(expression);
  const [refusal, setRefusal] = useState<Refusal>();
  const [isChecking, setChecking] = useState(false);
  const form = useFirstFocus<HTMLFormElement>();
  const input = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const at = refusal?.at;
    if (at === undefined) return;
    input.current?.focus();
    input.current?.setSelectionRange(at, at);
  }, [refusal]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const trimmed = text.trim();
    setText(trimmed);
    setChecking(true);
    const found = trimmed === "" ? undefined : await findRefusal(trimmed);
    setChecking(false);
    setRefusal(found);
    if (!found) onApply(trimmed);
  };
  return (
    <form ref={form} className="form expression" onSubmit={(event) => void submit(event)}>
      <Field
        label={texts.filter.expression}
        hideLabel
        hint={texts.filter.expressionHint}
        error={refusal?.detail}
      >
        <textarea
          ref={input}
          data-first-focus
          rows={3}
          spellCheck={false}
          maxLength={filterLimits.characters}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setRefusal(undefined);
          }}
        />
      </Field>
      {refusal?.at !== undefined && <MarkedText text={text} at={refusal.at} />}
      <Button kind="primary" type="submit" busy={isChecking}>
        {texts.filter.applyExpression}
      </Button>
    </form>
  );
}

/** The text with one character marked: where it is invalid, or the place after its end. */
function MarkedText({ text, at }: { readonly text: string; readonly at: number }) {
  const [character = " "] = text.slice(at);
  return (
    <p className="expression-mark">
      <span className="hint">{texts.filter.invalid}</span>
      <code>
        {text.slice(0, at)}
        <mark>{character}</mark>
        {text.slice(at + character.length)}
      </code>
    </p>
  );
}

/** Asks the service for one user, which costs little. */
async function findRefusal(filter: string): Promise<Refusal | undefined> {
  try {
    await roster.users.list({ filter, limit: 1 }).page();
    return undefined;
  } catch (error) {
    promptIfSignedOut(error);
    const errors = isProblem(error, "invalid-query") ? error.problem?.errors : undefined;
    const invalid = errors?.find(({ parameter }) => parameter === "filter");
    if (!invalid) return { detail: describeError(error).text };
    const { detail, position } = invalid;
    return { detail, at: position === undefined ? undefined : toIndex(filter, position) };
  }
}

/** The service counts characters from 1; halves of surrogate pairs are not characters. */
const toIndex = (text: string, position: number) => [...text].slice(0, position - 1).join("").length;
