import { DomainError, invalidField } from '../platform/errors.ts';
import type { LogBounds } from './store.ts';

/** Throws where events after a cursor are missing. 422: the log never reached it. 410: the retention passed it. */
export function requireReadableCursor(after: number, { newest, removedTo }: LogBounds): void {
  if (after > newest) throw invalidCursor(newest);
  if (after > 0 && after < removedTo) throw expiredCursor(removedTo);
}

/** Without it, a client would silently miss all events up to its position. */
const invalidCursor = (newest: number): DomainError =>
  invalidField(
    ['query', 'after'],
    `The newest position of this log is ${newest}. The cursor belongs to another log, or to a time after the backup ` +
      'that was restored: read from an earlier position',
  );

/** Without it, a client would silently miss the events that were removed after its position. */
const expiredCursor = (removedTo: number): DomainError =>
  new DomainError(
    'gone',
    `Events up to position ${removedTo} were removed, because they are older than this log keeps them. Read from ` +
      `after=${removedTo} to continue, or from after=0 for every event that is kept`,
  );
