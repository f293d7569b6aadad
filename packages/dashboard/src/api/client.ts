import createFetchClient, { type Middleware } from 'openapi-fetch';
import createQueryClient from 'openapi-react-query';
import type { paths } from './openapi.d.ts';
import { BRAND, PREFIX } from './service.ts';

export type Environment = 'sandbox' | 'production';

/** The team and environment that the URL names. */
export interface Tenant {
  readonly teamId: string;
  readonly environment: Environment;
}

interface RequestContext {
  tenant: Tenant | undefined;
  csrfToken: string | undefined;
  /** Called for a 401: the session has ended. */
  onSignedOut: (() => void) | undefined;
  /** Asks the member for the credentials; false: the member declined. */
  onReauthenticate: (() => Promise<boolean>) | undefined;
}

/** What every request carries beside its own parts. Set by the pages that know it: there is one per browser tab. */
export const requestContext: RequestContext = {
  tenant: undefined,
  csrfToken: undefined,
  onSignedOut: undefined,
  onReauthenticate: undefined,
};

const SAFE = new Set(['GET', 'HEAD']);

/** The body of a request can be read once, so a copy is kept until its answer came. */
const sent = new Map<string, Request>();

const withContext: Middleware = {
  onRequest: ({ request, id }) => {
    addContext(request);
    sent.set(id, request.clone());
    return request;
  },
  onResponse: async ({ response, request, id }) => {
    const copy = sent.get(id);
    sent.delete(id);
    if (response.ok) return response;
    if (response.status === 401 && !isAboutSignIn(request)) {
      requestContext.onSignedOut?.();
    }
    const error = await ApiError.of(response);
    const isRefused = error.code === 'reauthentication_required' && copy !== undefined;
    if (!isRefused || !(await requestContext.onReauthenticate?.())) throw error;
    addContext(copy);
    const again = await fetch(copy);
    if (again.ok) return again;
    throw await ApiError.of(again);
  },
  onError: ({ id }) => {
    sent.delete(id);
  },
};

/** There a 401 is about what was typed, not about the session. */
const isAboutSignIn = ({ url }: Request): boolean =>
  /\/v1\/(?:session|account\/totp\/confirm)/.test(new URL(url).pathname);

function addContext(request: Request): void {
  const { tenant, csrfToken } = requestContext;
  if (tenant) {
    request.headers.set(`x-${BRAND}-team-id`, tenant.teamId);
    request.headers.set(`x-${BRAND}-environment`, tenant.environment);
  }
  if (csrfToken !== undefined && !SAFE.has(request.method)) request.headers.set('x-csrf-token', csrfToken);
}

/** What is wrong with one field of a request: `patient_address.zip`. */
interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** An answer of the API that is not a success, with what it says. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The machine-readable code, where the API gives one: `role_required`, `reauthentication_required`. */
  readonly code: string | undefined;
  readonly requestId: string | null;
  /** The fields that are wrong, for forms that show each problem at its place. */
  readonly problems: readonly FieldProblem[];

  constructor(
    message: string,
    given: {
      status: number;
      code: string | undefined;
      requestId: string | null;
      problems?: readonly FieldProblem[];
    },
  ) {
    super(message);
    this.problems = given.problems ?? [];
    this.status = given.status;
    this.code = given.code;
    this.requestId = given.requestId;
  }

  static async of(response: Response): Promise<ApiError> {
    const body: unknown = await response.json().catch(() => undefined);
    const { message, code } = readDetail(body);
    return new ApiError(message ?? `The service answered ${response.status}`, {
      status: response.status,
      code,
      requestId: response.headers.get('x-request-id'),
      problems: readProblems(body),
    });
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The three forms of `detail`: a text, an object with a code, a list of the places that are wrong. */
function readDetail(body: unknown): { message?: string; code?: string } {
  const detail = isRecord(body) ? body['detail'] : undefined;
  if (typeof detail === 'string') return { message: detail };
  if (Array.isArray(detail)) return { message: detail.map(describePlace).join('; ') };
  if (!isRecord(detail)) return {};
  const { message, code } = detail;
  return {
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof code === 'string' ? { code } : {}),
  };
}

function describePlace(problem: unknown): string {
  if (!isRecord(problem)) return String(problem);
  const { loc, msg } = problem;
  const place = Array.isArray(loc) ? loc.slice(1).join('.') : '';
  return place === '' ? String(msg) : `${place}: ${String(msg)}`;
}

function readProblems(body: unknown): FieldProblem[] {
  const detail = isRecord(body) ? body['detail'] : undefined;
  if (!Array.isArray(detail)) return [];
  return detail.filter(isRecord).map(({ loc, msg }) => ({
    field: Array.isArray(loc) ? loc.slice(1).join('.') : '',
    message: String(msg),
  }));
}

/** Calls of the API with the types of its OpenAPI document. Answers that are no success are thrown as ApiError. */
export const client = createFetchClient<paths>({ baseUrl: `${location.origin}${PREFIX}` });
client.use(withContext);

/** The same as hooks: `api.useQuery('get', '/v3/order/{order_id}', …)`. */
export const api = createQueryClient(client);

/** A URL of the API for what cannot send headers: an EventSource, a download. Only GET is permitted so. */
export function urlOf(path: string, query: Record<string, string> = {}): string {
  const { tenant } = requestContext;
  const scope = tenant ? { session_team_id: tenant.teamId, session_environment: tenant.environment } : {};
  return `${PREFIX}${path}?${new URLSearchParams({ ...query, ...scope }).toString()}`;
}

/** A file of the API as a blob, for documents and images that the page shows from memory. */
export async function fetchFile(path: string, accept?: string): Promise<Blob> {
  const { tenant } = requestContext;
  const headers = new Headers(accept === undefined ? {} : { accept });
  if (tenant) {
    headers.set(`x-${BRAND}-team-id`, tenant.teamId);
    headers.set(`x-${BRAND}-environment`, tenant.environment);
  }
  const response = await fetch(`${PREFIX}${path}`, { headers });
  if (!response.ok) throw await ApiError.of(response);
  return response.blob();
}

/**
 * Sends a request that a person wrote, as the signed-in member, and gives every answer as it is, also a refusal. Unlike
 * `client`, it knows no types and ends no session.
 */
export async function sendAsMember(request: Request): Promise<Response> {
  const copy = request.clone();
  addContext(request);
  const response = await fetch(request);
  if (response.status !== 403) return response;
  const { code } = await ApiError.of(response.clone());
  if (code !== 'reauthentication_required' || !(await requestContext.onReauthenticate?.())) return response;
  addContext(copy);
  return fetch(copy);
}
