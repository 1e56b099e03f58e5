import { useState } from "react";
import { truncate } from "../texts/format.ts";
import { shell } from "../texts/index.ts";
import { Button } from "./button.tsx";
import { Check, Copy as CopyIcon } from "./icons.ts";
import { showToast } from "./toasts.tsx";

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, label = shell.copy }: { readonly text: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await tryToCopy(text))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <Button
      kind="quiet"
      className="copy"
      icon={copied ? <Check aria-hidden /> : <CopyIcon aria-hidden />}
      onClick={copy}
    >
      <span aria-live="polite">{copied ? shell.copied : label}</span>
    </Button>
  );
}

/** Copies a text to the clipboard and confirms it with a toast. */
export async function copyWithToast(text: string): Promise<void> {
  if (await tryToCopy(text)) showToast({ title: shell.copied, text: truncate(text) });
}

async function tryToCopy(text: string): Promise<boolean> {
  try {
    await copyText(text);
    return true;
  } catch {
    showToast({ title: shell.notCopied.title, text: shell.notCopied.text, kind: "failed" });
    return false;
  }
}

/** The clipboard API exists only on HTTPS and localhost pages. Other pages use `execCommand`. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
