/** Every failure that a caller can act on. Anything else is a bug and becomes a 500. */
export type ErrorKind =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'invalid'
  | 'too_large'
  | 'unsupported_media_type'
  | 'too_many'
  | 'unavailable';

// prettier-ignore
export const statusOf: Record<ErrorKind, number> = {
  bad_request: 400, unauthorized: 401, forbidden: 403, not_found: 404, conflict: 409, invalid: 422,
  too_large: 413, unsupported_media_type: 415, too_many: 429, unavailable: 503,
};

/** One wrong place in a request: `loc` starts with body, query, path or header. */
export interface Fault {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** What the body's `detail` carries: a sentence, the faults of a 422, or an object where the interface names one. */
export type Detail = string | Fault[] | Record<string, unknown>;

export class DomainError extends Error {
  readonly kind: ErrorKind;
  readonly detail: Detail;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, detail: Detail, retryAfterSeconds?: number) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail));
    this.name = 'DomainError';
    this.kind = kind;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A 401 where no key came. It says in which header one is expected: a key in another is not seen. */
export class KeyMissing extends DomainError {
  readonly header: string;

  constructor(header: string) {
    super('unauthorized', 'Invalid API key');
    this.header = header;
  }
}

/** A 422 for a rule that a schema cannot say, at the place where it was broken. */
export const invalidField = (loc: (string | number)[], msg: string): DomainError =>
  new DomainError('invalid', [{ loc, msg, type: 'value_error' }]);

/** The thing, or a 404 that names its kind. */
export function found<T>(thing: T | undefined | null, kind: string): T {
  if (thing === undefined || thing === null) throw new DomainError('not_found', `${kind} not found`);
  return thing;
}
