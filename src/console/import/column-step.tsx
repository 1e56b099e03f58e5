import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { conflictActions } from "../../contract/bulk/bulk.ts";
import { useHasScope } from "../lib/session.ts";
import { uniqueKeys } from "../lib/unique-keys.ts";
import { formatSize } from "../texts/format.ts";
import { importing as texts } from "../texts/import.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { CircleCheck } from "../ui/icons.ts";
import { Select, Suggestions } from "../ui/select.tsx";
import { Alert, Loading } from "../ui/states.tsx";
import { type FieldInfo, fieldsQuery, fieldValuesQuery, specOf } from "../users/field-info.ts";
import { checkFieldName } from "../users/fields.ts";
import { ColumnLine } from "./column-line.tsx";
import { readerLanguage } from "./column-profile.ts";
import type { ColumnType } from "./column-type.ts";
import { chooseAnotherFile, keepPlan, startCheck } from "./import-flow.ts";
import type { ConflictAction, ImportPlan } from "./import-plan.ts";
import {
  checkTargets,
  guessTargets,
  listTargetFields,
  type MatchTarget,
  matchTargets,
  missingFields,
  type Target,
} from "./mapping.ts";
import { Preview } from "./preview.tsx";
import type { Source } from "./source.ts";
import { StepTitle } from "./step-title.tsx";

interface ColumnStepProps {
  readonly source: Source;
  /** What the person chose before. */
  readonly plan: ImportPlan | undefined;
}

const noFields: readonly FieldInfo[] = [];

/** Maps columns to fields, with a preview of the first rows. Waits for the fields that the directory has. */
export function ColumnStep({ source, plan }: ColumnStepProps) {
  const { data: fields = noFields, isFetched } = useQuery(fieldsQuery);
  const guessed = useMemo(() => guess(source, fields), [source, fields]);
  // Dates are texts: the values of the users tell which texts are dates.
  const names = guessed.map((target, index) =>
    target.to === "custom" && source.columns[index]?.profile?.hasOnlyDates ? target.field : "",
  );
  const samples = useQueries({ queries: names.map((name) => fieldValuesQuery(name, "")) });
  // A key that may not read users gets no fields.
  if (!isFetched || samples.some(({ isLoading }) => isLoading)) return <Loading />;
  return <Columns source={source} plan={plan} guessed={guessed} directory={fields} />;
}

function guess({ columns }: Source, fields: readonly FieldInfo[]): readonly Target[] {
  return guessTargets(
    columns.map(({ header }) => header),
    fields.map(({ name }) => name),
    columns.map(({ examples }) => [...examples]),
  );
}

interface ColumnsProps extends ColumnStepProps {
  readonly guessed: readonly Target[];
  /** The custom fields of the directory. */
  readonly directory: readonly FieldInfo[];
}

