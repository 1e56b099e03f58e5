export default function UserDrawer(_: { readonly id: number | undefined; readonly onClose: () => void }) {
  return null;
}
