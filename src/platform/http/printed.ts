import type { z } from 'zod';
import { isStrict, serializerOf } from './serializer.ts';

/** The JSON text of a body that was put together of printed parts. */
export class Printed {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A body of texts that the serializers of its parts made, some of them long ago: for answers of which most never
 * changes. Each property has its text; what is missing is missing in the answer, which the tests would see.
 */
export function printed<S extends z.ZodType>(schema: S, parts: Readonly<Record<string, string>>): Printed {
  const text = `{${Object.entries(parts)
    .map(([name, part]) => `${JSON.stringify(name)}:${part}`)
    .join(',')}}`;
  if (isStrict()) serializerOf(schema)(JSON.parse(text));
  return new Printed(text);
}
