import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useMemo, useState } from "react";
import type { CurrentSchema, JsonSchema } from "../../client/index.ts";
import { useObservable } from "../lib/observable.ts";
import { useHasScope } from "../lib/session.ts";
import { useConfirmBeforeUnload } from "../lib/unsaved-changes.ts";
import { formatNumber } from "../texts/format.ts";
import { schema as texts } from "../texts/schema.ts";
import { Button } from "../ui/button.tsx";
import { Braces, Trash2 } from "../ui/icons.ts";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { showErrorToast } from "../ui/toasts.tsx";
import { View } from "../ui/view.tsx";
import { DeleteSchema } from "./delete-schema.tsx";
import { draftFromUsers } from "./draft-from-users.ts";
import { schemaQuery, unsavedSchema } from "./queries.ts";
import { SaveSchema } from "./save-schema.tsx";
import { SchemaChange } from "./schema-change.tsx";
import { emptyDraft, type ParsedDraft, parseDraft, type SchemaDraft, toFieldsDraft } from "./schema-draft.ts";
import { SchemaForm } from "./schema-form.tsx";
import { Versions } from "./versions.tsx";
import { Violations } from "./violations.tsx";

/** Shows and changes the schema for custom fields. */
export default function SchemaView() {
  const { data: current, error, refetch } = useQuery(schemaQuery);
  if (current) return <Editor current={current} />;
  return (
    <View name="schema" title={texts.title} lead={texts.lead}>
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />}
    </View>
  );
}

function Editor({ current }: { readonly current: CurrentSchema }) {
  const canManage = useHasScope("schema:manage");
  const canReadUsers = useHasScope("users:read");
  const unsaved = useObservable(unsavedSchema);
  const [checked, setChecked] = useState<ParsedDraft>();
  const [refused, setRefused] = useState<unknown>();
  const [saving, setSaving] = useState<JsonSchema>();
  const [isDeleting, setDeleting] = useState(false);
  const saved = useMemo(() => toFieldsDraft(current.schema), [current.schema]);
  useConfirmBeforeUnload(unsaved !== undefined);

  const draft: SchemaDraft = unsaved?.draft ?? saved;
  const edit = (draft: SchemaDraft) => {
    unsavedSchema.set({ draft, version: unsaved?.version ?? current.version });
    setChecked(undefined);
    setRefused(undefined);
  };
  const reset = () => {
    unsavedSchema.set(undefined);
    setChecked(undefined);
    setRefused(undefined);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!canManage || !unsaved) return;
    const parsed = parseDraft(draft);
    setChecked(parsed);
    setRefused(undefined);
    if (parsed.schema) setSaving(parsed.schema);
  };
  const isNone = current.version === 0 || Object.keys(current.schema).length === 0;
  const isEmpty = isNone && unsaved === undefined;
  return (
    <View
      name="schema"
      title={texts.title}
      lead={texts.lead}
      count={isNone ? undefined : texts.version(formatNumber(current.version))}
      aside={
        canManage &&
        !isNone &&
        unsaved === undefined && (
          <Button kind="destructive" icon={<Trash2 aria-hidden />} onClick={() => setDeleting(true)}>
            {texts.remove}
          </Button>
        )
      }
    >
      {isEmpty ? (
        <NoSchema canManage={canManage} canReadUsers={canReadUsers} onStart={edit} />
      ) : (
        <>
          {!canManage && <p className="notice">{texts.readOnly}</p>}
          {unsaved && !saving && <SchemaChange current={current} version={unsaved.version} onReset={reset} />}
          <form className="schema-editor" noValidate autoComplete="off" onSubmit={submit}>
            <SchemaForm
              draft={draft}
              checked={checked}
              refused={refused}
              canManage={canManage}
              onChange={edit}
            />
            {canManage && unsaved && (
              <div className="save-bar">
                <p className="hint hidden-on-phone">{texts.unsaved}</p>
                <Button onClick={reset}>{texts.discard}</Button>
                <Button kind="primary" type="submit">
                  {canReadUsers ? texts.save : texts.saveUnchecked}
                </Button>
              </div>
            )}
          </form>
          {!isNone && canReadUsers && <Violations key={current.version} isUnsaved={unsaved !== undefined} />}
        </>
      )}
      {current.version > 0 && (
        <Versions
          key={`versions of ${current.version}`}
          current={current.version}
          onRestore={canManage && unsaved === undefined ? ({ schema }) => setSaving(schema) : undefined}
        />
      )}
      {saving && (
        <SaveSchema
          schema={saving}
          checksUsers={canReadUsers}
          version={unsaved?.version ?? current.version}
          onRefused={(error) => {
            setSaving(undefined);
            setRefused(error);
          }}
          onReset={reset}
          onClose={() => setSaving(undefined)}
        />
      )}
      {isDeleting && <DeleteSchema version={current.version} onClose={() => setDeleting(false)} />}
    </View>
  );
}

interface NoSchemaProps {
  readonly canManage: boolean;
  readonly canReadUsers: boolean;
  readonly onStart: (draft: SchemaDraft) => void;
}

function NoSchema({ canManage, canReadUsers, onStart }: NoSchemaProps) {
  const [busy, setBusy] = useState(false);
  const startFromUsers = async () => {
    setBusy(true);
    try {
      onStart(await draftFromUsers());
    } catch (error) {
      showErrorToast(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <EmptyState
      icon={Braces}
      title={texts.empty.title}
      text={canManage ? texts.empty.text : texts.empty.readOnly}
    >
      {canManage && (
        <>
          {canReadUsers && (
            <Button kind="primary" busy={busy} onClick={() => void startFromUsers()}>
              {texts.empty.fromUsers}
            </Button>
          )}
          <Button onClick={() => onStart(emptyDraft())}>{texts.empty.blank}</Button>
        </>
      )}
    </EmptyState>
  );
}
