import { UnreadableMessageError } from '../protocol.ts';
import { CONTINUATION_POINTER, CONTINUED, CONTINUES } from './continuation.ts';
import type { FieldReader, Hl7Segment } from './syntax.ts';

/** Throws UnreadableMessageError for a part of a longer message. */
export function assertWholeMessage(read: FieldReader, segments: readonly Hl7Segment[]): void {
  if (read.get(segments[0], CONTINUATION_POINTER) !== null) throw new UnreadableMessageError(CONTINUES);
  const isContinued = segments.some((segment) => segment.name === 'DSC' && read.get(segment, 1) !== null);
  if (isContinued) throw new UnreadableMessageError(CONTINUED);
}
