import type { WebhookTestResult } from "../../client/index.ts";
import { formatNumber } from "../texts/format.ts";
import { testResult as texts } from "../texts/webhooks.ts";
import { Button } from "../ui/button.tsx";
import { CircleAlert, CircleCheck, X } from "../ui/icons.ts";

interface TestResultProps {
  readonly result: WebhookTestResult;
  readonly onClose: () => void;
}

/** What the receiver answered to a sample. */
export function TestResult({ result: { delivered, status, durationMs, error }, onClose }: TestResultProps) {
  const Icon = delivered ? CircleCheck : CircleAlert;
  const ms = formatNumber(Math.round(durationMs));
  return (
    <div className={`test-result ${delivered ? "notice" : "failure"}`} role="status">
      <Icon aria-hidden />
      <p>
        <strong>{delivered ? texts.delivered : texts.failed}.</strong>{" "}
        {status === null ? texts.noResponse(ms) : texts.status(status, ms)} {error}
      </p>
      <Button kind="quiet" icon={<X aria-hidden />} aria-label={texts.close} onClick={onClose} />
    </div>
  );
}
