import { DomainError, type ErrorKind } from '../../platform/errors.ts';

/** The detail error keywords of RFC 7644, 3.12. */
type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers';

/** A failure that the directory can act on, as an error of RFC 7644, 3.12. */
export class ScimError extends DomainError {
  readonly scimType: ScimType | undefined;
  /** The HTTP status, where no kind of error has it. */
  readonly status: number | undefined;

  constructor(
    kind: ErrorKind,
    detail: string,
    { scimType, status }: { scimType?: ScimType; status?: number },
  ) {
    super(kind, detail);
    this.name = 'ScimError';
    this.scimType = scimType;
    this.status = status;
  }
}

/** A 400 with its keyword. */
export const scimError = (scimType: ScimType, detail: string): ScimError =>
  new ScimError('bad_request', detail, { scimType });

/** A 409: another resource has this value. */
export const notUnique = (detail: string): ScimError =>
  new ScimError('conflict', detail, { scimType: 'uniqueness' });

/** A 412: the resource is no longer the version that the request is about. */
export const versionMismatch = (): ScimError =>
  new ScimError('conflict', 'The resource has changed: read it again', { status: 412 });
