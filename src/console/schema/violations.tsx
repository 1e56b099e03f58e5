import { roster } from "../lib/api.ts";
import { useSteps } from "../lib/use-steps.ts";
import { formatNumber } from "../texts/format.ts";
import { violations as texts } from "../texts/schema.ts";
import { Button } from "../ui/button.tsx";
import { CircleCheck } from "../ui/icons.ts";
import { Section } from "../ui/section.tsx";
import { EmptyState } from "../ui/states.tsx";
import { ViolationList } from "./violation-list.tsx";

const STEP = 50;

/** Finds the users that do not conform to the saved schema. */
export function Violations({ isUnsaved }: { readonly isUnsaved: boolean }) {
  const search = useSteps((signal) => roster.schema.violations({ signal }), STEP);
  const { found, isDone, isReading, error, read, stop } = search;
  const isStarted = found.length > 0 || isDone || isReading || error !== null;
  const count = `${formatNumber(found.length)}${isDone ? "" : "+"}`;
  return (
    <Section
      className="schema-section"
      title={texts.title}
      count={found.length > 0 ? count : undefined}
      hint={isUnsaved ? texts.unsaved : texts.hint}
      tools={
        isReading ? (
          <Button onClick={stop}>{texts.stop}</Button>
        ) : (
          !isStarted && <Button onClick={read}>{texts.find}</Button>
        )
      }
    >
      {isStarted && (
        <ViolationList
          violations={isReading && found.length === 0 ? undefined : found}
          isComplete={isDone}
          error={error}
          onRetry={read}
          empty={<EmptyState icon={CircleCheck} title={texts.none} />}
          more={isDone ? undefined : { isLoading: isReading, load: read }}
        />
      )}
    </Section>
  );
}
