export const live = {
  added: (count: string) => (count === "1" ? "1 new user" : `${count} new users`),
  deleted: (count: string) => `${count} deleted`,
  many: "Many users have changed",
  show: "Show the changes",
};
