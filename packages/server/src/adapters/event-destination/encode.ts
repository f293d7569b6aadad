import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { BrokerMessage } from './port.ts';

const GZIP_ABOVE_BYTES = 1024;
const gzipAsync = promisify(gzip);

/** A message with its encoded body: gzip above 1 KiB. */
export interface EncodedMessage {
  readonly message: BrokerMessage;
  readonly bytes: Buffer;
  readonly encoding: 'gzip' | undefined;
}

/** Encodes a whole batch before any is sent, so that a slow compression does not change the order. */
export const encodeMessages = (messages: readonly BrokerMessage[]): Promise<EncodedMessage[]> =>
  Promise.all(messages.map(encode));

async function encode(message: BrokerMessage): Promise<EncodedMessage> {
  const plain = Buffer.from(message.body);
  if (plain.length <= GZIP_ABOVE_BYTES) return { message, bytes: plain, encoding: undefined };
  return { message, bytes: await gzipAsync(plain), encoding: 'gzip' };
}

export const CONTENT_TYPE = 'application/json';
