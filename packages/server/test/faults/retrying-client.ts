import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { FaultStage } from './stage.ts';

/** Calls the service with the team's key, and retries until it gets a final response. */
export interface RetryingClient {
  /** Responses by status; `none` counts broken connections and timeouts. */
  readonly answers: ReadonlyMap<string, number>;
  inFlight(): number;
  /** Returns the first response that is not a temporary failure; throws if there is none within the timeout. */
  send(wish: RetriedRequest): Promise<RetriedAnswer>;
  close(): Promise<void>;
}

interface RetriedRequest {
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly key?: string;
  readonly body?: object;
}

export interface RetriedAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: boolean;
}

const ANSWER_TIMEOUT_MS = 10_000;
const GIVE_UP_AFTER_MS = 120_000;
const RETRY_AFTER_MS = 25;

export function openRetryingClient(stage: FaultStage, connections: number): RetryingClient {
  const answers = new Map<string, number>();
  const agent = new Agent({
    connections,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });
  let underWay = 0;
  const once = async (wish: RetriedRequest) => {
    underWay += 1;
    const answer = await sendOnce(stage, agent, wish).finally(() => (underWay -= 1));
    const name = answer ? String(answer.status) : 'none';
    answers.set(name, (answers.get(name) ?? 0) + 1);
    return answer;
  };
  return {
    answers,
    inFlight: () => underWay,
    send: async (wish) => {
      const until = performance.now() + GIVE_UP_AFTER_MS;
      for (;;) {
        const answer = await once(wish);
        if (answer && answer.status < 500 && !answer.retryAfter) return answer;
        if (performance.now() > until)
          throw new Error(`${wish.path} (${wish.key}) got no final response: ${answer?.text}`);
        await sleep(RETRY_AFTER_MS);
      }
    },
    close: () => agent.close(),
  };
}

/** Retries as a good client does: the same request with the same idempotency key after every failure. */
export async function sendUntilAnswered(caller: RetryingClient, wish: RetriedRequest): Promise<unknown> {
  const { status, text } = await caller.send(wish);
  if (status !== 200) throw new Error(`${wish.path} (${wish.key}) was rejected: ${status} ${text}`);
  return JSON.parse(text);
}

async function sendOnce(
  stage: FaultStage,
  agent: Agent,
  wish: RetriedRequest,
): Promise<RetriedAnswer | undefined> {
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
