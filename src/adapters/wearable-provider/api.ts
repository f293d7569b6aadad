import type { z } from 'zod';
import type { Answer, Line, Outgoing } from './exchange.ts';
import { AccessRefused, GrantLost, ProviderAway } from './port.ts';

export interface Ask {
  readonly method?: Outgoing['method'];
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly form?: Readonly<Record<string, string | number>>;
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses by which the provider says that there is nothing. */
  readonly absent?: readonly number[];
}

/** The API of a provider, asked in the name of one user. */
export interface Api {
  /** What is at the path, read by the schema; undefined where one of the `absent` statuses came. */
  find<T>(schema: z.ZodType<T>, path: string, ask?: Ask): Promise<T | undefined>;
  /** The same of what must be there. */
  read<T>(schema: z.ZodType<T>, path: string, ask?: Ask): Promise<T>;
  /** The status of whatever was answered; only what time heals is an error. */
  send(path: string, ask: Ask): Promise<number>;
}

export interface ApiOptions {
  readonly name: string;
  readonly base: string;
  readonly line: Line;
  /** Undefined where the provider is asked in the name of the application. */
  readonly accessToken: string | undefined;
}

export function openApi({ name, base, line, accessToken }: ApiOptions): Api {
  const go = (path: string, ask: Ask) => line(outgoing(new URL(path, base), ask, accessToken));
  const find: Api['find'] = async (schema, path, ask = {}) => {
    const answer = await go(path, ask);
    if (answer.status === 204 || ask.absent?.includes(answer.status)) return undefined;
    requireDone(name, answer);
    return readBody({ name, schema }, answer);
  };
  return {
    find,
    read: async (schema, path, ask) => {
      const found = await find(schema, path, ask);
      if (found === undefined) throw new ProviderAway(`${name} answered nothing`);
      return found;
    },
    send: async (path, ask) => (await go(path, ask)).status,
  };
}

function outgoing(url: URL, ask: Ask, accessToken: string | undefined): Outgoing {
  for (const [key, value] of Object.entries(ask.query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  const body = bodyOf(ask);
  return {
    url: url.href,
    method: ask.method ?? (body ? 'POST' : 'GET'),
    headers: {
      accept: 'application/json',
      ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
      ...(body && { 'content-type': body.type }),
      ...ask.headers,
    },
    ...(body && { body: body.text }),
  };
}

function bodyOf({ form, json }: Ask): { type: string; text: string } | undefined {
  if (json) return { type: 'application/json', text: JSON.stringify(json) };
  if (!form) return undefined;
  const fields = Object.entries(form).map(([key, value]): [string, string] => [key, String(value)]);
  return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(fields).toString() };
}

/** Throws AccessRefused where that is what a status says. */
export function requireAccess(name: string, status: number): void {
  if (status === 401) throw new AccessRefused('token_refresh_failed', `${name} refuses the access token`);
}

function requireDone(name: string, { status }: Answer): void {
  if (status < 300) return;
  requireAccess(name, status);
  if (status === 403) {
    throw new GrantLost('required_scopes_not_granted', `${name} says that the user did not grant this`);
  }
  throw new ProviderAway(`${name} answered ${status}`);
}

/** The body by the schema. Its faults name places, never what stood there. */
function readBody<T>({ name, schema }: { name: string; schema: z.ZodType<T> }, { text }: Answer): T {
  const parsed = schema.safeParse(parsedJson(name, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProviderAway(
    `${name} answered what cannot be read: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  );
}

function parsedJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderAway(`${name} answered what is not JSON`);
  }
}
