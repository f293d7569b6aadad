import type { z } from 'zod';
import { isStrict, serializerOf } from './serializer.ts';

/** The JSON text of a body that was put together of printed parts. */
export class Printed {
  readonly text: string | Buffer;
  constructor(text: string | Buffer) {
    this.text = text;
  }
}

/**
 * A body of texts that the serializers of its parts made, some of them long ago: for answers of which most never
 * changes. Each property has its text; what is missing is missing in the answer, which the tests would see.
 */
export function printed<S extends z.ZodType>(
  schema: S,
  parts: Readonly<Record<string, string | Buffer>>,
): Printed {
  const pieces: Buffer[] = [];
  // What was printed long ago is bytes, of which no text is made.
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
  if (isStrict()) serializerOf(schema)(JSON.parse(text.toString()));
  return new Printed(text);
}
