import { request, type Agent } from 'undici';
import { z } from 'zod';

type QueryValue = string | number | boolean | readonly string[] | null | undefined;

interface ApiCall<S extends z.ZodType> {
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** The schema of the parts of the response that the tool returns. */
  readonly answer: S;
}

interface ApiChange<S extends z.ZodType> extends ApiCall<S> {
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** Reads with the team key. Throws AssistantApiError. */
export interface ReadApi {
  get<S extends z.ZodType>(call: ApiCall<S>): Promise<z.output<S>>;
}

/** Also changes, in a sandbox. */
export interface SandboxApi extends ReadApi {
  post<S extends z.ZodType>(call: ApiChange<S>): Promise<z.output<S>>;
  /** Calls the Management API for the sandbox of the team: the path goes on behind `.../sandbox`. */
  manage<S extends z.ZodType>(call: ApiChange<S>): Promise<z.output<S>>;
}

/** A running service, and the keys for it. */
export interface AssistantTarget {
  readonly url: string;
  readonly brand: string;
  readonly teamKey: string;
  readonly managementKey?: string | undefined;
  readonly dispatcher?: Agent | undefined;
}

/** A call that failed. The message is for the assistant: what is wrong, and what to do. */
export class AssistantApiError extends Error {
  /** Undefined without a response. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.name = 'AssistantApiError';
    this.status = status;
  }
}

const CredentialAnswer = z.object({
  team_id: z.string(),
  org_id: z.string(),
  environment: z.enum(['sandbox', 'production']),
  limits: z
    .object({ read_only: z.boolean(), areas: z.array(z.string()).nullable(), assistants: z.boolean() })
    .nullable(),
});

/** What a key opens. */
export type KeyGrant = z.output<typeof CredentialAnswer>;

/** Reads what the key opens. Every call of it is in the access log, with the name of the tool. */
export const readKeyGrant = (target: AssistantTarget, tool: string): Promise<KeyGrant> =>
  send(target, tool, { method: 'GET', path: '/v1/credential', answer: CredentialAnswer });

/** The API for one call of a tool, whose name goes along. */
export function openAssistantApi(target: AssistantTarget, grant: KeyGrant, tool: string): SandboxApi {
  const tenant = `/v1/org/${grant.org_id}/team/${grant.team_id}/sandbox`;
  return {
    get: (call) => send(target, tool, { ...call, method: 'GET' }),
    post: (call) => send(target, tool, { ...call, method: 'POST' }),
    manage: (call) =>
      send(target, tool, { ...call, method: 'POST', path: tenant + call.path, isManagement: true }),
  };
}

const TIMEOUT_MS = 90_000;
const OK = 200;
const NO_CONTENT = 204;

interface SentCall<S extends z.ZodType> extends ApiChange<S> {
  readonly method: 'GET' | 'POST';
  readonly isManagement?: boolean;
}

async function send<S extends z.ZodType>(
  target: AssistantTarget,
  tool: string,
  call: SentCall<S>,
): Promise<z.output<S>> {
  const { url, dispatcher } = target;
  const address = new URL(url + call.path);
  for (const [name, value] of Object.entries(call.query ?? {}))
    for (const one of [value ?? []].flat()) address.searchParams.append(name, String(one));
  const answered = await request(address, {
    method: call.method,
    headers: headersOf(target, tool, call),
    body: call.body === undefined ? null : JSON.stringify(call.body),
    ...(dispatcher && { dispatcher }),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })
    .then(async ({ statusCode: status, body }) => ({ status, text: await body.text() }))
    .catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'no response';
      throw new AssistantApiError(
        `No service responds at ${url} (${code}). Ask the person to start it, or to set the URL of \`aliquot mcp\`.`,
      );
    });
  const { status, text } = answered;
  if (status !== OK && status !== NO_CONTENT)
    throw new AssistantApiError(describeRefusal(status, text), status);
  const parsed = call.answer.safeParse(status === NO_CONTENT ? {} : readJson(text));
  if (parsed.success) return parsed.data;
  throw new AssistantApiError(
    'The response of the service is not the expected one: it is of another version.',
  );
}

function headersOf(target: AssistantTarget, tool: string, call: SentCall<z.ZodType>): Record<string, string> {
  const { brand, teamKey, managementKey } = target;
  return {
    'user-agent': 'aliquot-mcp',
    'x-assistant-tool': tool,
    ...(call.isManagement
      ? { 'x-management-key': managementKey ?? '' }
      : { [`x-${brand}-api-key`]: teamKey }),
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(call.idempotencyKey === undefined ? {} : { 'x-idempotency-key': call.idempotencyKey }),
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const RefusalBody = z.object({
  detail: z.union([
    z.string(),
    z
      .array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() }))
      .transform((faults) => faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ')),
    z.object({ error_message: z.string() }).transform(({ error_message: message }) => message),
  ]),
});

const NEXT_STEPS: Readonly<Record<number, string>> = {
  401: 'Ask the person for a key that works.',
  403: 'The key does not permit this. Do not try again; tell the person.',
  404: 'Check the id: find it with a list or search tool.',
  409: 'Read the current state, then decide.',
  410: 'Read on from the oldest event: pass after 0.',
  422: 'Correct these arguments and call the tool again.',
  429: 'Too many calls: wait a minute.',
};

function describeRefusal(status: number, text: string): string {
  const read = RefusalBody.safeParse(readJson(text));
  const detail = read.success ? read.data.detail : 'no reason given';
  return [`${detail.replace(/\.$/, '')} (status ${status}).`, NEXT_STEPS[status] ?? []].flat().join(' ');
}
