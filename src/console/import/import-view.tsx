import { useObservable } from "../lib/observable.ts";
import { importing as texts } from "../texts/import.ts";
import { View } from "../ui/view.tsx";
import { CheckStep } from "./check-step.tsx";
import { ColumnStep } from "./column-step.tsx";
import { FileStep } from "./file-step.tsx";
import { chooseAnotherFile, importStep } from "./import-flow.ts";
import { RunStep } from "./run-step.tsx";

/** Imports users from a file in steps: choose it, map its columns, check all rows, import them. */
export default function ImportView() {
  const step = useObservable(importStep);
  return (
    <View name="import" title={texts.title} lead={texts.lead} aside={<Steps at={step.at} />}>
      {step.at === "file" && <FileStep shouldFocus={step.shouldFocus} />}
      {step.at === "columns" && <ColumnStep source={step.source} kind={step.kind} plan={step.plan} />}
      {step.at === "check" && <CheckStep check={step.check} />}
      {step.at === "run" && <RunStep run={step.run} onAnother={chooseAnotherFile} />}
    </View>
  );
}

const steps = ["file", "columns", "check", "run"] as const;

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
