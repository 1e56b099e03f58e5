/** json-server without its log and compression. Its argument is the path of the JSON file. */
import jsonServer from "json-server";

const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false, noGzip: true, bodyParser: true }));
app.use(jsonServer.router(process.argv[2]));
const server = app.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
