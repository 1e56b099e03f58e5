export const ownKey = {
  label: "Your key",
  hint: "Creating a key takes more than being signed in: enter the key that you signed in with.",
  placeholder: "roster_…",
  lead: "Being signed in is not enough to create a key.",
  stepHint:
    "Enter the key that you signed in with, or another one with the scope keys:manage. The new key can get its scopes.",
  submit: "Continue",
  cannotManage: "This key can't create keys: it lacks the scope keys:manage.",
  missing: "Enter your key.",
  invalid: "This is not a valid key. Copy the whole key.",
};
