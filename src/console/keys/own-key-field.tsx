import type { Ref } from "react";
import { RejectedKeyError } from "../lib/api.ts";
import { ownKey as texts } from "../texts/index.ts";
import { Field } from "../ui/field.tsx";

interface OwnKeyFieldProps {
  readonly value: string;
  /** The error of the request that sent the key. */
  readonly error: unknown;
  readonly onChange: (value: string) => void;
  /** Why the key is needed. Default: to create a key. */
  readonly hint?: string;
  readonly input?: Ref<HTMLInputElement>;
}

/** Asks for the key that the person signed in with: a session is not enough to create keys and webhooks. */
export function OwnKeyField({ value, error, onChange, hint = texts.hint, input }: OwnKeyFieldProps) {
  const message = error instanceof RejectedKeyError ? error.message : undefined;
  return (
    <Field label={texts.label} hint={hint} error={message}>
      <input
        ref={input}
        type="password"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder={texts.placeholder}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}
