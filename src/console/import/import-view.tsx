export default function ImportView() {
  return <h1 className="view-title">Import</h1>;
}
