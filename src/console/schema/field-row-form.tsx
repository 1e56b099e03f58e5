import { type ReactNode, useId } from "react";
import { schemaFormats } from "../../contract/schema/schema.ts";
import { TagsField } from "../fields/tags-field.tsx";
import { ValueField } from "../fields/value-field.tsx";
import { schema } from "../texts/schema.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Braces, ChevronRight, Trash2 } from "../ui/icons.ts";
import { Select } from "../ui/select.tsx";
import { Switch } from "../ui/switch.tsx";
import {
  canBeUnique,
  type FieldRow,
  fieldTypes,
  fromJsonRow,
  hasAllowedValues,
  itemTypes,
  keptKeywords,
  limitsOf,
  type RowError,
  specOfRow,
  summarizeRow,
  toJsonRow,
} from "./field-row.ts";

const texts = schema.fields;
const formats = ["", ...schemaFormats] as const;

interface FieldRowFormProps {
  readonly row: FieldRow;
  readonly errors: readonly RowError[];
  readonly isOpen: boolean;
  readonly canManage: boolean;
  readonly onToggle: () => void;
  readonly onChange: (row: FieldRow) => void;
  readonly onRemove: () => void;
}

/** One custom field of the schema: a line, which opens to everything that the schema says about the field. */
export function FieldRowForm(props: FieldRowFormProps) {
  const { row, errors, isOpen, onToggle } = props;
  const panel = useId();
  return (
    <li className="schema-field" aria-label={texts.group(row.name)}>
      <button
        type="button"
        className="schema-line"
        aria-expanded={isOpen}
        aria-controls={isOpen ? panel : undefined}
        onClick={onToggle}
      >
        <ChevronRight aria-hidden />
        <span className={row.name === "" ? "schema-line-name none" : "schema-line-name"} title={row.name}>
          {texts.group(row.name)}
        </span>
        <span className="schema-line-type">{describeType(row)}</span>
        {errors.length > 0 ? (
          <span className="schema-line-error">{errors[0]?.text}</span>
        ) : (
          <span className="schema-line-summary" dir="auto">
            {row.json === undefined && summarizeRow(row).join(" · ")}
          </span>
        )}
      </button>
      {isOpen && <FieldPanel {...props} id={panel} />}
    </li>
  );
}

function describeType({ type, format, json }: FieldRow): string {
  if (json !== undefined) return texts.json;
  const known = formats.find((each) => each === format && each !== "");
  return type === "string" && known ? texts.formats[known] : texts.types[type];
}

function FieldPanel(props: FieldRowFormProps & { readonly id: string }) {
  const { id, row, errors, canManage, onChange, onRemove } = props;
  const kept = keptKeywords(row);
  const set = (part: Partial<FieldRow>) => onChange({ ...row, ...part });
  const errorOf = (part: string) => errors.find((error) => error.part === part)?.text;
  const isJson = row.json !== undefined;
  const form = fromJsonRow(row);
  const types = fieldTypes.filter((each) => each !== "other" || row.type === "other");
  return (
    <div id={id} className="schema-panel">
      <Field label={texts.name} error={errorOf("name")}>
        <input
          autoCapitalize="none"
          spellCheck={false}
          autoComplete="off"
          readOnly={!canManage}
          value={row.name}
          onChange={({ target }) => set({ name: target.value })}
        />
      </Field>
      {!isJson && (
        <Field label={texts.type}>
          <Select
            value={row.type}
            options={types}
            disabled={!canManage || row.type === "other"}
            getLabel={(each) => texts.types[each]}
            onChoose={(type) =>
              set({ type, ...(!canBeUnique(type) && { unique: false }), default: undefined })
            }
          />
        </Field>
      )}
      <div className="schema-switches schema-wide">
        <SwitchLine
          label={texts.required}
          checked={row.required}
          disabled={!canManage}
          onSwitch={(required) => set({ required })}
        />
        {!isJson && (
          <>
            <SwitchLine
              label={texts.unique}
              hint={texts.uniqueHint}
              checked={row.unique}
              disabled={!canManage || !canBeUnique(row.type) || row.type === "other"}
              onSwitch={(unique) => set({ unique })}
            />
            {row.type !== "any" && row.type !== "other" && (
              <SwitchLine
                label={texts.nullable}
                checked={row.nullable}
                disabled={!canManage}
                onSwitch={(nullable) => set({ nullable })}
              />
            )}
          </>
        )}
        {errorOf("x-unique") !== undefined && <p className="field-error">{errorOf("x-unique")}</p>}
      </div>
      {isJson ? (
        <Field label={texts.jsonLabel} error={errorOf("json")} className="schema-wide schema-json">
          <textarea
            spellCheck={false}
            autoCapitalize="none"
            rows={Math.max(4, Math.min(20, (row.json ?? "").split("\n").length + 1))}
            readOnly={!canManage}
            value={row.json}
            onChange={({ target }) => set({ json: target.value })}
          />
        </Field>
      ) : (
        row.type !== "other" && <Keywords row={row} errorOf={errorOf} canManage={canManage} set={set} />
      )}
      {!isJson && kept.length > 0 && <p className="hint schema-wide">{texts.also(kept.join(", "))}</p>}
      <OtherErrors errors={errors} row={row} />
      {canManage && (
        <div className="schema-wide schema-panel-foot">
          <Button
            kind="quiet"
            icon={<Braces aria-hidden />}
            disabled={form === undefined}
            onClick={() => form && onChange(isJson ? form : toJsonRow(row))}
          >
            {isJson ? texts.asForm : texts.asJson}
          </Button>
          <Button kind="destructive" icon={<Trash2 aria-hidden />} onClick={onRemove}>
            {texts.remove(row.name)}
          </Button>
        </div>
      )}
    </div>
  );
}

