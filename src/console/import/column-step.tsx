import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
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
import { ColumnLine } from "./column-line.tsx";
import { readerLanguage } from "./column-profile.ts";
import type { ColumnType } from "./column-type.ts";
import { chooseAnotherFile, keepPlan, startCheck } from "./import-flow.ts";
import { type ImportAction, type ImportKind, kinds, type MatchTarget } from "./import-kinds.ts";
import type { ImportPlan } from "./import-plan.ts";
import { checkTargets, guessTargets, listTargetFields, missingFields, type Target } from "./mapping.ts";
import { Preview } from "./preview.tsx";
import type { Source } from "./source.ts";
import { StepTitle } from "./step-title.tsx";

interface ColumnStepProps {
  readonly source: Source;
  readonly kind: ImportKind;
  /** What the person chose before. */
  readonly plan: ImportPlan | undefined;
}

const noFields: readonly FieldInfo[] = [];

/** Maps columns to fields, with a preview of the first rows. Waits for the fields that the directory has. */
export function ColumnStep({ source, kind, plan }: ColumnStepProps) {
  // The directory of fields is that of users.
  const { data = noFields, isFetched } = useQuery({ ...fieldsQuery, enabled: kind === "users" });
  const fields = kind === "users" ? data : noFields;
  const guessed = useMemo(() => guess(source, fields, kind), [source, fields, kind]);
  // Dates are texts: the values of the users tell which texts are dates.
  const names = guessed.map((target, index) =>
    target.to === "custom" && source.columns[index]?.profile?.hasOnlyDates ? target.field : "",
  );
  const samples = useQueries({ queries: names.map((name) => fieldValuesQuery(name, "")) });
  // A key that may not read users gets no fields.
  if ((kind === "users" && !isFetched) || samples.some(({ isLoading }) => isLoading)) return <Loading />;
  return <Columns source={source} kind={kind} plan={plan} guessed={guessed} directory={fields} />;
}

function guess({ columns }: Source, fields: readonly FieldInfo[], kind: ImportKind): readonly Target[] {
  return guessTargets(
    columns.map(({ header }) => header),
    fields.map(({ name }) => name),
    columns.map(({ examples }) => [...examples]),
    kind,
  );
}

interface ColumnsProps extends ColumnStepProps {
  readonly guessed: readonly Target[];
  /** The custom fields of the directory. */
  readonly directory: readonly FieldInfo[];
}

function Columns({ source, kind, plan, guessed, directory }: ColumnsProps) {
  const { columns, rowCount } = source;
  const { actions, checkName, matches: possible, updateScope } = kinds[kind];
  const queryClient = useQueryClient();
  const canUpdate = useHasScope(updateScope);
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
  const [chosenAction, setChosenAction] = useState<ImportAction>(plan?.action ?? actions[0] ?? "fail");
  const keys = uniqueKeys(columns.map(({ header }) => header));
  const [chosenMatch, setChosenMatch] = useState<MatchTarget>(plan?.match ?? possible[0] ?? "name");
  const matches = possible.filter((field) => targets.some(({ to }) => to === field));
  const match = matches.find((field) => field === chosenMatch) ?? matches[0] ?? chosenMatch;
  const hasAction = possible.length === 0 || matches.length > 0;
  const action = hasAction ? chosenAction : "fail";
  const errors = useMemo(
    () => checkTargets(targets, action === "update" ? match : undefined, kind),
    [targets, action, match, kind],
  );
  const missing = missingFields(
    targets,
    directory.flatMap(({ spec }) => spec ?? []),
  );
  const suggestions = useId();
  const unused = directory
    .map(({ name }) => name)
    .filter((name) => checkName(name) === undefined && !listTargetFields(targets).includes(name));
  const isTyped = targets.some((target) => target.to === "custom" && target.type);
  const isBroken = errors.general !== undefined || errors.columns.some((error) => error !== undefined);
  const keep = (part: Partial<ImportPlan>) =>
    keepPlan({ source, kind, targets, action: chosenAction, match: chosenMatch, ...part });
  const hint =
    matches.length === 0
      ? texts.conflict.memberships
      : canUpdate
        ? texts.conflict.hint(match)
        : texts.conflict.noUpdate(match, texts.of[kind].noUpdate);
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
            <p className="hint">{describeFile(source, kind)}</p>
          </div>
          <Button onClick={chooseAnotherFile}>{texts.columns.otherFile}</Button>
        </div>
        <div className="card import-columns" data-typed={isTyped || undefined}>
          <p className="hint">{texts.columns.lead}</p>
          <ul>
            {columns.map((column, index) => (
              <ColumnLine
                key={keys[index]}
                kind={kind}
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
              {texts.columns.missing(missing, action)}
            </p>
          )}
          {hasAction && (
            <Field className="import-conflict" label={texts.of[kind].exists} hint={hint}>
              <Select
                value={chosenAction}
                options={actions.filter((each) => canUpdate || each !== "update")}
                getLabel={(each) => texts.conflict.action(each, texts.of[kind].update)}
                onChoose={(next) => {
                  setChosenAction(next);
                  keep({ action: next });
                }}
              />
            </Field>
          )}
          {matches.length > 1 && action !== "fail" && (
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
      <Preview kind={kind} source={source} targets={targets} />
      <div className="import-begin">
        <Button
          kind="primary"
          icon={<CircleCheck aria-hidden />}
          disabled={isBroken}
          onClick={() => startCheck({ source, kind, targets, action, match })}
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

function describeFile({ kind, delimiter, encoding, rowCount, size }: Source, rowKind: ImportKind): string {
  const format = delimiter === undefined ? texts.kinds[kind] : texts.columns.csv(delimiter);
  return [
    texts.of[rowKind].name,
    format,
    texts.encodings[encoding],
    texts.columns.rows(rowCount),
    formatSize(size),
  ].join(", ");
}
