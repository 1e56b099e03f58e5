import type { Action } from "../action.ts";
import { receiverBehaviors } from "../receivers.ts";

const MOST_WEBHOOKS = 3;
/** Shorter than the pause before the first retry: the second one comes after minutes. */
const BEHAVIOR_MS = 4000;

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
