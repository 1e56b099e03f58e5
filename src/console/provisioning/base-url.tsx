import { isLoopback } from "../../client/transport/service-transport.ts";
import { provisioning as texts } from "../texts/provisioning.ts";
import { CopyButton } from "../ui/copy-button.tsx";

/** The address that people enter at a provider, and why a provider may not reach it. */
export function BaseUrl({ url }: { readonly url: string }) {
  const warning = findWarning(new URL(url));
  return (
    <>
      <div className="connect-address">
        <p className="lead">{texts.baseUrl}</p>
        <code>{url}</code>
        <CopyButton text={url} />
      </div>
      {warning !== undefined && <p className="warning">{warning}</p>}
    </>
  );
}

function findWarning({ protocol, hostname }: URL): string | undefined {
  if (isLoopback(hostname)) return texts.loopback;
  return protocol === "https:" ? undefined : texts.unencrypted;
}
