import type { z } from 'zod';
import { describeSchema, type Described } from './json-schema.ts';
import { code, printedFrom, table } from './markdown.ts';

/** docs/reference/configuration.md: one row a variable. */
export function configurationPage(schema: z.ZodObject): string {
  const described = describeSchema(schema, 'input');
  const rows = Object.entries(described.properties ?? {}).map(([name, part]) => [
    code(name),
    part.default === undefined ? '' : code(String(part.default)),
    accepts(part),
    part.description ?? '',
  ]);
  return [
    '# Configuration',
    '',
    printedFrom('packages/server/src/platform/config.ts'),
    '',
    'Everything is set by environment variables, and nothing has to be set. An empty variable counts as not set.',
    'A start with mistakes names all of them at once and exits with 1.',
    '',
    'With `_FILE` after its name, a variable is the path of a file that has the value: `DATABASE_URL_FILE`,',
    '`ENCRYPTION_KEY_FILE`. Secrets then are in no environment. Variables whose own name ends with `_FILE` stay paths.',
    '',
    table(['variable', 'default', 'accepts', 'what it does'], rows),
    '',
  ].join('\n');
}

function accepts({ type, enum: values, minimum, maximum, pattern }: Described): string {
  if (values) return values.map((value) => code(String(value))).join(', ');
  if (type === 'integer') return `${minimum} to ${maximum}`;
  return pattern === undefined ? 'text' : `text that matches ${code(pattern.replaceAll('\\/', '/'))}`;
}
