import type { Action } from "../action.ts";
import type { Answer } from "../observation.ts";
import type { Random } from "../random.ts";
import { receiverBehaviors, type SimulatedWebhook } from "../receivers.ts";
import type { World } from "../world.ts";

const MOST_WEBHOOKS = 3;
/** Shorter than the pause before the first retry: the second one comes after minutes. */
const BEHAVIOR_MS = 4000;
/** Shorter and longer than nodes need to learn of it. */
const SHORT_MS = 800;
const LONG_MS = 3000;
const MOST_TRIES = 3;

async function setActive(
  world: World,
  random: Random,
  { id }: SimulatedWebhook,
  active: boolean,
): Promise<Answer | undefined> {
  const node = world.pickNode(random);
  return (
    node &&
    world.call(node, {
      method: "PATCH",
      path: `/api/webhooks/${id}`,
      json: { active },
      credential: world.pickCredential(random),
    })
  );
}

export const webhookActions: readonly Action[] = [
  {
    name: "create a webhook",
    weight: 2,
    async run(world, random) {
      const node = world.pickNode(random);
      if (!node || world.receivers.webhooks.length >= MOST_WEBHOOKS) return;
      const webhook = world.receivers.add();
      const answer = await world.call(node, {
        method: "POST",
        path: "/api/webhooks",
        json: { url: webhook.url, types: ["user.*"] },
        credential: world.pickCredential(random),
      });
      if (answer?.status === 201) webhook.id = JSON.parse(answer.text).id;
    },
  },
  {
    name: "deactivate a webhook for a while",
    weight: 3,
    async run(world, random) {
      const known = world.receivers.webhooks.filter(({ id }) => id !== undefined);
      if (known.length === 0) return;
      const webhook = random.pick(known);
      const fails = webhook.behavior === "accepting" && random.chance(0.7);
      if (fails) webhook.behavior = "failing";
      await setActive(world, random, webhook, false);
      // Some nodes do not know it yet, and send an event that its receiver does not accept.
      const node = world.pickNode(random);
      if (node)
        await world.call(node, {
          method: "POST",
          path: "/api/users",
          json: { name: "Grace", mark: world.nextMark() },
          credential: world.pickCredential(random),
        });
      await world.machine.sleep(random.between(0, random.chance(0.5) ? SHORT_MS : LONG_MS));
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const answer = await setActive(world, random, webhook, true);
        if (answer?.status === 200) break;
      }
      if (fails) webhook.behavior = "accepting";
    },
  },
  {
    name: "send a delivery now",
    weight: 3,
    async run(world, random) {
      const known = world.receivers.webhooks.filter(({ id }) => id !== undefined);
      const [node, other] = [world.pickNode(random), world.pickNode(random)];
      if (known.length === 0 || !node || !other) return;
      const webhook = random.pick(known);
      const path = `/api/webhooks/${webhook.id}/deliveries`;
      const credential = world.pickCredential(random);
      const state = random.chance(0.5) ? "?state=waiting" : "";
      const answer = await world.call(node, { method: "GET", path: path + state, credential });
      const deliveries: { id: string }[] = answer?.status === 200 ? JSON.parse(answer.text) : [];
      if (deliveries.length === 0) return;
      const { id } = random.pick(deliveries);
      webhook.requested.add(id);
      await world.call(other, { method: "POST", path: `${path}/${id}/resend`, credential });
    },
  },
  {
    name: "a receiver changes its behavior",
    weight: 2,
    async run(world, random) {
      if (world.receivers.webhooks.length === 0) return;
      const webhook = random.pick(world.receivers.webhooks);
      // Few receivers are gone: nothing is sent to them any more.
      const behavior = random.pick(receiverBehaviors);
      if (webhook.behavior !== "accepting" || (behavior === "gone" && random.chance(0.7))) return;
      webhook.behavior = behavior;
      world.trace(() => `receiver ${webhook.number} is ${behavior}`);
      await world.machine.sleep(random.between(0, BEHAVIOR_MS));
      webhook.behavior = "accepting";
      world.trace(() => `receiver ${webhook.number} is accepting`);
    },
  },
];
