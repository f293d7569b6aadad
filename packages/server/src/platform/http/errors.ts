import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, MissingApiKeyError, statusOf, type ErrorKind, type FieldError } from '../errors.ts';
import type { Log } from '../log.ts';
import { RateLimitError } from '../rate-limit/rate-limiter.ts';

/** Errors of the framework, mapped to our own messages. */
// prettier-ignore
const frameworkErrors: Record<string, readonly [ErrorKind, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE:      ['too_large', 'The body is larger than the limit'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE:  ['unsupported_media_type', 'Expected a body of type application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'The body length does not match Content-Length'],
  FST_ERR_BAD_URL:                 ['bad_request', 'The path is not a valid URL'],
  FST_ERR_MAX_PARAM_LENGTH:        ['not_found', 'A path segment is too long'],
};

/** The body of an error; undefined for an internal one. */
type ErrorRenderer = (
  error: DomainError | undefined,
  requestId: string,
) => { readonly status: number; readonly type: string; readonly text: string };

const renderDetail: ErrorRenderer = (error, requestId) => ({
  status: error ? statusOf[error.kind] : 500,
  type: 'application/json',
  text: JSON.stringify({ detail: error ? error.detail : `Internal error. Request id: ${requestId}` }),
});

/** What was wrong with a request, without values. */
interface RequestProblem {
  readonly code: string;
  readonly errors: readonly FieldError[];
}

const problems = new WeakMap<FastifyRequest, RequestProblem>();

/** The failure that was sent as the response of a request; null if there was none. */
export const problemOf = (request: FastifyRequest): RequestProblem | null => problems.get(request) ?? null;

function describeProblem(error: DomainError | undefined): RequestProblem {
  if (!error) return { code: 'internal_error', errors: [] };
  const { detail, kind } = error;
  if (Array.isArray(detail)) return { code: kind, errors: detail };
  const code = typeof detail === 'object' ? detail['code'] : undefined;
  return { code: typeof code === 'string' ? code : kind, errors: [] };
}

/** Sends every failure as `{"detail": ...}`. An internal error reveals only the request id. */
export const createErrorHandler =
  (log: Log, render = renderDetail) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const known = toDomainError(error);
    problems.set(request, describeProblem(known));
    if (known?.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds));
    if (known instanceof RateLimitError) reply.headers(known.headers);
    if (known instanceof MissingApiKeyError) {
      reply.header('www-authenticate', `ApiKey in="header", name="${known.header}"`);
    }
    if (!known) {
      log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, 'request failed');
    }
    const { status, type, text } = render(known, request.id);
    return reply.code(status).type(type).send(text);
  };

function toDomainError(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const { code, statusCode } = error as FastifyError;
  const known = frameworkErrors[code];
  if (known) return new DomainError(known[0], known[1]);
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500
    ? new DomainError('bad_request', 'The request cannot be read')
    : undefined;
}
