import { useId } from "react";
import { eventSubjectTypes } from "../../contract/events/event.ts";
import { eventTypeFilters } from "../activity/event-filters.ts";
import { eventTypeLabels } from "../texts/activity.ts";
import { webhookForm as texts } from "../texts/webhooks.ts";
import type { TypePattern } from "./webhook-draft.ts";

interface TypesFieldProps {
  readonly chosen: readonly TypePattern[];
  readonly error: string | undefined;
  readonly onChange: (chosen: readonly TypePattern[]) => void;
}

const kinds = ["users", "all", "some"] as const;

/** Which events are sent: all, those of users, or single types. */
export function TypesField({ chosen, error, onChange }: TypesFieldProps) {
  const group = useId();
  const message = useId();
  const kind = kindOf(chosen);
  const choose = (next: (typeof kinds)[number]) =>
    onChange(next === "all" ? ["*"] : next === "users" ? ["user.*"] : ["user.created"]);
  return (
    <fieldset className="field" aria-describedby={error === undefined ? undefined : message}>
      <legend className="field-label">{texts.types}</legend>
      {kinds.map((each) => (
        <label key={each} className="check-line">
          <input type="radio" name={group} checked={kind === each} onChange={() => choose(each)} />
          {texts.kinds[each]}
        </label>
      ))}
      {kind === "some" && <SomeTypes chosen={chosen} onChange={onChange} />}
      {error !== undefined && (
        <p id={message} className="field-error">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function SomeTypes({ chosen, onChange }: Omit<TypesFieldProps, "error">) {
  const toggle = (pattern: TypePattern) =>
    onChange(
      chosen.includes(pattern)
        ? chosen.filter((each) => each !== pattern)
        : // A pattern replaces the types that it matches.
          [...chosen.filter((each) => !isPartOf(each, pattern)), pattern],
    );
  return (
    <div className="type-choices">
      {eventSubjectTypes.map((subject) => (
        <ul key={subject}>
          {eventTypeFilters
            .filter((type) => type.startsWith(`${subject}.`))
            .map((type) => {
              const isCovered = chosen.some((pattern) => isPartOf(type, pattern));
              return (
                <li key={type}>
                  <label className={type.endsWith("*") ? "check-line" : "check-line type-choice"}>
                    <input
                      type="checkbox"
                      checked={isCovered || chosen.includes(type)}
                      disabled={isCovered}
                      onChange={() => toggle(type)}
                    />
                    {eventTypeLabels[type]}
                  </label>
                </li>
              );
            })}
        </ul>
      ))}
    </div>
  );
}

function kindOf(chosen: readonly TypePattern[]): (typeof kinds)[number] {
  if (chosen.length !== 1) return "some";
  return chosen[0] === "*" ? "all" : chosen[0] === "user.*" ? "users" : "some";
}

/** Whether the pattern matches this type, and is not the type itself. */
function isPartOf(type: TypePattern, pattern: TypePattern): boolean {
  return type !== pattern && pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1));
}
