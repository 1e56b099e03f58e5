import { Observable } from "../lib/observable.ts";
import { ImportCheck } from "./import-check.ts";
import type { ImportKind } from "./import-kinds.ts";
import type { ImportPlan } from "./import-plan.ts";
import { ImportRun } from "./import-run.ts";
import { importStatus } from "./import-status.ts";
import type { Source } from "./source.ts";
import { isSameFile, type UnfinishedImport } from "./unfinished-import.ts";

/**
 * The steps of an import. `shouldFocus`: the person came from another step. `columns` without a plan: the columns have no targets yet.
 */
type Step =
  | { readonly at: "file"; readonly shouldFocus: boolean }
  | {
      readonly at: "columns";
      readonly source: Source;
      readonly kind: ImportKind;
      readonly plan?: ImportPlan;
    }
  | { readonly at: "check"; readonly check: ImportCheck }
  | { readonly at: "run"; readonly run: ImportRun };

/** Where the import is. The steps stay, and continue, while other views are shown. */
export const importStep = new Observable<Step>({ at: "file", shouldFocus: false });

/** What the rows of the next file are. */
export const chosenKind = new Observable<ImportKind>("users");

export function chooseSource(source: Source, kind: ImportKind): void {
  importStep.set({ at: "columns", source, kind });
}

export function chooseAnotherFile(): void {
  leaveStep();
  importStep.set({ at: "file", shouldFocus: true });
}

/** Keeps the plan while another view is shown. */
export function keepPlan(plan: ImportPlan): void {
  importStep.set({ at: "columns", source: plan.source, kind: plan.kind, plan });
}

/** `withTrial`: see `ImportCheck`. */
export function startCheck(plan: ImportPlan, { withTrial = true } = {}): void {
  leaveStep();
  importStep.set({ at: "check", check: new ImportCheck(plan, { withTrial }) });
}

/** Shows the columns of a check again. */
export function changeColumns({ plan }: ImportCheck): void {
  leaveStep();
  keepPlan(plan);
}

/** Does nothing unless all rows are checked, nor after a double click. */
export function startImport(check: ImportCheck): void {
  const step = importStep.get();
  const { result } = check.progress.get();
  if (step.at !== "check" || step.check !== check || result?.rows !== check.plan.source.rowCount) return;
  leaveStep();
  importStep.set({ at: "run", run: new ImportRun(check.plan) });
}

/** Continues an import of an earlier page. Returns false if this is another file. */
export function continueImport(unfinished: UnfinishedImport, source: Source): boolean {
  if (!isSameFile(unfinished, source)) return false;
  const { kind, targets, action, match } = unfinished;
  const plan = { source, kind, targets, action, match };
  importStep.set({ at: "run", run: new ImportRun(plan, unfinished) });
  return true;
}

function leaveStep(): void {
  const step = importStep.get();
  if (step.at === "check") step.check.stop();
  importStatus.set(undefined);
}
