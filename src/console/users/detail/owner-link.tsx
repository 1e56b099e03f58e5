import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import { roster } from "../../lib/api.ts";
import { user as texts } from "../../texts/index.ts";
import type { NameField } from "../taken-name.ts";

interface OwnerLinkProps {
  readonly name: string;
  /** What the name is for its owner. */
  readonly as: NameField;
  /** What is around the link. */
  readonly frame?: (link: ReactNode) => ReactNode;
}

/** Link to the user that has the name. Nothing if nobody has it, or the key cannot read users. */
export function OwnerLink({ name, as, frame = (link) => link }: OwnerLinkProps) {
  const search = useSearch();
  const { data: owner } = useQuery({
    queryKey: ["owner", as, name],
    queryFn: async ({ signal }) => {
      const email = `email eq ${JSON.stringify(name)}`;
      // The email of a user without a userName is its user name.
      const userName = `userName eq ${JSON.stringify(name)} or ${email} and not (userName pr)`;
      const filter = as === "email" ? email : userName;
      const { users } = await roster.users.list({ filter, limit: 1, signal }).page();
      return users[0] ?? null;
    },
    staleTime: 0,
    gcTime: 0,
  });
  return owner
    ? frame(<Link href={`/users/${owner.id}${search}`}>{texts.openOther(owner.name)}</Link>)
    : null;
}
