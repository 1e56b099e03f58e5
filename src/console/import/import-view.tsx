import { useState } from "react";
import { useMay } from "../lib/session.ts";
import { failures, importing as texts } from "../texts/index.ts";
import { Forbidden } from "../ui/states.tsx";
import { View } from "../ui/view.tsx";
import { ColumnStep } from "./column-step.tsx";
import { FileStep } from "./file-step.tsx";
import { beginRun, forgetRun, useRun } from "./import-run.ts";
import { RunStep } from "./run-step.tsx";
import type { Source } from "./source.ts";

/** Users from a file: choose it, say what its columns are, watch it go, see what became of it. */
export default function ImportView() {
  const run = useRun();
  const [source, setSource] = useState<Source>();
  const [moved, setMoved] = useState(false);
  const mayWrite = useMay("users:write");
  const choose = (chosen: Source | undefined) => {
    setMoved(true);
    setSource(chosen);
  };
  const again = () => {
    forgetRun();
    choose(undefined);
  };

  if (!mayWrite && !run) {
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
          onOther={() => choose(undefined)}
          onBegin={(targets) => beginRun(source, targets)}
        />
      ) : (
        <FileStep focused={moved} onSource={choose} />
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
