import { useId } from "react";
import type { Scope } from "../../client/index.ts";
import { scopes as everyScope } from "../../contract/keys/key.ts";
import { scopes, newKey as texts } from "../texts/index.ts";

interface ScopeFieldProps {
  readonly chosen: readonly Scope[];
  /** The scopes of the caller's own key. */
  readonly grantable: readonly Scope[];
  readonly error: string | undefined;
  readonly onChange: (chosen: readonly Scope[]) => void;
}

export function ScopeField({ chosen, grantable, error, onChange }: ScopeFieldProps) {
  const id = useId();
  const toggle = (scope: Scope) =>
    onChange(everyScope.filter((other) => (other === scope) !== chosen.includes(other)));
  return (
    <fieldset className="field" aria-describedby={error === undefined ? undefined : `${id}-error`}>
      <legend className="field-label">{texts.scopes}</legend>
      {everyScope.map((scope) => {
        const canGrant = grantable.includes(scope);
        return (
          <label key={scope} className={`scope-line${canGrant ? "" : " unavailable"}`}>
            <input
              type="checkbox"
              disabled={!canGrant}
              checked={chosen.includes(scope)}
              aria-describedby={`${id}-${scope}`}
              aria-invalid={error !== undefined || undefined}
              onChange={() => toggle(scope)}
            />
            <span>{scopes[scope].name}</span>
            <code className="none">{scope}</code>
            <span className="hint" id={`${id}-${scope}`}>
              {canGrant ? scopes[scope].text : texts.lacking}
            </span>
          </label>
        );
      })}
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
