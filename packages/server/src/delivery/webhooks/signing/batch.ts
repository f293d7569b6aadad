import { signatureOf } from './signature.ts';

/** A message to one endpoint. Messages of one event share an id and a body. */
export interface SignableMessage {
  readonly id: string;
  readonly body: Uint8Array;
  readonly keys: readonly string[];
}

/** Messages for another thread: their bodies in one buffer, the rest as text, which is fast to copy. */
export interface SigningBatch {
  readonly timestamp: string;
  readonly ids: readonly string[];
  /** The end of each body. */
  readonly ends: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** One line per message: the number of its body, and its keys. */
  readonly lines: string;
}

/** An undefined message, or one without a key, gets an empty signature. */
export function packBatch(
  messages: readonly (SignableMessage | undefined)[],
  timestamp: string,
): SigningBatch {
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

/** The signatures of a batch, one line per message. */
export function signBatch({ timestamp, ids, ends, bytes, lines }: SigningBatch): string {
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
