import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** "destructive" leads to a destructive action; "danger" is the action itself, in a confirmation. Default: plain. */
  readonly kind?: "primary" | "plain" | "quiet" | "destructive" | "danger";
  readonly icon?: ReactNode;
  /** Shows a spinner and disables the button. */
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = "plain", icon, busy = false, className, children, ...rest }: ButtonProps) {
  const alone = children === undefined ? " icon-only" : "";
  return (
    <button
      type="button"
      {...rest}
      className={`button ${kind}${alone} ${className ?? ""}`}
      aria-busy={busy || undefined}
      disabled={rest.disabled || busy}
    >
      {busy ? <span className="spinner" /> : icon}
      {children}
    </button>
  );
}
