import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Stage } from './stage.ts';

/** Asks the service with the team's key, again and again until it is answered. */
export interface Caller {
  /** How often it got which answer; `none` is a connection that broke or an answer that did not come. */
  readonly answers: ReadonlyMap<string, number>;
  underWay(): number;
  /** The first answer that is not a passing failure; throws when there is none for too long. */
  ask(wish: Wish): Promise<Answer>;
  close(): Promise<void>;
}

export interface Wish {
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly key?: string;
  readonly body?: object;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: boolean;
}

const ANSWER_WITHIN_MS = 10_000;
const GIVE_UP_AFTER_MS = 120_000;
const AGAIN_AFTER_MS = 25;

export function openCaller(stage: Stage, connections: number): Caller {
  const answers = new Map<string, number>();
  const agent = new Agent({
    connections,
    headersTimeout: ANSWER_WITHIN_MS,
    bodyTimeout: ANSWER_WITHIN_MS,
  });
  let underWay = 0;
  const once = async (wish: Wish) => {
    underWay += 1;
    const answer = await askOnce(stage, agent, wish).finally(() => (underWay -= 1));
    const name = answer ? String(answer.status) : 'none';
    answers.set(name, (answers.get(name) ?? 0) + 1);
    return answer;
  };
  return {
    answers,
    underWay: () => underWay,
    ask: async (wish) => {
      const until = performance.now() + GIVE_UP_AFTER_MS;
      for (;;) {
        const answer = await once(wish);
        if (answer && answer.status < 500 && !answer.retryAfter) return answer;
        if (performance.now() > until)
          throw new Error(`${wish.path} (${wish.key}) was not answered: ${answer?.text}`);
        await sleep(AGAIN_AFTER_MS);
      }
    },
    close: () => agent.close(),
  };
}

/** Asks until it is answered, as a good client does: the same request under the same key, whatever went wrong. */
export async function persist(caller: Caller, wish: Wish): Promise<unknown> {
  const { status, text } = await caller.ask(wish);
  if (status !== 200) throw new Error(`${wish.path} (${wish.key}) was refused: ${status} ${text}`);
  return JSON.parse(text);
}

async function askOnce(stage: Stage, agent: Agent, wish: Wish): Promise<Answer | undefined> {
  const { path, key, body, method = body === undefined ? 'GET' : 'POST' } = wish;
  try {
    const answer = await request(`${stage.url}${path}`, {
      dispatcher: agent,
      method,
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
