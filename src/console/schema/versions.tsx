import { useQuery } from "@tanstack/react-query";
import type { EventActor, SchemaVersion } from "../../client/index.ts";
import { actorLabel } from "../activity/describe-event.ts";
import { roster } from "../lib/api.ts";
import { useHasScope } from "../lib/session.ts";
import { useSteps } from "../lib/use-steps.ts";
import { formatNumber } from "../texts/format.ts";
import { schemaVersions as texts } from "../texts/schema.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton, copyWithToast } from "../ui/copy-button.tsx";
import { Copy, Undo2 } from "../ui/icons.ts";
import { List } from "../ui/list.tsx";
import type { ListColumn } from "../ui/list-table.tsx";
import { MenuItem } from "../ui/menu.tsx";
import { Section } from "../ui/section.tsx";
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
  const canRestore = ({ version, schema }: SchemaVersion) =>
    onRestore !== undefined && version !== current && !isRemoval(schema);
  return (
    <Section
      className="schema-section"
      title={texts.title}
      hint={texts.hint}
      tools={
        !isShown &&
        versions.error === null && (
          <Button busy={versions.isReading} onClick={versions.read}>
            {texts.show}
          </Button>
        )
      }
    >
      {(isShown || versions.isReading || versions.error !== null) && (
        <List
          label={texts.list}
          items={isShown ? versions.found : undefined}
          columns={versionColumns(current, authors)}
          idOf={({ version }) => version}
          nameOf={nameOf}
          details={(version) => <Snippet code={JSON.stringify(version.schema, undefined, 2)} />}
          menu={(version) => (
            <>
              {canRestore(version) && (
                <MenuItem icon={<Undo2 aria-hidden />} onSelect={() => onRestore?.(version)}>
                  {texts.restore}
                </MenuItem>
              )}
              <MenuItem
                icon={<Copy aria-hidden />}
                onSelect={() => void copyWithToast(JSON.stringify(version.schema, undefined, 2))}
              >
                {texts.copy}
              </MenuItem>
            </>
          )}
          error={versions.error}
          onRetry={versions.read}
          more={versions.isDone ? undefined : { isLoading: versions.isReading, load: versions.read }}
        />
      )}
    </Section>
  );
}

function versionColumns(
  current: number,
  authors: ReadonlyMap<number, EventActor> | undefined,
): readonly ListColumn<SchemaVersion>[] {
  return [
    {
      title: texts.columns.version,
      cell: (item) => (
        <>
          <span className="list-name">{nameOf(item)}</span>
          {item.version === current && <span className="badge good">{texts.current}</span>}
        </>
      ),
    },
    {
      title: texts.columns.fields,
      width: "minmax(8rem, 1fr)",
      cell: ({ schema }) => (isRemoval(schema) ? texts.removed : texts.fields(fieldsOf(schema))),
    },
    { title: texts.columns.saved, cell: ({ createdAt }) => <Timestamp iso={createdAt} /> },
    {
      title: texts.columns.by,
      cell: ({ version }) => {
        const author = authors?.get(version);
        return author ? actorLabel(author) : <span className="none">–</span>;
      },
    },
  ];
}

function Snippet({ code }: { readonly code: string }) {
  return (
    <div className="snippet">
      <pre>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} />
    </div>
  );
}

function nameOf({ version }: SchemaVersion): string {
  return texts.version(formatNumber(version));
}

function fieldsOf({ properties }: SchemaVersion["schema"]): readonly string[] {
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

/** An empty schema is stored when the schema is deleted. */
function isRemoval(schema: SchemaVersion["schema"]): boolean {
  return Object.keys(schema).length === 0;
}
