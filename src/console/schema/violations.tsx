import { roster } from "../lib/api.ts";
import { useSteps } from "../lib/use-steps.ts";
import { violations as texts } from "../texts/schema.ts";
import { Button } from "../ui/button.tsx";
import { CircleCheck } from "../ui/icons.ts";
import { Section } from "../ui/section.tsx";
import { ErrorState } from "../ui/states.tsx";
import { ViolationList } from "./violation-list.tsx";

const STEP = 50;

/** Finds the users that do not conform to the saved schema. */
export function Violations({ isUnsaved }: { readonly isUnsaved: boolean }) {
  const search = useSteps((signal) => roster.schema.violations({ signal }), STEP);
  return (
    <Section
      className="schema-section"
      title={texts.title}
      hint={isUnsaved ? texts.unsaved : texts.hint}
      tools={
        !search.isDone && (
          <div className="actions">
            {search.isReading && <Button onClick={search.stop}>{texts.stop}</Button>}
            <Button busy={search.isReading} onClick={search.read}>
              {search.found.length > 0 ? texts.more : texts.find}
            </Button>
          </div>
        )
      }
    >
      {search.error ? (
        <ErrorState error={search.error} retry={search.read} />
      ) : search.found.length > 0 ? (
        <ViolationList violations={search.found} />
      ) : (
        search.isDone && (
          <p className="notice test-result" role="status">
            <CircleCheck aria-hidden />
            {texts.none}
          </p>
        )
      )}
    </Section>
  );
}
