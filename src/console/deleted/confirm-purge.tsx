import { purgeUser as texts } from "../texts/deleted.ts";
import { ConfirmTyped } from "../ui/confirm-typed.tsx";

interface ConfirmPurgeProps {
  readonly title: string;
  readonly warning: string;
  /** The text that the person has to type, and the label of its field. */
  readonly expected: string;
  readonly label: string;
  readonly action: string;
  readonly busy?: boolean;
  /** The error of the request. */
  readonly error?: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before users are erased for good: the person has to type a number. */
export function ConfirmPurge({ warning, expected, ...props }: ConfirmPurgeProps) {
  return (
    <ConfirmTyped
      {...props}
      intro={
        <>
          <p className="failure">{warning}</p>
          <p className="hint">{texts.backups}</p>
        </>
      }
      expected={expected}
      mismatch={texts.mismatch(expected)}
      inputMode="numeric"
    />
  );
}