function Columns({ source, plan, guessed, directory }: ColumnsProps) {
  const { columns, rowCount } = source;
  const queryClient = useQueryClient();
  const canUpdate = useHasScope("users:read");
  const [language] = useState(() => readerLanguage());
  const chooseType = (index: number, field: string): ColumnType | undefined => {
    const samples = queryClient.getQueryData(fieldValuesQuery(field, "").queryKey);
    const spec = specOf(
      field,
      directory.find(({ name }) => name === field),
      samples,
    );
    const { profile, types } = columns[index] ?? {};
    return types ? profile?.chooseOtherType(spec, types, language) : profile?.chooseType(spec, language);
  };
  const [targets, setTargets] = useState<readonly Target[]>(
    () =>
      plan?.targets ??
      guessed.map((target, index) =>
        target.to === "custom" ? { ...target, type: chooseType(index, target.field) } : target,
      ),
  );
  const [chosenAction, setChosenAction] = useState<ConflictAction>(plan?.onConflict ?? "fail");
  const keys = uniqueKeys(columns.map(({ header }) => header));
  const [chosenMatch, setChosenMatch] = useState<MatchTarget>(plan?.match ?? "email");
  const matches = matchTargets.filter((field) => targets.some(({ to }) => to === field));
  const match = matches.find((field) => field === chosenMatch) ?? matches[0] ?? chosenMatch;
  const onConflict = matches.length > 0 ? chosenAction : "fail";
  const errors = useMemo(
    () => checkTargets(targets, onConflict === "update" ? match : undefined),
    [targets, onConflict, match],
  );
  const missing = missingFields(
    targets,
    directory.flatMap(({ spec }) => spec ?? []),
  );
  const suggestions = useId();
  const unused = directory
    .map(({ name }) => name)
    .filter((name) => checkFieldName(name) === undefined && !listTargetFields(targets).includes(name));
  const isTyped = targets.some((target) => target.to === "custom" && target.type);
  const isBroken = errors.general !== undefined || errors.columns.some((error) => error !== undefined);
  const keep = (part: Partial<ImportPlan>) =>
    keepPlan({ source, targets, onConflict: chosenAction, match: chosenMatch, ...part });
  const change = (index: number, target: Target) => {
    const changed = targets.with(index, target);
    setTargets(changed);
    keep({ targets: changed });
  };

  return (
    <>
      <section className="import-step">
        <div className="import-file">
          <div>
            <StepTitle>{source.name}</StepTitle>
            <p className="hint">{describeFile(source)}</p>
          </div>
          <Button onClick={chooseAnotherFile}>{texts.columns.otherFile}</Button>
        </div>
        <div className="card import-columns" data-typed={isTyped || undefined}>
          <p className="hint">{texts.columns.lead}</p>
          <ul>
            {columns.map((column, index) => (
              <ColumnLine
                key={keys[index]}
                position={index + 1}
                column={column}
                target={targets[index] ?? { to: "skip" }}
                error={errors.columns[index]}
                suggestions={suggestions}
                chooseType={(field) => chooseType(index, field)}
                onChange={(target) => change(index, target)}
              />
            ))}
          </ul>
          <Suggestions id={suggestions} values={unused} />
          {missing.length > 0 && (
            <p className="warning" role="status">
              {texts.columns.missing(missing, onConflict)}
            </p>
          )}
          {matches.length > 0 && (
            <Field
              className="import-conflict"
              label={texts.conflict.label}
              hint={canUpdate ? texts.conflict.hint(match) : texts.conflict.noUpdate(match)}
            >
              <Select
                value={chosenAction}
                options={conflictActions.filter((action) => canUpdate || action !== "update")}
                getLabel={(action) => texts.conflict.actions[action]}
                onChoose={(action) => {
                  setChosenAction(action);
                  keep({ onConflict: action });
                }}
              />
            </Field>
          )}
          {matches.length > 1 && onConflict !== "fail" && (
            <Field className="import-conflict" label={texts.conflict.match}>
              <Select
                value={match}
                options={matches}
                getLabel={(field) => texts.columns.targets[field]}
                onChoose={(field) => {
                  setChosenMatch(field);
                  keep({ match: field });
                }}
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
      <Preview source={source} targets={targets} />
      <div className="import-begin">
        <Button
          kind="primary"
          icon={<CircleCheck aria-hidden />}
          disabled={isBroken}
          onClick={() => startCheck({ source, targets, onConflict, match })}
        >
          {texts.columns.check(rowCount)}
        </Button>
        <p className="hint" role="status">
          {isBroken ? texts.columns.broken : texts.columns.next}
        </p>
      </div>
    </>
  );
}

function describeFile({ kind, delimiter, encoding, rowCount, size }: Source): string {
  const format = delimiter === undefined ? texts.kinds[kind] : texts.columns.csv(delimiter);
  return [format, texts.encodings[encoding], texts.columns.rows(rowCount), formatSize(size)].join(", ");
}
