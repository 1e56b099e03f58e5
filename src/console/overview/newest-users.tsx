import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { overview as texts } from "../texts/overview.ts";
import { Timestamp } from "../ui/timestamp.tsx";
import { viewPaths } from "../view-paths.ts";
import { OverviewCard } from "./overview-card.tsx";
import { newestQuery } from "./queries.ts";

export function NewestUsers() {
  const query = useQuery(newestQuery);
  const { data: users = [] } = query;
  return (
    <OverviewCard title={texts.newest} all={{ href: viewPaths.users, label: texts.newestAll }} query={query}>
      <ul className="overview-list">
        {users.map(({ id, name, email, createdAt }) => (
          <li key={id}>
            <Link href={`${viewPaths.users}/${id}`} className="overview-user">
              <span className="overview-main" dir="auto">
                {name}
              </span>
              <span className="hint" dir="auto">
                {email ?? texts.noEmail}
              </span>
            </Link>
            <span className="hint overview-end">
              <Timestamp iso={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </OverviewCard>
  );
}
