interface Badge {
  readonly key: string;
  readonly label: string;
  readonly title?: string;
}

/** Short texts, such as scopes or types of events. */
export function Badges({ badges }: { readonly badges: readonly Badge[] }) {
  return (
    <ul className="badges">
      {badges.map(({ key, label, title }) => (
        <li key={key} className="badge" title={title}>
          {label}
        </li>
      ))}
    </ul>
  );
}
