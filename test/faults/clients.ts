import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { order, registration } from '../examples.ts';
import { openCaller, persist, type Caller } from './caller.ts';
import type { Stage } from './stage.ts';

/** What the service has acknowledged, by the key that it was asked with: the id that it answered. */
export interface Acknowledged {
  readonly users: Map<string, string>;
  readonly orders: Map<string, string>;
}

/** Clients that write as fast as they are answered, and ask again under the same key until they are. */
export interface Clients {
  readonly acknowledged: Acknowledged;
  /** How often they got which answer; `none` is a connection that broke or an answer that did not come. */
  readonly answers: ReadonlyMap<string, number>;
  underWay(): number;
  /** Lets every client finish what it has begun. */
  stop(): Promise<void>;
}

const CLIENTS = 8;
const ORDERS_OF_A_USER = 3;
const PAUSE_MS = 5;

export async function startClients(stage: Stage, scene: string): Promise<Clients> {
  const acknowledged: Acknowledged = { users: new Map(), orders: new Map() };
  const caller = openCaller(stage, CLIENTS);
  let stopping = false;
  const labTestId = await labTestOf(caller);
  const write = async (name: string) => {
    for (let n = 0; !stopping; n += 1) {
      const userKey = `${name}/${n}`;
      const user = User.parse(
        await persist(caller, { path: '/v2/user', key: userKey, body: { client_user_id: userKey } }),
      );
      acknowledged.users.set(userKey, user.user_id);
      for (let nth = 0; nth < ORDERS_OF_A_USER && !stopping; nth += 1) {
        const key = `${userKey}/${nth}`;
        const body = {
          ...order(user.user_id, labTestId),
          physician: registration('').physician,
          passthrough: key,
        };
        const placed = Placed.parse(await persist(caller, { path: '/v3/order', key, body }));
        acknowledged.orders.set(key, placed.order.id);
        await sleep(PAUSE_MS);
      }
    }
  };
  const writing = Promise.all(Array.from({ length: CLIENTS }, (_, n) => write(`${scene}/${n}`)));
  // Told by stop(); until then a refusal must not end the process.
  writing.catch(() => {});
  return {
    acknowledged,
    answers: caller.answers,
    underWay: caller.underWay,
    stop: async () => {
      stopping = true;
      await writing.finally(() => caller.close());
    },
  };
}

const User = z.object({ user_id: z.uuid() });
const Placed = z.object({ order: z.object({ id: z.uuid() }) });
const LabTests = z.tuple([z.object({ id: z.uuid() })], z.unknown());

const labTestOf = async (caller: Caller): Promise<string> =>
  LabTests.parse(await persist(caller, { path: '/v3/lab_tests?collection_method=walk_in_test' }))[0].id;
