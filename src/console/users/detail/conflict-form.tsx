import { type FormEvent, useId, useState } from "react";
import type { Json } from "../../../client/index.ts";
import { user as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { formatValue } from "../fields.ts";
import { changedFields, type EditedItem, toRecord, type UserRecord } from "../record.ts";
import { chooseUnambiguous, merge, type Side } from "./merge.ts";
import type { KindFacts } from "./record-kind.ts";

interface ConflictFormProps {
  readonly kind: KindFacts;
  /** The form's id, for the save button outside of the form. */
  readonly id: string;
  /** The user or the group before either changed it. */
  readonly was: EditedItem;
  readonly mine: UserRecord;
  readonly theirs: EditedItem;
  readonly onChoose: (record: UserRecord) => void;
}

/** Resolves two concurrent changes of a user or a group: the person chooses a value for each field that differs. */
export function ConflictForm({ kind, id, was, mine, theirs, onChoose }: ConflictFormProps) {
  const before = toRecord(was, kind.fields);
  const other = toRecord(theirs, kind.fields);
  const labelOf = kind.useFieldLabel();
  const fields = changedFields(mine, other);
  const [chosen, setChosen] = useState<ReadonlyMap<string, Side>>(() =>
    chooseUnambiguous({ was: before, mine, theirs: other }),
  );
  const takeAll = (side: Side) => setChosen(new Map(fields.map((field) => [field, side])));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChoose(merge(mine, other, chosen));
  };
  return (
    <form id={id} className="form" onSubmit={submit}>
      <div className="actions">
        <Button onClick={() => takeAll("mine")}>{texts.conflict.allMine}</Button>
        <Button onClick={() => takeAll("theirs")}>{texts.conflict.allTheirs}</Button>
      </div>
      {fields.map((field) => (
        <Choice
          key={field}
          label={labelOf(field)}
          was={before.get(field)}
          values={{ mine: mine.get(field), theirs: other.get(field) }}
          chosen={chosen.get(field)}
          onChoose={(side) => setChosen(new Map(chosen).set(field, side))}
        />
      ))}
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly was: Json | undefined;
  readonly values: Readonly<Record<Side, Json | undefined>>;
  readonly chosen: Side | undefined;
  readonly onChoose: (side: Side) => void;
}

function Choice({ label, was, values, chosen, onChoose }: ChoiceProps) {
  const group = useId();
  // Text and a number can look the same: show both as JSON.
  const looksSame = formatValue(values.mine) === formatValue(values.theirs);
  return (
    <fieldset className="choice">
      <legend className="field-label">{label}</legend>
      <div className="choice-sides">
        {(["mine", "theirs"] as const).map((side) => (
          <label key={side} className="choice-side">
            <input
              type="radio"
              name={group}
              required
              checked={chosen === side}
              onChange={() => onChoose(side)}
            />
            <span className="choice-text">
              <span className="hint">{texts.conflict[side]}</span>
              <Value value={values[side]} exact={looksSame} />
            </span>
          </label>
        ))}
      </div>
      <p className="hint choice-was">
        {texts.conflict.was(was === undefined ? texts.conflict.absent : formatValue(was))}
      </p>
    </fieldset>
  );
}

function Value({ value, exact }: { readonly value: Json | undefined; readonly exact: boolean }) {
  if (value === undefined) return <span className="none">{texts.conflict.absent}</span>;
  if (typeof value === "string" && !exact) return <span>{value}</span>;
  return <code>{JSON.stringify(value)}</code>;
}
