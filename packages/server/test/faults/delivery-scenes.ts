import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryStage } from './delivery-stage.ts';
import { killPostmaster, type FaultScene } from './scenes.ts';

const OUTAGE_MS = 300;
const HALF_AN_HOUR = 1800;

/** Failures between an event and its receiver, while orders are placed. */
export const deliveryScenes: readonly FaultScene<DeliveryStage>[] = [
  {
    name: 'sender',
    title: 'the sender killed -9 during a batch and restarted',
    embeddedOnly: true,
    kill: (stage) => stage.replaceSender(0),
  },
  {
    name: 'senders',
    title: 'one of two concurrent senders killed -9 and restarted',
    embeddedOnly: true,
    kill: async (stage) => {
      while (stage.senders.length < 2) await stage.startSender();
      await stage.replaceSender(Math.random() < 0.5 ? 0 : 1);
    },
  },
  {
    name: 'server',
    title: 'PostgreSQL killed -9 and restarted under running senders',
    embeddedOnly: true,
    kill: killPostmaster,
  },
  {
    name: 'network',
    title: 'the network to the receiver down, refusing or silent',
    embeddedOnly: true,
    kill: async ({ proxy }) => {
      proxy.cut(Math.random() < 0.5 ? 'refusing' : 'silent');
      await sleep(OUTAGE_MS);
      proxy.restore();
    },
  },
  {
    name: 'receiver',
    title: 'the receiver answering 500, then 200',
    embeddedOnly: true,
    kill: async ({ receiver, rejected }) => {
      receiver.respond = (one) => {
        rejected.add(one);
        return { status: 500 };
      };
      await sleep(OUTAGE_MS);
      receiver.respond = () => ({ status: 200 });
    },
  },
  {
    name: 'clock',
    title: 'the clock jumping half an hour ahead',
    embeddedOnly: true,
    kill: (stage) => stage.advance(HALF_AN_HOUR),
  },
];
