import {
  describeType,
  listConstraints,
  listValues,
} from '../../packages/server/src/reference/describe-schema.ts';
import type { ComponentSchemas, JsonSchema } from '../../packages/server/src/reference/document.ts';
import { resolveSchema } from '../../packages/server/src/reference/resolve.ts';
import { table } from '../drift/markdown.ts';
import { codeSpan, inMarkdown, prose } from './markdown-text.ts';

/** Where the schemas of the document are, and where each of them is described. */
export interface FieldContext {
  readonly schemas: ComponentSchemas;
  readonly linkTo: (schema: string) => string;
}

/** Objects without a name are spelled out to this depth. */
const DEPTH = 3;

/** A table of the fields of a schema, named ones in it by a link; undefined for one that has no fields. */
export function fieldTable(context: FieldContext, schema: JsonSchema): string | undefined {
  const rows = fieldRows(context, schema, { prefix: '', depth: 0 });
  return rows.length === 0 ? undefined : table(['Field', 'Type', 'Meaning'], rows);
}

function fieldRows(
  context: FieldContext,
  given: JsonSchema,
  { prefix, depth }: { readonly prefix: string; readonly depth: number },
): string[][] {
  const { shape } = resolveSchema(context.schemas, given);
  if (depth >= DEPTH) return [];
  const required = new Set(shape.required ?? []);
  return Object.entries(shape.properties ?? {}).flatMap(([name, part]) => {
    const mark = required.has(name) ? '' : ', optional';
    const own = [codeSpan(prefix + name), typeText(context, part) + mark, meaningOf(context, part)];
    const seen = resolveSchema(context.schemas, part);
    const inner = seen.shape.items ? resolveSchema(context.schemas, seen.shape.items) : seen;
    if (inner.name !== undefined || inner.shape.properties === undefined) return [own];
    const place = { prefix: `${prefix}${name}${seen.shape.items ? '[]' : ''}.`, depth: depth + 1 };
    return [own, ...fieldRows(context, inner.shape, place)];
  });
}

export const typeText = (context: FieldContext, schema: JsonSchema): string =>
  inMarkdown(describeType(context.schemas, schema), context.linkTo);

/** The description, then the bounds and the allowed values. */
export function meaningOf(context: FieldContext, schema: JsonSchema): string {
  const { shape } = resolveSchema(context.schemas, schema);
  const values = listValues(context.schemas, schema).map((value) => codeSpan(printed(value)));
  const limits = listConstraints(context.schemas, schema).map((fact) => inMarkdown(fact, context.linkTo));
  const facts = [
    shape.deprecated === true ? 'Deprecated.' : '',
    prose(schema.description ?? shape.description ?? ''),
    limits.length > 0 ? `${upperFirst(limits.join('; '))}.` : '',
    values.length > 0 ? `One of ${values.join(', ')}.` : '',
  ];
  return facts.filter((fact) => fact !== '').join(' ');
}

const printed = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? value : JSON.stringify(value);

const upperFirst = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
