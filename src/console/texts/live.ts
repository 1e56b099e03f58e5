export const live = {
  users: {
    added: (count: string) => (count === "1" ? "1 new user" : `${count} new users`),
    deleted: (count: string) => `${count} deleted`,
  },
  members: {
    added: (count: string) => (count === "1" ? "1 new member" : `${count} new members`),
    deleted: (count: string) => `${count} removed`,
  },
  many: "Many users have changed",
  show: "Show the changes",
};
