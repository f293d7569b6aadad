import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { order, registration } from '../examples.ts';
import { openRetryingClient, sendUntilAnswered, type RetryingClient } from './retrying-client.ts';
import type { FaultStage } from './stage.ts';

/** Ids that the service has acknowledged, by idempotency key. */
export interface AcknowledgedIds {
  readonly users: Map<string, string>;
  readonly orders: Map<string, string>;
}

/** Clients that write as fast as they can, and retry with the same key until they get a response. */
interface WritingClients {
  readonly acknowledged: AcknowledgedIds;
  /** Responses by status; `none` counts broken connections and timeouts. */
  readonly answers: ReadonlyMap<string, number>;
  inFlight(): number;
  /** Lets every client finish its current request. */
  stop(): Promise<void>;
}

const CLIENTS = 8;
const ORDERS_OF_A_USER = 3;
const PAUSE_MS = 5;

export async function startWritingClients(stage: FaultStage, scene: string): Promise<WritingClients> {
  const acknowledged: AcknowledgedIds = { users: new Map(), orders: new Map() };
  const caller = openRetryingClient(stage, CLIENTS);
  let stopping = false;
  const labTestId = await labTestOf(caller);
  const write = async (name: string) => {
    for (let n = 0; !stopping; n += 1) {
      const userKey = `${name}/${n}`;
      const user = User.parse(
        await sendUntilAnswered(caller, {
          path: '/v2/user',
          key: userKey,
          body: { client_user_id: userKey },
        }),
      );
      acknowledged.users.set(userKey, user.user_id);
      for (let nth = 0; nth < ORDERS_OF_A_USER && !stopping; nth += 1) {
        const key = `${userKey}/${nth}`;
        const body = {
          ...order(user.user_id, labTestId),
          physician: registration('').physician,
          passthrough: key,
        };
        const placed = Placed.parse(await sendUntilAnswered(caller, { path: '/v3/order', key, body }));
        acknowledged.orders.set(key, placed.order.id);
        await sleep(PAUSE_MS);
      }
    }
  };
  const writing = Promise.all(Array.from({ length: CLIENTS }, (_, n) => write(`${scene}/${n}`)));
  // stop() rethrows it; until then a rejection must not end the process.
  writing.catch(() => {});
  return {
    acknowledged,
    answers: caller.answers,
    inFlight: caller.inFlight,
    stop: async () => {
      stopping = true;
      await writing.finally(() => caller.close());
    },
  };
}

const User = z.object({ user_id: z.uuid() });
const Placed = z.object({ order: z.object({ id: z.uuid() }) });
const LabTests = z.tuple([z.object({ id: z.uuid() })], z.unknown());

const labTestOf = async (caller: RetryingClient): Promise<string> =>
  LabTests.parse(await sendUntilAnswered(caller, { path: '/v3/lab_tests?collection_method=walk_in_test' }))[0]
    .id;
