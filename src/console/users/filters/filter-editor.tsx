import { useHasScope } from "../../lib/session.ts";
import { type Condition, canBeParameter, type FilterParts, GROUPS } from "./condition.ts";
import { ExpressionForm } from "./expression-form.tsx";
import { FieldChoice } from "./field-choice.tsx";
import { type FilterField, useFilterFields } from "./filter-field.ts";
import { FilterForm } from "./filter-form.tsx";

/** What the popup of a filter shows: the fields, the form of one field, or all filters as an expression. */
export type FilterStep =
  | { readonly kind: "fields" | "expression" }
  | { readonly kind: "form"; readonly field: string; readonly condition?: Condition | undefined };

interface FilterEditorProps {
  readonly step: FilterStep;
  readonly onStep: (step: FilterStep) => void;
  readonly fields: readonly string[];
  readonly parts: FilterParts;
  /** All filters as an expression. */
  readonly expression: string;
  readonly onCondition: (condition: Condition, edited: Condition | undefined) => void;
  readonly onExpression: (expression: string) => void;
}

/** The content of the popup, loaded when it is first opened. */
export default function FilterEditor(props: FilterEditorProps) {
  const { step, onStep, fields, parts, expression, onCondition, onExpression } = props;
  const toField = useFilterFields();
  const canReadGroups = useHasScope("groups:read");
  if (step.kind === "expression") return <ExpressionForm expression={expression} onApply={onExpression} />;
  if (step.kind === "form") {
    return (
      <FilterForm
        key={step.field}
        field={step.field}
        condition={step.condition}
        canBeParameter={canBeParameter(step.field, parts)}
        onApply={(condition) => onCondition(condition, step.condition)}
      />
    );
  }
  const offered = canReadGroups
    ? fields.flatMap((name) => (name === "email" ? [name, GROUPS] : [name]))
    : fields;
  const choose = (field: string) => {
    // The values of a field are in one condition: users need one of them.
    const condition = parts.conditions.find((each) => each.field === field && each.operator === "any");
    onStep({ kind: "form", field, condition });
  };
  return (
    <FieldChoice
      fields={offered.map((name): FilterField => toField(name))}
      onChoose={choose}
      onExpression={() => onStep({ kind: "expression" })}
    />
  );
}
