import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { order, registration } from '../examples.ts';

/** Clients that create users and orders, read them and move them on. Each sends a request once, and repeats nothing. */
export interface UpgradeLoad {
  /** Ids of the orders that were moved to their end. */
  readonly finished: ReadonlySet<string>;
  readonly users: ReadonlySet<string>;
  /** One line for each request that was not answered with 200. */
  readonly failures: readonly string[];
  requests(): number;
  stop(): Promise<void>;
}

interface LoadTarget {
  readonly url: string;
  readonly teamKey: string;
}

const CLIENTS = 6;
const PAUSE_MS = 5;
/** Every third order is moved on by the worker, on the clock of the sandbox; the others by requests, step by step. */
const DELAYED_SHARE = 3;
const STEPS_MAX = 20;

const User = z.object({ user_id: z.uuid() });
const Order = z.object({ id: z.uuid(), status: z.string() });
const Placed = z.object({ order: Order });
const LabTests = z.tuple([z.object({ id: z.uuid() })], z.unknown());

export async function startUpgradeLoad(target: LoadTarget): Promise<UpgradeLoad> {
  const agent = new Agent({ connections: CLIENTS });
  const finished = new Set<string>();
  const users = new Set<string>();
  const failures: string[] = [];
  let requests = 0;
  let isStopping = false;
  const send = async (path: string, body?: object): Promise<unknown> => {
    requests += 1;
    const answer = await sendOnce(agent, target, { path, body });
    if (typeof answer === 'object') return answer.json;
    failures.push(answer);
    throw new RequestFailure(answer);
  };
  const [{ id: labTestId }] = LabTests.parse(await send('/v3/lab_tests?collection_method=walk_in_test'));
  const client = async (name: string) => {
    for (let n = 0; !isStopping; n += 1) {
      try {
        const id = await playPatient(send, {
          labTestId,
          name: `${name}/${n}`,
          isDelayed: n % DELAYED_SHARE === 0,
        });
        finished.add(id.order);
        users.add(id.user);
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
      }
      await sleep(PAUSE_MS);
    }
  };
  const all = Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(`upgrade/${n}`)));
  // stop() rethrows it; until then a rejection must not end the process.
  all.catch(() => {});
  return {
    finished,
    users,
    failures,
    requests: () => requests,
    stop: async () => {
      isStopping = true;
      await all.finally(() => agent.close());
    },
  };
}

class RequestFailure extends Error {}

type SendRequest = (path: string, body?: object) => Promise<unknown>;

interface PatientPlay {
  readonly labTestId: string;
  readonly name: string;
  readonly isDelayed: boolean;
}

async function playPatient(
  send: SendRequest,
  { labTestId, name, isDelayed }: PatientPlay,
): Promise<{ user: string; order: string }> {
  const { user_id: user } = User.parse(await send('/v2/user', { client_user_id: name }));
  const body = { ...order(user, labTestId), physician: registration('').physician, passthrough: name };
  const placed = Placed.parse(await send('/v3/order', body)).order;
  await send(`/v2/user/${user}`);
  await send(`/v3/orders?user_id=${user}`);
  if (isDelayed) await send(`/v3/order/${placed.id}/test?delay=1`, {});
  else await moveByStep(send, placed.id);
  await send(`/v3/order/${placed.id}`);
  return { user, order: placed.id };
}

async function moveByStep(send: SendRequest, id: string): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const { status } = Placed.parse(await send(`/v3/order/${id}/test?step=true`, {})).order;
    if (status === 'completed') return;
  }
}

/** The parsed response, or a line that says why there is none. */
async function sendOnce(
  agent: Agent,
  { url, teamKey }: LoadTarget,
  { path, body }: { path: string; body: object | undefined },
): Promise<{ json: unknown } | string> {
  try {
    const answer = await request(`${url}${path}`, {
      dispatcher: agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': teamKey },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    return answer.statusCode === 200 ? { json: JSON.parse(text) } : `${path}: ${answer.statusCode} ${text}`;
  } catch (error) {
    return `${path}: ${String(error)}`;
  }
}
