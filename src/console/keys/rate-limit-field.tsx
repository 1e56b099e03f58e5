import { useId } from "react";
import { newKey as texts } from "../texts/index.ts";

interface RateLimitFieldProps {
  readonly requests: string;
  readonly seconds: string;
  readonly error: string | undefined;
  readonly onChange: (change: { requests: string } | { seconds: string }) => void;
}

/** Two inputs in a sentence: "100 requests per 60 seconds". */
export function RateLimitField({ requests, seconds, error, onChange }: RateLimitFieldProps) {
  const id = useId();
  const common = {
    className: "input",
    inputMode: "numeric",
    "aria-invalid": error !== undefined || undefined,
    "aria-describedby": `${id}-hint${error === undefined ? "" : ` ${id}-error`}`,
  } as const;
  return (
    <fieldset className="field">
      <legend className="field-label">{texts.rate}</legend>
      <div className="rate">
        <input
          {...common}
          aria-label={texts.requests}
          value={requests}
          onChange={({ target }) => onChange({ requests: target.value })}
        />
        <span>{texts.requestsPer}</span>
        <input
          {...common}
          aria-label={texts.seconds}
          value={seconds}
          onChange={({ target }) => onChange({ seconds: target.value })}
        />
        <span>{texts.secondsEnd}</span>
      </div>
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      <p className="hint" id={`${id}-hint`}>
        {texts.rateHint}
      </p>
    </fieldset>
  );
}
