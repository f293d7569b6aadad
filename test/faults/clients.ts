import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { order, registration } from '../examples.ts';
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
  const answers = new Map<string, number>();
  const state = { underWay: 0, stopping: false };
  const agent = new Agent({
    connections: CLIENTS,
    headersTimeout: ANSWER_WITHIN_MS,
    bodyTimeout: ANSWER_WITHIN_MS,
  });
  const caller: Caller = { stage, answers, state, agent };
  const labTestId = await labTestOf(caller);
  const write = async (name: string) => {
    for (let n = 0; !state.stopping; n += 1) {
      const userKey = `${name}/${n}`;
      const user = User.parse(
        await persist(caller, { path: '/v2/user', key: userKey, body: { client_user_id: userKey } }),
      );
      acknowledged.users.set(userKey, user.user_id);
      for (let nth = 0; nth < ORDERS_OF_A_USER && !state.stopping; nth += 1) {
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
    answers,
    underWay: () => state.underWay,
    stop: async () => {
      state.stopping = true;
      await writing.finally(() => agent.close());
    },
  };
}

const User = z.object({ user_id: z.uuid() });
const Placed = z.object({ order: z.object({ id: z.uuid() }) });
const LabTests = z.tuple([z.object({ id: z.uuid() })], z.unknown());

const ANSWER_WITHIN_MS = 10_000;
const GIVE_UP_AFTER_MS = 120_000;
const AGAIN_AFTER_MS = 25;

interface Caller {
  readonly stage: Stage;
  readonly answers: Map<string, number>;
  readonly state: { underWay: number; stopping: boolean };
  readonly agent: Agent;
}

interface Wish {
  readonly path: string;
  readonly key?: string;
  readonly body?: object;
}

const labTestOf = async (caller: Caller): Promise<string> =>
  LabTests.parse(await persist(caller, { path: '/v3/lab_tests?collection_method=walk_in_test' }))[0].id;

/** Asks until it is answered, as a good client does: the same request under the same key, whatever went wrong. */
async function persist(caller: Caller, wish: Wish): Promise<unknown> {
  const until = performance.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    caller.state.underWay += 1;
    const answer = await ask(caller, wish).finally(() => (caller.state.underWay -= 1));
    const name = answer ? String(answer.status) : 'none';
    caller.answers.set(name, (caller.answers.get(name) ?? 0) + 1);
    if (answer?.status === 200) return JSON.parse(answer.text);
    const passing = answer === undefined || answer.status >= 500 || answer.retryAfter;
    if (!passing) throw new Error(`${wish.path} (${wish.key}) was refused: ${answer.status} ${answer.text}`);
    if (performance.now() > until)
      throw new Error(`${wish.path} (${wish.key}) was not answered: ${answer?.text}`);
    await sleep(AGAIN_AFTER_MS);
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: boolean;
}

async function ask({ stage, agent }: Caller, { path, key, body }: Wish): Promise<Answer | undefined> {
  try {
    const answer = await request(`${stage.url}${path}`, {
      dispatcher: agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        'x-service-api-key': stage.teamKey,
        ...(key === undefined ? {} : { 'x-idempotency-key': key }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, text, retryAfter: answer.headers['retry-after'] !== undefined };
  } catch {
    return undefined;
  }
}
