import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { EventActor, SchemaVersion } from "../../client/index.ts";
import { actorLabel } from "../activity/describe-event.ts";
import { roster } from "../lib/api.ts";
import { useHasScope } from "../lib/session.ts";
import { useSteps } from "../lib/use-steps.ts";
import { formatNumber } from "../texts/format.ts";
import { schemaVersions as texts } from "../texts/schema.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Eye, Undo2 } from "../ui/icons.ts";
import { Modal } from "../ui/modal.tsx";
import { Section } from "../ui/section.tsx";
import { ErrorState } from "../ui/states.tsx";
import { Timestamp } from "../ui/timestamp.tsx";
import { schemaAuthorsQuery } from "./queries.ts";

const STEP = 10;

interface VersionsProps {
  readonly current: number;
  /** Undefined without the scope, and while there are unsaved changes. */
  readonly onRestore: ((version: SchemaVersion) => void) | undefined;
}

/** Every version of the schema, with who saved it. */
export function Versions({ current, onRestore }: VersionsProps) {
  const versions = useSteps((signal) => roster.schema.versions({ signal }), STEP);
  const canReadEvents = useHasScope("events:read");
  const isShown = versions.found.length > 0;
  const authors = useQuery({ ...schemaAuthorsQuery(current), enabled: isShown && canReadEvents }).data;
  const [viewed, setViewed] = useState<SchemaVersion>();
  const restore = (version: SchemaVersion) => {
    setViewed(undefined);
    onRestore?.(version);
  };
  const canRestore = ({ version, schema }: SchemaVersion) =>
    onRestore !== undefined && version !== current && !isRemoval(schema);
  return (
    <Section
      className="schema-section"
      title={texts.title}
      hint={texts.hint}
      tools={
        !isShown && (
          <Button busy={versions.isReading} onClick={versions.read}>
            {texts.show}
          </Button>
        )
      }
    >
      {versions.error ? (
        <ErrorState error={versions.error} retry={versions.read} />
      ) : (
        isShown && (
          <ul className="rows" aria-label={texts.list}>
            {versions.found.map((each) => (
              <VersionItem
                key={each.version}
                item={each}
                isCurrent={each.version === current}
                author={authors?.get(each.version)}
                onView={() => setViewed(each)}
                {...(canRestore(each) && { onRestore: () => restore(each) })}
              />
            ))}
          </ul>
        )
      )}
      {isShown && !versions.isDone && (
        <div className="feed-rest">
          <Button busy={versions.isReading} onClick={versions.read}>
            {texts.more}
          </Button>
        </div>
      )}
      {viewed && (
        <Modal
          open
          wide
          onClose={() => setViewed(undefined)}
          title={texts.version(formatNumber(viewed.version))}
          actions={
            canRestore(viewed) && (
              <Button kind="primary" icon={<Undo2 aria-hidden />} onClick={() => restore(viewed)}>
                {texts.restoreThis}
              </Button>
            )
          }
        >
          <div className="snippet">
            <pre>
              <code>{JSON.stringify(viewed.schema, undefined, 2)}</code>
            </pre>
            <CopyButton text={JSON.stringify(viewed.schema, undefined, 2)} />
          </div>
        </Modal>
      )}
    </Section>
  );
}

interface VersionItemProps {
  readonly item: SchemaVersion;
  readonly isCurrent: boolean;
  /** Undefined if unknown. */
  readonly author: EventActor | undefined;
  readonly onView: () => void;
  readonly onRestore?: () => void;
}

function VersionItem({ item, isCurrent, author, onView, onRestore }: VersionItemProps) {
  const { version, createdAt, schema } = item;
  const number = formatNumber(version);
  const { properties } = schema;
  const fields = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return (
    <li className="row-item">
      <div className="row-main">
        <div className="row-title">
          <h3 className="row-name">{texts.version(number)}</h3>
          {isCurrent && <span className="badge good">{texts.current}</span>}
        </div>
        <p className="hint">{isRemoval(schema) ? texts.removed : texts.fields(fields)}</p>
        <p className="hint">
          {texts.saved} <Timestamp iso={createdAt} />
          {author && (
            <>
              {" "}
              {texts.by} <strong>{actorLabel(author)}</strong>
            </>
          )}
        </p>
      </div>
      {!isRemoval(schema) && (
        <div className="row-actions">
          <Button
            kind="quiet"
            icon={<Eye aria-hidden />}
            aria-label={texts.viewVersion(number)}
            onClick={onView}
          >
            {texts.view}
          </Button>
          {onRestore && (
            <Button
              icon={<Undo2 aria-hidden />}
              aria-label={texts.restoreVersion(number)}
              onClick={onRestore}
            >
              {texts.restore}
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

/** An empty schema is stored when the schema is deleted. */
function isRemoval(schema: SchemaVersion["schema"]): boolean {
  return Object.keys(schema).length === 0;
}
