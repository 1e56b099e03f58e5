export default function ConnectView() {
  return <h1 className="view-title">Connect</h1>;
}