interface KeywordsProps {
  readonly row: FieldRow;
  readonly errorOf: (part: string) => string | undefined;
  readonly canManage: boolean;
  readonly set: (part: Partial<FieldRow>) => void;
}

/** What the schema says about values of the row's type. */
function Keywords({ row, errorOf, canManage, set }: KeywordsProps) {
  const { type } = row;
  const kept = keptKeywords(row);
  const line = (label: string, keyword: "title" | "description" | "pattern", hint?: ReactNode) => (
    <Field label={label} hint={hint} error={errorOf(keyword)}>
      <input
        autoComplete="off"
        spellCheck={keyword !== "pattern"}
        readOnly={!canManage}
        value={row[keyword]}
        onChange={({ target }) => set({ [keyword]: target.value })}
      />
    </Field>
  );
  return (
    <>
      {line(texts.title, "title")}
      {line(texts.description, "description")}
      {type === "string" && (
        <Field label={texts.format} error={errorOf("format")}>
          <Select
            value={formats.find((format) => format === row.format) ?? ""}
            options={formats}
            disabled={!canManage}
            getLabel={(format) => texts.formats[format]}
            onChoose={(format) => set({ format, default: undefined })}
          />
        </Field>
      )}
      {type === "string" && line(texts.pattern, "pattern", texts.patternHint)}
      {limitsOf(type).map((limit) => (
        <Field key={limit} label={texts.limits[limit]} error={errorOf(limit)}>
          <input
            inputMode="decimal"
            autoComplete="off"
            readOnly={!canManage}
            value={row.limits[limit] ?? ""}
            onChange={({ target }) => set({ limits: { ...row.limits, [limit]: target.value } })}
          />
        </Field>
      ))}
      {hasAllowedValues(type) && !kept.includes("enum") && (
        <TagsField
          className="schema-wide"
          label={texts.allowed}
          name={texts.allowed}
          hint={texts.allowedHint}
          error={errorOf("enum")}
          tags={row.allowed}
          readOnly={!canManage}
          onChange={(allowed) => set({ allowed })}
        />
      )}
      {type === "array" && !kept.includes("items") && (
        <>
          <Field label={texts.itemType} error={errorOf("items")}>
            <Select
              value={row.itemType}
              options={itemTypes}
              disabled={!canManage}
              getLabel={(each) => texts.types[each]}
              onChoose={(itemType) => set({ itemType, default: undefined })}
            />
          </Field>
          <div className="schema-switches">
            <SwitchLine
              label={texts.uniqueItems}
              checked={row.uniqueItems}
              disabled={!canManage}
              onSwitch={(uniqueItems) => set({ uniqueItems })}
            />
          </div>
          {row.itemType === "string" && (
            <TagsField
              className="schema-wide"
              label={texts.allowed}
              name={texts.allowed}
              hint={texts.allowedHint}
              tags={row.itemAllowed}
              readOnly={!canManage}
              onChange={(itemAllowed) => set({ itemAllowed })}
            />
          )}
        </>
      )}
      {!row.unique && (
        <ValueField
          className="schema-wide"
          spec={specOfRow(row)}
          label={texts.default}
          hint={texts.defaultHint}
          input={row.default}
          error={errorOf("default")}
          readOnly={!canManage}
          onChange={(value) => set({ default: value })}
        />
      )}
    </>
  );
}

/** Errors of keywords that have no input of their own. */
function OtherErrors({ errors, row }: { readonly errors: readonly RowError[]; readonly row: FieldRow }) {
  const shown = new Set<string>(
    row.json === undefined
      ? [
          "name",
          "x-unique",
          "title",
          "description",
          "format",
          "pattern",
          "enum",
          "items",
          "default",
          ...limitsOf(row.type),
        ]
      : ["name", "json"],
  );
  const others = errors.filter(({ part }) => !shown.has(part));
  if (others.length === 0) return null;
  return (
    <p className="field-error schema-wide" role="alert">
      {others.map(({ part, text }) => (part === "" ? text : `${part}: ${text}`)).join(" ")}
    </p>
  );
}

interface SwitchLineProps {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly disabled: boolean;
  readonly onSwitch: (checked: boolean) => void;
}

function SwitchLine({ label, hint, ...control }: SwitchLineProps) {
  const id = useId();
  const hintId = useId();
  return (
    <span className="switch-line" title={hint}>
      <Switch {...control} id={id} aria-describedby={hint === undefined ? undefined : hintId} />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <span id={hintId} className="hidden">
          {hint}
        </span>
      )}
    </span>
  );
}
