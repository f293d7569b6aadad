import { UnreadableMessageError } from '../protocol.ts';

/*
 * HL7 v2.5.1, chapter 2.10.2. A long segment is sent as itself and ADD segments, which have the rest: they are joined. A
 * long message is sent as several, linked by DSC-1 and MSH-14: these are refused, because no part may be acknowledged as
 * a report before the others are there, and the laboratory would not learn that one was lost. The texts fit into MSA-3.
 */

export const CONTINUED = 'The message is continued in another one (DSC, ADD): send it as one message';
export const CONTINUES = 'The message continues another one (MSH-14): send both as one message';
const DETACHED = 'An ADD segment continues no segment that can be continued';

const CONTINUATION = /^[ \t]*ADD(?![A-Z0-9])/i;
/** The standard forbids to continue these. */
const WHOLE_SEGMENTS = new Set(['FHS', 'BHS', 'PID', 'DSC', 'MSA']);
/** MSH-14. */
export const CONTINUATION_POINTER = 14;

export const isContinuationLine = (line: string, field: string): boolean => {
  const [name] = CONTINUATION.exec(line) ?? [];
  return name !== undefined && (line.startsWith(field, name.length) || line.trim() === name.trim());
};

/**
 * The lines that are not blank, each with the ADD segments that continue it. Throws UnreadableMessageError for an ADD
 * segment without content, whose rest is in another message, and for one that continues nothing.
 */
export function joinContinuedLines(lines: readonly string[], field: string): string[] {
  const joined: string[] = [];
  for (const line of lines) {
    if (line.trim() === '') continue;
    if (!isContinuationLine(line, field)) {
      joined.push(line);
      continue;
    }
    const last = joined.at(-1) ?? '';
    if (last.startsWith('MSH')) {
      const isPointed = (last.split(field)[CONTINUATION_POINTER - 1] ?? '') !== '';
      throw new UnreadableMessageError(isPointed ? CONTINUES : DETACHED);
    }
    if (WHOLE_SEGMENTS.has(last.slice(0, 3).toUpperCase())) throw new UnreadableMessageError(DETACHED);
    const content = line.indexOf(field);
    if (content === -1) throw new UnreadableMessageError(CONTINUED);
    joined[joined.length - 1] = last + line.slice(content + 1);
  }
  return joined;
}
