import { useState } from "react";
import { importing as texts } from "../texts/import.ts";
import { Field } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";
import { type ColumnType, columnTypes } from "./column-type.ts";
import { type ImportKind, kinds } from "./import-kinds.ts";
import { skipReason, suggestField, type Target } from "./mapping.ts";
import type { Column } from "./source.ts";

interface ColumnLineProps {
  readonly kind: ImportKind;
  /** Counted from 1. */
  readonly position: number;
  readonly column: Column;
  readonly target: Target;
  readonly error: string | undefined;
  /** Id of the list of suggested fields. */
  readonly suggestions: string;
  readonly chooseType: (field: string) => ColumnType | undefined;
  readonly onChange: (target: Target) => void;
}

/** One column: its name and first values, the field that it becomes, the type, and what happens to cells of other types. */
export function ColumnLine(props: ColumnLineProps) {
  const { kind, position, column, target, error, suggestions, chooseType, onChange } = props;
  const { header, examples } = column;
  const [field, setField] = useState(() =>
    target.to === "custom" ? target.field : suggestField(header, position - 1, kind),
  );
  const label = header === "" ? texts.columns.unnamed(position) : header;
  const reason = target.to === "skip" ? skipReason(header, kind) : undefined;
  const { targets, hasCustomFields } = kinds[kind];
  const choices: readonly Target["to"][] = [
    ...targets,
    ...(hasCustomFields ? (["custom"] as const) : []),
    "skip",
  ];
  const choose = (to: Target["to"]) =>
    onChange(to === "custom" ? { to, field, type: chooseType(field) } : { to });
  const isCustom = target.to === "custom";
  return (
    <li className="import-column" data-skipped={target.to === "skip" || undefined}>
      <Field
        className="import-target"
        label={label}
        hint={
          <span dir="auto">
            {reason ?? (examples.size > 0 ? [...examples].join(" · ") : texts.columns.noExamples)}
          </span>
        }
        error={isCustom ? undefined : error}
      >
        <Select
          value={target.to}
          options={choices}
          getLabel={(choice) => texts.columns.targets[choice]}
          onChoose={choose}
        />
      </Field>
      {isCustom && (
        <Field className="import-field" label={texts.columns.field(label)} hideLabel error={error}>
          <input
            list={suggestions}
            value={target.field}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            onChange={({ target: { value } }) => {
              setField(value);
              onChange(rename(target, value, chooseType));
            }}
          />
        </Field>
      )}
      {isCustom && target.type && (
        <Field className="import-type" label={texts.columns.type(label)} hideLabel>
          <Select<ColumnType | "file">
            value={target.type}
            options={column.types ? ["file", ...columnTypes] : columnTypes}
            getLabel={(type) => (type === "file" ? texts.columns.asInFile : texts.columns.types[type])}
            onChoose={(type) =>
              onChange({ to: "custom", field: target.field, ...(type !== "file" && { type }) })
            }
          />
        </Field>
      )}
      {isCustom && target.type && <Misfits column={column} target={target} onChange={onChange} />}
    </li>
  );
}

/** The column as another field. It keeps the type and the decision that a person chose. */
function rename(target: CustomTarget, field: string, chooseType: ColumnLineProps["chooseType"]): Target {
  const isChosen = target.type !== chooseType(target.field);
  const type = isChosen ? target.type : chooseType(field);
  return type === target.type ? { ...target, field } : { to: "custom", field, type };
}

type CustomTarget = Extract<Target, { to: "custom" }>;

interface MisfitsProps {
  readonly column: Column;
  readonly target: CustomTarget;
  readonly onChange: (target: Target) => void;
}

const misfitChoices = ["reject", "omit", "text"] as const;

/** What happens to the cells that do not have the type of their column. */
function Misfits({ column: { header, profile }, target, onChange }: MisfitsProps) {
  const { type } = target;
  if (!profile || !type) return null;
  const { count, examples } = profile.misfits(type);
  if (count === 0) return null;
  return (
    <Field
      className="import-misfits"
      label={texts.misfits.label(count, profile.present, type, [...examples])}
    >
      <Select
        aria-description={header}
        value={target.omitsMisfits ? "omit" : "reject"}
        options={misfitChoices}
        getLabel={(choice) => texts.misfits.choices[choice]}
        onChoose={(choice) =>
          onChange(
            choice === "text"
              ? { to: "custom", field: target.field, type: "text" }
              : { ...target, omitsMisfits: choice === "omit" },
          )
        }
      />
    </Field>
  );
}
