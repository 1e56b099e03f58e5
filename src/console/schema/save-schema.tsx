import { useMutation } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import type { CurrentSchema, JsonSchema, SchemaCheck } from "../../client/index.ts";
import { isProblem, promptIfSignedOut, roster } from "../lib/api.ts";
import { formatNumber } from "../texts/format.ts";
import { shell } from "../texts/index.ts";
import { saveSchema as texts } from "../texts/schema.ts";
import { Button } from "../ui/button.tsx";
import { CircleCheck } from "../ui/icons.ts";
import { Modal } from "../ui/modal.tsx";
import { Progress } from "../ui/progress.tsx";
import { showToast } from "../ui/toasts.tsx";
import { setCachedSchema, unsavedSchema } from "./queries.ts";
import { ViolationList } from "./violation-list.tsx";

interface SaveSchemaProps {
  readonly schema: JsonSchema;
  /** Whether the key may read users, which a check does. */
  readonly checksUsers: boolean;
  /** The version that the schema replaces. */
  readonly version: number;
  /** The service does not accept the schema. */
  readonly onRefused: (error: unknown) => void;
  /** Drops the changes. */
  readonly onReset: () => void;
  readonly onClose: () => void;
}

/** Checks all users if the key allows it, shows which of them would not conform, and saves the schema. */
export function SaveSchema({ schema, checksUsers, version, onRefused, onReset, onClose }: SaveSchemaProps) {
  const { result, progress } = useCheck(checksUsers ? schema : undefined, onRefused);
  const [theirs, setTheirs] = useState<CurrentSchema>();
  const save = useMutation({
    mutationFn: (ifMatch: number) => roster.schema.set(schema, { ifMatch }),
    onSuccess: (saved) => {
      setCachedSchema(saved);
      onReset();
      showToast({ title: texts.saved(formatNumber(saved.version)) });
      onClose();
    },
    onError: async (error) => {
      if (!isProblem(error, "version-mismatch")) return onRefused(error);
      try {
        setTheirs(await roster.schema.get());
      } catch (readError) {
        onRefused(readError);
      }
    },
  });
  const isViolated = (result?.violating ?? 0) > 0;
  if (theirs) {
    const takeTheirs = () => {
      setCachedSchema(theirs);
      onReset();
      onClose();
    };
    const isRemoved = Object.keys(theirs.schema).length === 0;
    return (
      <Modal
        open
        onClose={onClose}
        title={texts.conflict.title}
        lead={isRemoved ? texts.conflict.removed : texts.conflict.text(formatNumber(theirs.version))}
        actions={
          <>
            <Button disabled={save.isPending} onClick={takeTheirs}>
              {texts.conflict.theirs}
            </Button>
            <Button
              kind="primary"
              busy={save.isPending}
              onClick={() => {
                keepMine(theirs);
                save.mutate(theirs.version);
              }}
            >
              {texts.conflict.mine}
            </Button>
          </>
        }
      />
    );
  }
  return (
    <Modal
      open
      wide
      onClose={onClose}
      title={texts.title}
      actions={
        <>
          <Button disabled={save.isPending} onClick={onClose}>
            {shell.cancel}
          </Button>
          <Button
            kind="primary"
            disabled={checksUsers && result === undefined}
            busy={save.isPending}
            onClick={() => save.mutate(version)}
          >
            {isViolated ? texts.saveAnyway : texts.save}
          </Button>
        </>
      }
    >
      {!checksUsers ? (
        <p className="warning" role="status">
          {texts.unchecked}
        </p>
      ) : result ? (
        <CheckResult result={result} />
      ) : (
        <Progress
          label={texts.checking}
          value={progress && progress.total > 0 ? progress.checked : null}
          max={progress?.total ?? 0}
          text={
            progress && progress.total > 0
              ? texts.progress(formatNumber(progress.checked), formatNumber(progress.total))
              : texts.checking
          }
        />
      )}
    </Modal>
  );
}

/** The next save replaces their version. */
function keepMine({ version }: CurrentSchema): void {
  const unsaved = unsavedSchema.get();
  if (unsaved) unsavedSchema.set({ ...unsaved, version });
}

function CheckResult({ result: { checked, violating, violations } }: { readonly result: SchemaCheck }) {
  if (violating === 0) {
    return (
      <p className="notice test-result" role="status">
        <CircleCheck aria-hidden />
        {checked === 0 ? texts.noUsers : texts.conform(formatNumber(checked))}
      </p>
    );
  }
  return (
    <>
      <p className="warning" role="status">
        {texts.violating(formatNumber(violating), formatNumber(checked))}
      </p>
      <ViolationList violations={violations} isComplete={violations.length === violating} />
    </>
  );
}

interface CheckProgress {
  readonly checked: number;
  readonly total: number;
}

/** Checks the schema and all users, until the dialog closes. Does nothing without a schema. */
function useCheck(schema: JsonSchema | undefined, onRefused: (error: unknown) => void) {
  const [result, setResult] = useState<SchemaCheck>();
  const [progress, setProgress] = useState<CheckProgress>();
  const refuse = useEffectEvent(onRefused);
  useEffect(() => {
    if (!schema) return;
    const stop = new AbortController();
    roster.schema.check(schema, { signal: stop.signal, onProgress: setProgress }).then(setResult, (error) => {
      if (stop.signal.aborted) return;
      promptIfSignedOut(error);
      refuse(error);
    });
    return () => stop.abort();
  }, [schema]);
  return { result, progress };
}
