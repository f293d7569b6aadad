import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryStage } from './delivery-stage.ts';
import { killPostmaster, type Scene } from './scenes.ts';

const AWAY_MS = 300;
const HALF_AN_HOUR = 1800;

/** How the way from an event to its receiver fails; orders are placed all the while. */
export const deliveryScenes: readonly Scene<DeliveryStage>[] = [
  {
    name: 'sender',
    title: 'the sender killed -9 in mid-batch and started again',
    embeddedOnly: true,
    kill: (stage) => stage.replaceSender(0),
  },
  {
    name: 'senders',
    title: 'one of two senders at once killed -9 and started again',
    embeddedOnly: true,
    kill: async (stage) => {
      while (stage.senders.length < 2) await stage.startSender();
      await stage.replaceSender(Math.random() < 0.5 ? 0 : 1);
    },
  },
  {
    name: 'server',
    title: 'PostgreSQL killed -9 and started again under the senders',
    embeddedOnly: true,
    kill: killPostmaster,
  },
  {
    name: 'network',
    title: 'the network to the receiver dropped, refusing or silent',
    embeddedOnly: true,
    kill: async ({ cable }) => {
      cable.cut(Math.random() < 0.5 ? 'refusing' : 'silent');
      await sleep(AWAY_MS);
      cable.mend();
    },
  },
  {
    name: 'receiver',
    title: 'the receiver answering 500, then 200',
    embeddedOnly: true,
    kill: async ({ receiver, refused }) => {
      receiver.answer = (one) => {
        refused.add(one);
        return { status: 500 };
      };
      await sleep(AWAY_MS);
      receiver.answer = () => ({ status: 200 });
    },
  },
  {
    name: 'clock',
    title: 'the clock jumping half an hour ahead',
    embeddedOnly: true,
    kill: (stage) => stage.advance(HALF_AN_HOUR),
  },
];
