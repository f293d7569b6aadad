import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Message } from './port.ts';

const GZIP_ABOVE_BYTES = 1024;
const zip = promisify(gzip);

/** A message with the bytes of its body, and how they are encoded: gzip above 1 KiB. */
export interface Encoded {
  readonly message: Message;
  readonly bytes: Buffer;
  readonly encoding: 'gzip' | undefined;
}

/** All together, so that none overtakes another one that takes longer to compress. */
export const encodeAll = (messages: readonly Message[]): Promise<Encoded[]> =>
  Promise.all(messages.map(encode));

async function encode(message: Message): Promise<Encoded> {
  const plain = Buffer.from(message.body);
  if (plain.length <= GZIP_ABOVE_BYTES) return { message, bytes: plain, encoding: undefined };
  return { message, bytes: await zip(plain), encoding: 'gzip' };
}

export const CONTENT_TYPE = 'application/json';
