import { setTimeout as pause } from 'node:timers/promises';
import { request, type Agent } from 'undici';
import type { z } from 'zod';
import { SECOND } from '../../platform/clock.ts';

/** Calls a running service as a program does. Throws for an unexpected status. */
export interface DemoClient {
  /** Calls the team API with the sandbox key. */
  team<S extends z.ZodType>(call: DemoCall<S>): Promise<z.output<S>>;
  /** Calls the Management API. */
  management<S extends z.ZodType>(call: DemoCall<S>): Promise<z.output<S>>;
}

interface DemoCall<S extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The schema of the response parts that are needed. */
  readonly answer: S;
}

interface DemoTarget {
  readonly url: string;
  readonly brand: string;
  readonly teamKey: string;
  readonly managementKey: string;
  readonly dispatcher?: Agent | undefined;
}

/** A response with another status than 200. */
export class DemoCallError extends Error {
  readonly status: number;

  constructor(call: Pick<DemoCall<z.ZodType>, 'method' | 'path'>, status: number, text: string) {
    super(`${call.method} ${call.path}: ${status} ${text.slice(0, 500)}`);
    this.name = 'DemoCallError';
    this.status = status;
  }
}

/** A move of the clock may wait for a minute. */
const TIMEOUT_MS = 120_000;
const TOO_MANY = 429;
const TRIES = 10;

export function createDemoClient(target: DemoTarget): DemoClient {
  const send = async <S extends z.ZodType>(
    key: Record<string, string>,
    call: DemoCall<S>,
  ): Promise<z.output<S>> => {
    const { body } = call;
    const raw = typeof body === 'string' || body instanceof Buffer ? body : undefined;
    const sendOnce = () =>
      request(`${target.url}${call.path}`, {
        method: call.method,
        headers: {
          ...key,
          ...(body === undefined || raw !== undefined ? {} : { 'content-type': 'application/json' }),
          ...call.headers,
        },
        body: raw ?? (body === undefined ? null : JSON.stringify(body)),
        ...(target.dispatcher && { dispatcher: target.dispatcher }),
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
      });
    let got = await sendOnce();
    for (let tried = 1; got.statusCode === TOO_MANY && tried < TRIES; tried += 1) {
      await got.body.dump();
      await pause(Number(got.headers['retry-after'] ?? 1) * SECOND);
      got = await sendOnce();
    }
    const text = await got.body.text();
    if (got.statusCode !== 200) throw new DemoCallError(call, got.statusCode, text);
    return call.answer.parse(text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text);
  };
  return {
    team: (call) => send({ [`x-${target.brand}-api-key`]: target.teamKey }, call),
    management: (call) => send({ 'x-management-key': target.managementKey }, call),
  };
}

const CALLS_AT_ONCE = 8;

/** Runs an action for every item, some at once. */
export async function forEachAtOnce<T>(
  items: readonly T[],
  action: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = [...items];
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await action(item);
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
}
