import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidField } from '../errors.ts';
import type { BodyReceiver } from './body-receiver.ts';

const DEPTH_MAX = 64;

/**
 * Accepts JSON bodies only. An empty body counts as none, because clients send the media type with calls that need no
 * body. Depth is limited before parsing, and `__proto__` is an ordinary key that no schema names.
 */
export function addJsonParser(server: FastifyInstance, receiver: BodyReceiver): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    /^application\/([\w.-]+\+)?json(;|$)/,
    async (request: FastifyRequest, stream: IncomingMessage) =>
      parseJson(decodeUtf8(await receiver.receive(request, stream))),
  );
}

/** Keeps bodies of every media type as bytes. */
export function addBytesParser(room: FastifyInstance, receiver: BodyReceiver): void {
  room.removeAllContentTypeParsers();
  room.addContentTypeParser('*', (request: FastifyRequest, stream: IncomingMessage) =>
    receiver.receive(request, stream),
  );
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes a body without its byte order mark. Throws 422 for invalid UTF-8: decoded leniently, two names that differ in
 * a character of another encoding would become equal.
 */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidField(['body'], 'The body is not UTF-8');
  }
}

const JSON_EXPECTED = 'expected a document such as {"name": "value"}';

/** Parses JSON; undefined for blank text. Throws 422 for invalid JSON and for nesting beyond the limit. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  if (depthOf(text) > DEPTH_MAX) {
    throw invalidField(['body'], `The body is nested deeper than ${DEPTH_MAX} levels`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/, "[\s\S]*$/, '') : 'broken';
    throw invalidField(['body'], `The body is not JSON; ${JSON_EXPECTED}: ${reason.slice(0, 80)}`);
  }
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPENERS = new Set([91, 123]);
const CLOSERS = new Set([93, 125]);

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (quoted && code === BACKSLASH) index += 1;
    else if (code === QUOTE) quoted = !quoted;
    else if (!quoted && OPENERS.has(code)) deepest = Math.max(deepest, (depth += 1));
    else if (!quoted && CLOSERS.has(code)) depth -= 1;
  }
  return deepest;
}
