import { signatureOf } from './signature.ts';

/** A message to one endpoint. Those of one event have one id and one body between them. */
export interface ToSign {
  readonly id: string;
  readonly body: Uint8Array;
  readonly keys: readonly string[];
}

/** Messages on their way to another thread: their bodies in one piece, all else in text, which is quick to copy. */
export interface Batch {
  readonly timestamp: string;
  readonly ids: readonly string[];
  /** Where each body ends. */
  readonly ends: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** A line for each message: the number of its body, and its keys. */
  readonly lines: string;
}

/** A message that is undefined, or has no key, gets an empty signature. */
export function packed(messages: readonly (ToSign | undefined)[], timestamp: string): Batch {
  const numbers = new Map<string, number>();
  const bodies: Uint8Array[] = [];
  const ends: number[] = [];
  const lines: string[] = [];
  let length = 0;
  for (const message of messages) {
    if (!message || message.keys.length === 0) {
      lines.push('');
      continue;
    }
    let number = numbers.get(message.id);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(message.id, number);
      bodies.push(message.body);
      length += message.body.length;
      ends.push(length);
    }
    lines.push(`${number} ${message.keys.join(' ')}`);
  }
  const bytes = new Uint8Array(length);
  for (const [number, body] of bodies.entries()) bytes.set(body, ends[number - 1] ?? 0);
  return { timestamp, ids: [...numbers.keys()], ends, bytes, lines: lines.join('\n') };
}

/** The signatures of a batch, a line for each message. */
export function signaturesOf({ timestamp, ids, ends, bytes, lines }: Batch): string {
  const messages = ids.map((id, n) => ({ id, timestamp, body: bytes.subarray(ends[n - 1] ?? 0, ends[n]) }));
  return lines
    .split('\n')
    .map((line) => {
      const [number, ...keys] = line.split(' ');
      const message = messages[Number(number)];
      return line === '' || !message ? '' : signatureOf(message, keys);
    })
    .join('\n');
}
