import { useId } from "react";
import { newKey as texts } from "../texts/index.ts";

interface RateChoiceProps {
  readonly requests: string;
  readonly seconds: string;
  readonly fault: string | undefined;
  readonly onChange: (change: { requests: string } | { seconds: string }) => void;
}

/** So many requests in so many seconds, read as a sentence. */
export function RateChoice({ requests, seconds, fault, onChange }: RateChoiceProps) {
  const id = useId();
  const common = {
    className: "input",
    inputMode: "numeric",
    "aria-invalid": fault !== undefined || undefined,
    "aria-describedby": `${id}-hint${fault === undefined ? "" : ` ${id}-fault`}`,
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
      {fault !== undefined && (
        <p className="fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  );
}
