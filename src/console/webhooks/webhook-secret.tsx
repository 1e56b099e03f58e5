import { webhookSecret as texts } from "../texts/webhooks.ts";
import { Button } from "../ui/button.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";

interface WebhookSecretProps {
  readonly secret: string;
  /** Whether the webhook was just created; otherwise its secret was rotated. */
  readonly isNew: boolean;
  readonly onClose: () => void;
}

export function WebhookSecret({ secret, isNew, onClose }: WebhookSecretProps) {
  return (
    <SecretDialog
      title={isNew ? texts.created : texts.rotated}
      lead={isNew ? texts.lead : texts.rotatedLead}
      secret={secret}
      copyLabel={texts.copy}
      ask={texts.ask}
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          {texts.saved}
        </Button>
      }
    />
  );
}
