import { useState } from "react";
import { useHasScope } from "../lib/session.ts";
import { failures, importing as texts } from "../texts/index.ts";
import { Forbidden } from "../ui/states.tsx";
import { View } from "../ui/view.tsx";
import { ColumnStep } from "./column-step.tsx";
import { FileStep } from "./file-step.tsx";
import { clearImport, startImport, useImportRun } from "./import-run.ts";
import { RunStep } from "./run-step.tsx";
import type { Source } from "./source.ts";

/** Imports users from a file in three steps: choose it, map its columns, run the import. */
export default function ImportView() {
  const run = useImportRun();
  const [source, setSource] = useState<Source>();
  const [moved, setMoved] = useState(false);
  const canWrite = useHasScope("users:write");
  const choose = (chosen: Source | undefined) => {
    setMoved(true);
    setSource(chosen);
  };
  const again = () => {
    clearImport();
    choose(undefined);
  };

  if (!canWrite && !run) {
    return (
      <View name="import" title={texts.title}>
        <Forbidden {...failures.forbidden("users:write")} />
      </View>
    );
  }
  return (
    <View
      name="import"
      title={texts.title}
      lead={texts.lead}
      aside={<Steps at={run ? "run" : source ? "columns" : "file"} />}
    >
      {run ? (
        <RunStep run={run} onAnother={again} />
      ) : source ? (
        <ColumnStep
          source={source}
          onChooseAnother={() => choose(undefined)}
          onStart={(targets, onConflict) => startImport(source, targets, onConflict)}
        />
      ) : (
        <FileStep shouldFocus={moved} onSource={choose} />
      )}
    </View>
  );
}

const steps = ["file", "columns", "run"] as const;

function Steps({ at }: { readonly at: (typeof steps)[number] }) {
  return (
    <ol className="import-steps" aria-label={texts.steps.label}>
      {steps.map((step) => (
        <li
          key={step}
          aria-current={step === at ? "step" : undefined}
          data-past={steps.indexOf(step) < steps.indexOf(at) || undefined}
        >
          {texts.steps[step]}
        </li>
      ))}
    </ol>
  );
}
