import { makePlan } from "./plan.ts";
import { simulate } from "./simulate.ts";

const [from = "1", count = "1", mode = ""] = process.argv.slice(2);
let steps = 0,
  events = 0;
const t = process.hrtime.bigint();
const cpu0 = process.cpuUsage();
for (let seed = Number(from); seed < Number(from) + Number(count); seed++) {
  const trace: string[] | undefined = mode ? [] : undefined;
  const outcome = await simulate(makePlan(seed), trace).catch((e) => { console.log(seed, e); if (trace) console.log(trace.join("\n")); process.exit(1); });
  steps += outcome.steps;
  events += outcome.events;
  if (trace) console.log(trace.join("\n"));
  if (outcome.violation) console.log(seed, outcome.violation);
}
const c = process.cpuUsage(cpu0);
console.log({
  steps,
  events,
  ms: Number(process.hrtime.bigint() - t) / 1e6,
  cpuMs: (c.user + c.system) / 1000,
});
