import { useState } from "react";
import { users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Braces } from "../../ui/icons.ts";
import { useFirstFocus } from "../../ui/popup.tsx";
import { SearchChoice } from "../../ui/search-choice.tsx";
import type { FilterField } from "./filter-field.ts";

interface FieldChoiceProps {
  readonly fields: readonly FilterField[];
  readonly onChoose: (field: string) => void;
  /** Writes a filter expression instead. */
  readonly onExpression: () => void;
}

/** Finds a field by its label or its name. */
export function FieldChoice({ fields, onChoose, onExpression }: FieldChoiceProps) {
  const [text, setText] = useState("");
  const content = useFirstFocus<HTMLDivElement>();
  const typed = text.trim().toLowerCase();
  const found = fields.filter(({ label, name }) =>
    [label, name].some((each) => each.toLowerCase().includes(typed)),
  );
  return (
    <div ref={content} className="field-choice">
      <SearchChoice
        label={texts.filter.fields}
        text={text}
        onType={setText}
        items={found}
        keyOf={({ name }) => name}
        labelOf={({ label }) => label}
        hintOf={({ label, name }) => (label.toLowerCase() === name.toLowerCase() ? undefined : name)}
        onChoose={({ name }) => onChoose(name)}
        status={found.length === 0 ? texts.filter.noField : ""}
      />
      <Button kind="quiet" icon={<Braces aria-hidden />} onClick={onExpression}>
        {texts.filter.expression}
      </Button>
    </div>
  );
}
