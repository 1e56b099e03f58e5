import type { Scope } from "../../client/index.ts";
import { scopes as everyScope } from "../../contract/keys/key.ts";
import { scopes as labels, keys as texts } from "../texts/index.ts";
import { Badges } from "../ui/badges.tsx";

interface KeyScopesProps {
  readonly scopes: readonly Scope[];
}

/** The scopes in one line. */
export function ScopeLine({ scopes }: KeyScopesProps) {
  const names = scopes.map((scope) => labels[scope].name).join(", ");
  const hasAll = everyScope.every((scope) => scopes.includes(scope));
  return <span title={names}>{hasAll ? texts.allScopes : names}</span>;
}

/** The scopes, each with its meaning as a tooltip. */
export function ScopeBadges({ scopes }: KeyScopesProps) {
  return (
    <Badges
      badges={scopes.map((scope) => ({ key: scope, label: labels[scope].name, title: labels[scope].text }))}
    />
  );
}
