import type { z } from 'zod';
import { isStrictSerialization, serializerOf } from './serializer.ts';

/** The JSON text of a body that was assembled from serialized parts. */
export class SerializedJson {
  readonly text: string | Buffer;
  constructor(text: string | Buffer) {
    this.text = text;
  }
}

/**
 * Assembles a body from serialized parts, some of them cached: for responses most of which never change. Each property
 * has its text. A missing property is missing in the response, which the tests detect.
 */
export function joinSerialized<S extends z.ZodType>(
  schema: S,
  parts: Readonly<Record<string, string | Buffer>>,
): SerializedJson {
  const pieces: Buffer[] = [];
  // Cached parts are bytes and are not decoded.
  let before = '{';
  for (const [n, [name, part]] of Object.entries(parts).entries()) {
    before += `${n > 0 ? ',' : ''}${JSON.stringify(name)}:`;
    if (typeof part === 'string') before += part;
    else {
      pieces.push(Buffer.from(before), part);
      before = '';
    }
  }
  pieces.push(Buffer.from(`${before}}`));
  const text = Buffer.concat(pieces);
  if (isStrictSerialization()) serializerOf(schema)(JSON.parse(text.toString()));
  return new SerializedJson(text);
}
