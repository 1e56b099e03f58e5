import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { Key } from "../../client/index.ts";
import { scopeGroups } from "../../contract/keys/key.ts";
import { SnippetFigure } from "../connect/snippet-figure.tsx";
import { buildScimSnippet, describeService, readKey } from "../connect/snippets.ts";
import { NewKey } from "../keys/new-key.tsx";
import { useCommands } from "../lib/commands.ts";
import { requestCreation } from "../lib/creation-request.ts";
import { type CurrentSession, useSession } from "../lib/session.ts";
import { provisioning as texts } from "../texts/provisioning.ts";
import { Button } from "../ui/button.tsx";
import { copyWithToast } from "../ui/copy-button.tsx";
import { CircleSlash, KeyRound, Link2, Plus } from "../ui/icons.ts";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { View } from "../ui/view.tsx";
import { viewPaths } from "../view-paths.ts";
import { BaseUrl } from "./base-url.tsx";
import { type Provider, Providers } from "./providers.tsx";
import { ProvisioningKeys } from "./provisioning-keys.tsx";
import { baseUrlQuery } from "./queries.ts";

/** How identity providers reach this service, and with which keys. */
export default function ProvisioningView() {
  const session = useSession();
  const { data: baseUrl, error, refetch } = useQuery(baseUrlQuery);
  return (
    <View name="provisioning" title={texts.title} lead={texts.lead}>
      {baseUrl === null ? (
        <EmptyState icon={CircleSlash} title={texts.off.title} text={texts.off.text} />
      ) : baseUrl !== undefined && session ? (
        <Provisioning baseUrl={baseUrl} session={session} />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </View>
  );
}

interface ProvisioningProps {
  readonly baseUrl: string;
  readonly session: CurrentSession;
}

function Provisioning({ baseUrl, session }: ProvisioningProps) {
  const [provider, setProvider] = useState<Provider>("entra");
  const [isCreating, setCreating] = useState(false);
  const [newKey, setNewKey] = useState<Key>();
  // The first key of a service is that of a person, who needs every scope.
  const canCreate = session.auth !== "open" && session.scopes.includes("keys:manage");
  const openForm = () => setCreating(true);
  const { command, create, needed } = texts.keys;
  useCommands("provisioning", [
    ...(canCreate ? [{ id: "new-scim-key", label: command, icon: KeyRound, run: openForm }] : []),
    { id: "copy-base-url", label: texts.copyBaseUrl, icon: Link2, run: () => void copyWithToast(baseUrl) },
  ]);
  const service = describeService(session.auth);
  return (
    <>
      <BaseUrl url={baseUrl} />
      {session.auth === "off" && <p className="warning">{texts.authOff}</p>}
      {canCreate ? (
        <ProvisioningKeys
          newKey={newKey}
          create={
            <Button kind="primary" icon={<Plus aria-hidden />} onClick={openForm}>
              {create}
            </Button>
          }
        />
      ) : session.auth === "open" ? (
        <FirstKey />
      ) : (
        <CreateWithCommand />
      )}
      <Providers baseUrl={baseUrl} chosen={provider} onChoose={setProvider} />
      <section className="card">
        <h2 className="section-title">{texts.test.title}</h2>
        <p className="lead">{service.requiresKey ? texts.test.textWithKey : texts.test.text}</p>
        {service.requiresKey && <SnippetFigure snippet={readKey} />}
        <SnippetFigure snippet={buildScimSnippet(service, baseUrl)} />
      </section>
      {isCreating && (
        <NewKey
          session={session}
          suggested={{ name: texts.providers.of[provider].keyName, scopes: scopeGroups.scim, needed }}
          onSaved={(created) => {
            setNewKey(created);
            setCreating(false);
          }}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}

function FirstKey() {
  return (
    <div className="notice with-button">
      <p>
        <strong>{texts.open.title}.</strong> {texts.open.text}
      </p>
      <Link href={viewPaths.keys} className="button primary" onClick={() => requestCreation("key")}>
        {texts.open.action}
      </Link>
    </div>
  );
}

/** For people who cannot create keys here. */
function CreateWithCommand() {
  return (
    <section className="card">
      <h2 className="section-title">{texts.keys.title}</h2>
      <p className="lead">{texts.keys.lacking}</p>
      <SnippetFigure snippet={{ name: "createKey", code: "roster keys create --name entra --scope scim" }} />
    </section>
  );
}
