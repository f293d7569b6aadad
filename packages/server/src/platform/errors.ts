/** Every failure that a caller can act on. All other errors are bugs and become a 500. */
export type ErrorKind =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'timed_out'
  | 'conflict'
  | 'gone'
  | 'invalid'
  | 'too_large'
  | 'unsupported_media_type'
  | 'too_many'
  | 'unavailable';

// prettier-ignore
export const statusOf: Record<ErrorKind, number> = {
  bad_request: 400, unauthorized: 401, forbidden: 403, not_found: 404, method_not_allowed: 405, timed_out: 408, conflict: 409, gone: 410,
  invalid: 422, too_large: 413, unsupported_media_type: 415, too_many: 429, unavailable: 503,
};

/** One invalid field of a request. `loc` starts with body, query, path or header. */
export interface FieldError {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** The `detail` of an error body: a sentence, the field errors of a 422, or an object defined by the operation. */
export type ErrorDetail = string | FieldError[] | Record<string, unknown>;

export class DomainError extends Error {
  readonly kind: ErrorKind;
  readonly detail: ErrorDetail;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, detail: ErrorDetail, retryAfterSeconds?: number) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail));
    this.name = 'DomainError';
    this.kind = kind;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A 401 for a request without an API key. It names the expected header, because a key in another header is ignored. */
export class MissingApiKeyError extends DomainError {
  readonly header: string;

  constructor(header: string, detail: string) {
    super('unauthorized', detail);
    this.header = header;
  }
}

/** A 422 for a rule that a schema cannot express, at the field that broke it. */
export const invalidField = (loc: (string | number)[], msg: string): DomainError =>
  new DomainError('invalid', [{ loc, msg, type: 'value_error' }]);

/** Returns the thing, or throws a 404 that names its kind. */
export function requireFound<T>(thing: T | undefined | null, kind: string): T {
  if (thing === undefined || thing === null) throw new DomainError('not_found', `${kind} not found`);
  return thing;
}
