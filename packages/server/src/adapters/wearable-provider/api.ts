import type { z } from 'zod';
import type { ProviderResponse, ProviderHttpClient, ProviderHttpRequest } from './http-client.ts';
import { AccessTokenRejectedError, GrantLostError, ProviderUnavailableError } from './port.ts';

export interface ProviderRequestOptions {
  readonly method?: ProviderHttpRequest['method'];
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly form?: Readonly<Record<string, string | number>>;
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that mean "no data" at this path. */
  readonly emptyStatuses?: readonly number[];
}

/** A provider's API, called on behalf of one user. Throws the errors of port.ts. */
export interface ProviderApi {
  /** Fetches and parses a resource; undefined for one of the `emptyStatuses`. */
  find<T>(schema: z.ZodType<T>, path: string, ask?: ProviderRequestOptions): Promise<T | undefined>;
  /** Like `find`, for a resource that must exist. */
  read<T>(schema: z.ZodType<T>, path: string, ask?: ProviderRequestOptions): Promise<T>;
  /** Returns the response status. Throws only for temporary failures. */
  send(path: string, ask: ProviderRequestOptions): Promise<number>;
}

interface ProviderApiOptions {
  readonly name: string;
  readonly base: string;
  readonly http: ProviderHttpClient;
  /** Undefined for calls on behalf of the application. */
  readonly accessToken: string | undefined;
}

export function createProviderApi({ name, base, http, accessToken }: ProviderApiOptions): ProviderApi {
  const go = (path: string, ask: ProviderRequestOptions) =>
    http(toHttpRequest(new URL(path, base), ask, accessToken));
  const find: ProviderApi['find'] = async (schema, path, ask = {}) => {
    const answer = await go(path, ask);
    if (answer.status === 204 || ask.emptyStatuses?.includes(answer.status)) return undefined;
    assertSuccess(name, answer);
    return parseBody({ name, schema }, answer);
  };
  return {
    find,
    read: async (schema, path, ask) => {
      const found = await find(schema, path, ask);
      if (found === undefined) throw new ProviderUnavailableError(`${name} returned no content`);
      return found;
    },
    send: async (path, ask) => (await go(path, ask)).status,
  };
}

function toHttpRequest(
  url: URL,
  ask: ProviderRequestOptions,
  accessToken: string | undefined,
): ProviderHttpRequest {
  for (const [key, value] of Object.entries(ask.query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  const body = encodeBody(ask);
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

function encodeBody({ form, json }: ProviderRequestOptions): { type: string; text: string } | undefined {
  if (json) return { type: 'application/json', text: JSON.stringify(json) };
  if (!form) return undefined;
  const fields = Object.entries(form).map(([key, value]): [string, string] => [key, String(value)]);
  return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(fields).toString() };
}

/** Throws AccessTokenRejectedError for status 401. */
export function assertAccess(name: string, status: number): void {
  if (status === 401)
    throw new AccessTokenRejectedError('token_refresh_failed', `${name} rejected the access token`);
}

function assertSuccess(name: string, { status }: ProviderResponse): void {
  if (status < 300) return;
  assertAccess(name, status);
  if (status === 403) {
    throw new GrantLostError(
      'required_scopes_not_granted',
      `${name} reports that the user did not grant the required scope`,
    );
  }
  throw new ProviderUnavailableError(`${name} answered ${status}`);
}

/** Parses the body. Error messages name the invalid path, never its value, which is health data. */
function parseBody<T>(
  { name, schema }: { name: string; schema: z.ZodType<T> },
  { text }: ProviderResponse,
): T {
  const parsed = schema.safeParse(parseJson(name, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProviderUnavailableError(
    `${name} sent a response that cannot be read: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  );
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderUnavailableError(`${name} sent a response that is not JSON`);
  }
}
