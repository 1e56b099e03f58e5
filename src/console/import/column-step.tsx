import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { conflictActions } from "../../contract/bulk/bulk.ts";
import { uniqueKeys } from "../lib/unique-keys.ts";
import { formatSize } from "../texts/format.ts";
import { importing as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Upload } from "../ui/icons.ts";
import { Select } from "../ui/select.tsx";
import { Alert, Loading } from "../ui/states.tsx";
import { type FieldInfo, fieldsQuery } from "../users/field-info.ts";
import { addFailures, checkSample, hasErrors } from "./check-row.ts";
import { type ColumnType, columnTypes } from "./column-type.ts";
import { type DirectoryCheck, useDirectoryCheck } from "./directory-check.ts";
import type { ConflictAction } from "./import-run.ts";
import {
  checkTargets,
  guessTargets,
  listTargetFields,
  skipReason,
  suggestField,
  type Target,
} from "./mapping.ts";
import { Preview } from "./preview.tsx";
import type { Column, Source } from "./source.ts";
import { StepTitle } from "./step-title.tsx";

interface ColumnStepProps {
  readonly source: Source;
  readonly onChooseAnother: () => void;
  readonly onStart: (targets: readonly Target[], onConflict: ConflictAction) => void;
}

/** Maps columns to fields, with a preview of the first rows. Waits for the fields that the directory has. */
export function ColumnStep(props: ColumnStepProps) {
  const { data: fields = [], isPending } = useQuery(fieldsQuery);
  return isPending ? <Loading /> : <Columns {...props} directory={fields} />;
}

interface ColumnsProps extends ColumnStepProps {
  /** The custom fields of the directory. */
  readonly directory: readonly FieldInfo[];
}

function Columns({ source, directory, onChooseAnother, onStart }: ColumnsProps) {
  const chooseType = (index: number, field: string) =>
    source.chooseType(
      index,
      directory.find(({ name }) => name === field),
    );
  const [targets, setTargets] = useState<readonly Target[]>(() => {
    const { columns } = source;
    const guessed = guessTargets(
      columns.map(({ header }) => header),
      directory.map(({ name }) => name),
      columns.map(({ examples }) => examples),
    );
    return guessed.map((target, index) =>
      target.to === "custom" ? { ...target, type: chooseType(index, target.field) } : target,
    );
  });
  const keys = uniqueKeys(source.columns.map(({ header }) => header));
  const [chosenAction, setOnConflict] = useState<ConflictAction>("fail");
  // Rows find users by email.
  const hasEmail = targets.some(({ to }) => to === "email");
  const onConflict = hasEmail ? chosenAction : "fail";
  const errors = useMemo(() => checkTargets(targets, onConflict === "update"), [targets, onConflict]);
  const checked = useMemo(() => checkSample(source, targets, onConflict), [source, targets, onConflict]);
  const isBroken = errors.general !== undefined || errors.columns.some((error) => error !== undefined);
  const check = useDirectoryCheck(source, targets, onConflict, !isBroken);
  const rows = addFailures(checked, check.data?.failed ?? [], listTargetFields(targets));
  const change = (index: number, target: Target) =>
    setTargets((before) => before.map((previous, at) => (at === index ? target : previous)));

  return (
    <>
      <section className="import-step">
        <div className="import-file">
          <div>
            <StepTitle>{source.name}</StepTitle>
            <p className="hint">
              {texts.columns.about(
                texts.kinds[source.kind],
                formatSize(source.size),
                texts.encodings[source.encoding],
              )}
            </p>
          </div>
          <Button onClick={onChooseAnother}>{texts.columns.otherFile}</Button>
        </div>
        <div className="card import-columns" data-typed={source.kind === "csv" || undefined}>
          <p className="hint">{texts.columns.lead}</p>
          <ul>
            {source.columns.map((column, index) => (
              <ColumnLine
                key={keys[index]}
                position={index + 1}
                column={column}
                target={targets[index] ?? { to: "skip" }}
                error={errors.columns[index]}
                chooseType={(field) => chooseType(index, field)}
                onChange={(target) => change(index, target)}
              />
            ))}
          </ul>
          {hasEmail && (
            <Field className="import-conflict" label={texts.conflict.label} hint={texts.conflict.hint}>
              <Select
                value={chosenAction}
                options={conflictActions}
                getLabel={(action) => texts.conflict.actions[action]}
                onChoose={setOnConflict}
              />
            </Field>
          )}
          {errors.general !== undefined ? (
            <Alert>{errors.general}</Alert>
          ) : (
            targets.filter(({ to }) => to === "name").length > 1 && (
              <p className="hint">{texts.columns.joined}</p>
            )
          )}
        </div>
      </section>
      <Preview source={source} targets={targets} rows={rows}>
        {!isBroken && <p role="status">{describeCheck(source, check, onConflict)}</p>}
      </Preview>
      <div className="import-begin">
        <Button
          kind="primary"
          icon={<Upload aria-hidden />}
          disabled={isBroken}
          onClick={() => onStart(targets, onConflict)}
        >
          {source.isComplete ? texts.columns.startAll(source.sample.length) : texts.columns.start}
        </Button>
        <p className="hint" role="status">
          {isBroken ? texts.columns.broken : rows.some(hasErrors) && texts.columns.startWithErrors}
        </p>
      </div>
    </>
  );
}

function describeCheck(
  { isComplete, sample }: Source,
  { data, isError }: { readonly data: DirectoryCheck | undefined; readonly isError: boolean },
  onConflict: ConflictAction,
): string {
  if (isError) return texts.conflict.unchecked;
  if (!data) return texts.conflict.checking;
  return texts.conflict.result(data, onConflict, isComplete && data.rows === sample.length);
}

interface ColumnLineProps {
  /** Counted from 1. */
  readonly position: number;
  readonly column: Column;
  readonly target: Target;
  readonly error: string | undefined;
  readonly chooseType: (field: string) => ColumnType | undefined;
  readonly onChange: (target: Target) => void;
}

const choices = ["name", "email", "custom", "skip"] as const;

function ColumnLine(props: ColumnLineProps) {
  const { position, column, target, error, chooseType, onChange } = props;
  const { header, examples } = column;
  const [field, setField] = useState(() =>
    target.to === "custom" ? target.field : suggestField(header, position - 1),
  );
  const label = header === "" ? texts.columns.unnamed(position) : header;
  const reason = target.to === "skip" ? skipReason(header) : undefined;
  const choose = (to: (typeof choices)[number]) =>
    onChange(to === "custom" ? { to, field, type: chooseType(field) } : { to });
  const isCustom = target.to === "custom";
  return (
    <li className="import-column" data-skipped={target.to === "skip" || undefined}>
      <Field
        className="import-target"
        label={label}
        hint={reason ?? (examples.length > 0 ? examples.join(" · ") : texts.columns.noExamples)}
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
            value={target.field}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            onChange={({ target: { value } }) => {
              setField(value);
              onChange({ to: "custom", field: value, type: chooseType(value) });
            }}
          />
        </Field>
      )}
      {isCustom && target.type && (
        <Field className="import-type" label={texts.columns.type(label)} hideLabel>
          <Select
            value={target.type}
            options={columnTypes}
            getLabel={(type) => texts.columns.types[type]}
            onChoose={(type) => onChange({ ...target, type })}
          />
        </Field>
      )}
    </li>
  );
}
