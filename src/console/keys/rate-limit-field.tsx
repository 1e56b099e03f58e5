import { useId } from "react";
import { newKey as texts } from "../texts/index.ts";

interface RateLimitFieldProps {
  readonly requests: string;
  readonly seconds: string;
  readonly error: string | undefined;
  readonly onChange: (change: { requests: string } | { seconds: string }) => void;
}

/** So many requests in so many seconds, read as a sentence. */
export function RateLimitField({ requests, seconds, error, onChange }: RateLimitFieldProps) {
  const id = useId();
  const common = {
    className: "input",
    inputMode: "numeric",
    "aria-invalid": error !== undefined || undefined,
    "aria-describedby": `${id}-hint${error === undefined ? "" : ` ${id}-fault`}`,
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
        <span>{texts.requestsIn}</span>
        <input
          {...common}
          aria-label={texts.seconds}
          value={seconds}
          onChange={({ target }) => onChange({ seconds: target.value })}
        />
        <span>{texts.secondsEnd}</span>
      </div>
      <p className="hint" id={`${id}-hint`}>
        {texts.rateHint}
      </p>
      {error !== undefined && (
        <p className="fault" id={`${id}-fault`} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
