import { LockKeyhole } from "lucide-react";
import { useState } from "react";
import { changeKey } from "../app/session.ts";
import { useMay } from "../app/who.ts";
import { failures, importing as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { State } from "../ui/states.tsx";
import { ColumnStep } from "./column-step.tsx";
import { FileStep } from "./file-step.tsx";
import { beginRun, forgetRun, useRun } from "./run.ts";
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

  if (!mayWrite && !run) return <Forbidden />;
  return (
    <div className="view import">
      <header className="view-head">
        <div>
          <h1 className="view-title">{texts.title}</h1>
          <p className="lead">{texts.lead}</p>
        </div>
        <Steps at={run ? "run" : source ? "columns" : "file"} />
      </header>
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
    </div>
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

function Forbidden() {
  const { title, text } = failures.forbidden("users:write");
  return (
    <div className="view import">
      <h1 className="view-title">{texts.title}</h1>
      <State icon={LockKeyhole} title={title} text={text}>
        <Button kind="primary" onClick={changeKey}>
          {failures.otherKey}
        </Button>
      </State>
    </div>
  );
}
