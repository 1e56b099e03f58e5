export default function KeysView() {
  return <h1 className="view-title">Keys</h1>;
}
