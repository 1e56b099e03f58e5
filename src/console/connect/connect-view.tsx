import { Tabs } from "@base-ui/react/tabs";
import { Link } from "wouter";
import { useHasScope, useSession } from "../lib/session.ts";
import { connect as texts } from "../texts/index.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { KeyRound } from "../ui/icons.ts";
import { View } from "../ui/view.tsx";
import { SnippetFigure } from "./snippet-figure.tsx";
import { buildSnippets, describeService, readKey, tools } from "./snippets.ts";

/** Shows how programs call this service. */
export default function ConnectView() {
  const auth = useSession()?.auth;
  const service = describeService(auth);
  const { origin, requiresKey } = service;
  return (
    <View name="connect" title={texts.title}>
      <div className="connect-address">
        <p className="lead">{texts.lead}</p>
        <code>{origin}</code>
        <CopyButton text={origin} label={texts.copyAddress} />
      </div>
      {requiresKey && service.unencrypted && <p className="warning">{texts.unencrypted}</p>}
      {requiresKey && <GetKey />}
      {auth === "open" && (
        <p className="notice">
          <strong>{texts.open.title}.</strong> {texts.open.text}
        </p>
      )}
      <Tabs.Root className="card" defaultValue="curl">
        <Tabs.List className="tabs" aria-label={texts.tools.label}>
          {tools.map((tool) => (
            <Tabs.Tab key={tool} value={tool} className="tab">
              {texts.tools[tool]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tools.map((tool) => (
          <Tabs.Panel key={tool} value={tool} className="tab-panel">
            {buildSnippets(tool, service).map((snippet) => (
              <SnippetFigure key={snippet.name} snippet={snippet} />
            ))}
          </Tabs.Panel>
        ))}
      </Tabs.Root>
      <div className="connect-more">
        <Addresses requiresKey={requiresKey} />
        <section className="card">
          <h2 className="section-title">{texts.browser.title}</h2>
          <p className="lead">{texts.browser.text}</p>
        </section>
      </div>
    </View>
  );
}

function GetKey() {
  const canManageKeys = useHasScope("keys:manage");
  return (
    <section className="card">
      <h2 className="section-title">{texts.key.title}</h2>
      <p className="lead">{texts.key.text}</p>
      <SnippetFigure snippet={readKey} />
      {canManageKeys && (
        <div className="actions">
          <Link href="/keys" className="button plain">
            <KeyRound aria-hidden />
            {texts.key.create}
          </Link>
        </div>
      )}
    </section>
  );
}

function Addresses({ requiresKey }: { readonly requiresKey: boolean }) {
  const { title, docs, openapi, healthz, readyz, metrics, metricsKey } = texts.addresses;
  const addresses = [
    ["/docs", docs],
    ["/openapi.json", openapi],
    ["/healthz", healthz],
    ["/readyz", readyz],
    ["/metrics", requiresKey ? metricsKey : metrics],
  ] as const;
  return (
    <section className="card">
      <h2 className="section-title">{title}</h2>
      <dl className="addresses">
        {addresses.map(([path, text]) => (
          <div key={path}>
            <dt>
              <a href={path}>
                <code>{path}</code>
              </a>
            </dt>
            <dd className="hint">{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
