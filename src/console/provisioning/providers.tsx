import { Tabs } from "@base-ui/react/tabs";
import { useId } from "react";
import { type FieldEntry, provisioning } from "../texts/provisioning.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { ExternalLink } from "../ui/icons.ts";

const { providers: texts } = provisioning;

export type Provider = keyof typeof texts.of;
const providers = ["entra", "okta", "oneLogin", "jumpCloud", "other"] as const satisfies readonly Provider[];

interface ProvidersProps {
  readonly baseUrl: string;
  readonly chosen: Provider;
  readonly onChoose: (provider: Provider) => void;
}

/** What to enter where, for each provider. */
export function Providers({ baseUrl, chosen, onChoose }: ProvidersProps) {
  const heading = useId();
  return (
    <section className="card" aria-labelledby={heading}>
      <h2 id={heading} className="section-title">
        {texts.title}
      </h2>
      <Tabs.Root
        className="providers"
        value={chosen}
        onValueChange={(value) => onChoose(providers.find((each) => each === value) ?? chosen)}
      >
        <Tabs.List className="tabs" aria-label={texts.label}>
          {providers.map((provider) => (
            <Tabs.Tab key={provider} value={provider} className="tab">
              {texts.of[provider].name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {providers.map((provider) => (
          <Tabs.Panel key={provider} value={provider} className="tab-panel">
            <Steps provider={provider} baseUrl={baseUrl} />
          </Tabs.Panel>
        ))}
      </Tabs.Root>
      <p className="hint">{texts.more}</p>
    </section>
  );
}

/** What to enter in a field. People copy what they would have to type. */
function Value({ entry, baseUrl }: { readonly entry: FieldEntry; readonly baseUrl: string }) {
  if (entry === "key") return texts.key;
  const { text, isTyped = false } = entry === "baseUrl" ? { text: baseUrl, isTyped: true } : entry;
  if (!isTyped) return text;
  return (
    <>
      <code>{text}</code>
      <CopyButton text={text} />
    </>
  );
}

function Steps({ provider, baseUrl }: { readonly provider: Provider; readonly baseUrl: string }) {
  const { where, fields, notes, documentation } = texts.of[provider];
  return (
    <>
      <p>{where}</p>
      <dl className="provider-fields">
        {fields.map(([label, entry]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Value entry={entry} baseUrl={baseUrl} />
            </dd>
          </div>
        ))}
      </dl>
      <ul className="provider-notes">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      {documentation && (
        <div className="actions">
          <a className="button plain" href={documentation.href} target="_blank" rel="noreferrer">
            <ExternalLink aria-hidden />
            {documentation.label}
          </a>
        </div>
      )}
    </>
  );
}
