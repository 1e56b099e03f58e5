import { Autocomplete } from "@base-ui/react/autocomplete";
import { useState } from "react";
import { users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Braces } from "../../ui/icons.ts";
import { useFirstFocus } from "../../ui/popup.tsx";
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
      <Autocomplete.Root
        open
        inline
        mode="none"
        items={found}
        value={text}
        onValueChange={setText}
        itemToStringValue={({ label }: FilterField) => label}
        autoHighlight="always"
        keepHighlight
      >
        <Autocomplete.Input
          className="input"
          data-first-focus
          aria-label={texts.filter.fields}
          placeholder={texts.filter.fields}
        />
        <Autocomplete.List className="field-list">
          {(field: FilterField) => (
            <Autocomplete.Item
              key={field.name}
              value={field}
              className="menu-item"
              onClick={() => onChoose(field.name)}
            >
              <span className="menu-text">{field.label}</span>
              {field.label.toLowerCase() !== field.name.toLowerCase() && (
                <span className="hint">{field.name}</span>
              )}
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
        <Autocomplete.Status className="hint">
          {found.length === 0 ? texts.filter.noField : ""}
        </Autocomplete.Status>
      </Autocomplete.Root>
      <Button kind="quiet" icon={<Braces aria-hidden />} onClick={onExpression}>
        {texts.filter.expression}
      </Button>
    </div>
  );
}
