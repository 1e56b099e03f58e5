import { useParams } from "wouter";
import { useSession } from "../lib/session.ts";
import { GroupList } from "./group-list.tsx";
import { GroupPage } from "./group-page.tsx";

/** The list of groups, or one of them with its members. */
export default function GroupsView() {
  const session = useSession();
  const { id, part } = useParams<{ id?: string; part?: string }>();
  if (!session) return null;
  if (id === undefined || id === "new") return <GroupList isCreating={id === "new"} />;
  return (
    <GroupPage key={id} id={Number(id)} part={part === "fields" || part === "history" ? part : "members"} />
  );
}
