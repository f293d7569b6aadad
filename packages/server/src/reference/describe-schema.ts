import type { ComponentSchemas, JsonSchema } from './document.ts';
import { toAnchorId, html, joinHtml, type Html } from './html.ts';
import { jsonTypes, resolveSchema, mapValueSchema, type ResolvedSchema } from './resolve.ts';

/** Longer lists of values are shown only in their named schema, if they have one. */
const VALUES_IN_LINE = 10;
/** Longer patterns are omitted; the format or the description says more. */
const PATTERN_LENGTH = 60;

/** A link to a named schema; long names may wrap before capitals. */
export function schemaLink(name: string): Html {
  const words = name.split(/(?<=[a-z])(?=[A-Z])/).map((word) => html`${word}`);
  return html`<a href="#${toAnchorId(name, 'schema-')}">${joinHtml(words, html`<wbr />`)}</a>`;
}

/**
 * The type of a value in words: `string (uuid)`, `array of Order or null`. Terminates on recursive schemas, because a
 * named structure inside another is only linked.
 */
export function describeType(schemas: ComponentSchemas, shape: JsonSchema, inside = false): Html {
  const seen = resolveSchema(schemas, shape);
  const own = describeOwnType(schemas, seen, inside);
  return seen.nullable ? html`${own} or null` : own;
}

function describeOwnType(schemas: ComponentSchemas, seen: ResolvedSchema, inside: boolean): Html {
  const { shape, name, options } = seen;
  const map = mapValueSchema(shape);
  const spelled = !inside && (options.length > 0 || shape.items !== undefined || map !== undefined);
  if (name !== undefined && !spelled && isStructure(seen)) return schemaLink(name);
  if (name !== undefined && (shape.enum ?? []).length > VALUES_IN_LINE) return schemaLink(name);
  if (options.length > 0)
    return joinAlternatives(options.map((option) => describeType(schemas, option, true)));
  if (shape.items) return html`array of ${describeType(schemas, shape.items, true)}`;
  if (map)
    return Object.keys(map).length > 0 ? html`map of ${describeType(schemas, map, true)}` : html`object`;
  const types = jsonTypes(shape).join(' or ') || 'any';
  return shape.format === undefined ? html`${types}` : html`${types} (${shape.format})`;
}

function isStructure({ shape, options }: ResolvedSchema): boolean {
  return options.length > 0 || shape.properties !== undefined || shape.items !== undefined;
}

function joinAlternatives(kinds: readonly Html[]): Html {
  const different = new Map(kinds.map((one) => [one.markup, one]));
  return joinHtml([...different.values()], html` or `);
}

/** The bounds, default and pattern of a schema, and of the items of an array. */
export function listConstraints(schemas: ComponentSchemas, given: JsonSchema): readonly Html[] {
  const { shape } = resolveSchema(schemas, given);
  const items = shape.items && resolveSchema(schemas, shape.items).shape;
  return [
    describeBounds(shape.minItems, shape.maxItems, 'item'),
    ...(items && !items.properties ? listBounds(items).map((fact) => html`each ${fact}`) : []),
    ...listBounds(shape),
    describeDefault(shape.default),
    shape.const === undefined ? undefined : html`only ${renderValue(shape.const)}`,
  ].filter((fact) => fact !== undefined);
}

const listBounds = (shape: JsonSchema): readonly Html[] =>
  [
    describeBounds(shape.minLength, shape.maxLength, 'character'),
    describeBounds(toPrintableBound(shape.minimum), toPrintableBound(shape.maximum)),
    shape.exclusiveMinimum === undefined ? undefined : html`more than ${shape.exclusiveMinimum}`,
    shape.exclusiveMaximum === undefined ? undefined : html`less than ${shape.exclusiveMaximum}`,
    shape.pattern === undefined || shape.format !== undefined || shape.pattern.length > PATTERN_LENGTH
      ? undefined
      : html`matches <code>${shape.pattern}</code>`,
  ].filter((fact) => fact !== undefined);

/** The bounds of the safe integers are not worth showing. */
const toPrintableBound = (bound: number | undefined) =>
  bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;

function describeBounds(least: number | undefined, most: number | undefined, unit = ''): Html | undefined {
  const units = (count: number) => (unit === '' ? '' : ` ${unit}${count === 1 ? '' : 's'}`);
  if (least === undefined && most === undefined) return undefined;
  if (least === most && least !== undefined) return html`exactly ${least}${units(least)}`;
  if (most === undefined) return html`at least ${least}${units(least ?? 0)}`;
  if (least === undefined) return html`at most ${most}${units(most)}`;
  return html`${least} to ${most}${units(most)}`;
}

/** The default value; a default of null is obvious and omitted. */
const describeDefault = (given: unknown): Html | undefined =>
  given === undefined || given === null ? undefined : html`default ${renderValue(given)}`;

export const renderValue = (given: unknown): Html =>
  html`<code>${typeof given === 'string' && given !== '' ? given : JSON.stringify(given)}</code>`;

/** The allowed values, unless they are many and have a named schema. */
export function listValues(schemas: ComponentSchemas, given: JsonSchema): readonly unknown[] {
  const seen = resolveSchema(schemas, given);
  const { shape, name } = seen.shape.items ? resolveSchema(schemas, seen.shape.items) : seen;
  const all = (shape.enum ?? []).filter((one) => one !== null);
  return all.length > VALUES_IN_LINE && name !== undefined ? [] : all;
}
