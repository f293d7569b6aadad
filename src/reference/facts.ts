import type { Schemas, Shape } from './document.ts';
import { anchor, html, joined, type Html } from './html.ts';
import { jsonTypes, resolve, valuesOf, type Resolved } from './resolve.ts';

/** More values than this stand in their schema only, if they have one. */
const VALUES_IN_LINE = 10;
/** A longer pattern says less than the format or the description beside it. */
const PATTERN_LENGTH = 60;

/** A long name may break before its capitals. */
export function schemaLink(name: string): Html {
  const words = name.split(/(?<=[a-z])(?=[A-Z])/).map((word) => html`${word}`);
  return html`<a href="#${anchor(name, 'schema-')}">${joined(words, html`<wbr />`)}</a>`;
}

/**
 * What kind of value it is, in words: `string (uuid)`, `array of Order or null`. Ends on recursive schemas,
 * because a named structure inside another is only named.
 */
export function kind(schemas: Schemas, shape: Shape, inside = false): Html {
  const seen = resolve(schemas, shape);
  const own = ownKind(schemas, seen, inside);
  return seen.nullable ? html`${own} or null` : own;
}

function ownKind(schemas: Schemas, seen: Resolved, inside: boolean): Html {
  const { shape, name, options } = seen;
  const map = valuesOf(shape);
  const spelled = !inside && (options.length > 0 || shape.items !== undefined || map !== undefined);
  if (name !== undefined && !spelled && isStructure(seen)) return schemaLink(name);
  if (name !== undefined && (shape.enum ?? []).length > VALUES_IN_LINE) return schemaLink(name);
  if (options.length > 0) return either(options.map((option) => kind(schemas, option, true)));
  if (shape.items) return html`array of ${kind(schemas, shape.items, true)}`;
  if (map) return Object.keys(map).length > 0 ? html`map of ${kind(schemas, map, true)}` : html`object`;
  const types = jsonTypes(shape).join(' or ') || 'any';
  return shape.format === undefined ? html`${types}` : html`${types} (${shape.format})`;
}

function isStructure({ shape, options }: Resolved): boolean {
  return options.length > 0 || shape.properties !== undefined || shape.items !== undefined;
}

function either(kinds: readonly Html[]): Html {
  const different = new Map(kinds.map((one) => [one.markup, one]));
  return joined([...different.values()], html` or `);
}

/** Bounds, default and pattern of a shape, and of the items where it is an array. */
export function facts(schemas: Schemas, given: Shape): readonly Html[] {
  const { shape } = resolve(schemas, given);
  const items = shape.items && resolve(schemas, shape.items).shape;
  return [
    range(shape.minItems, shape.maxItems, 'item'),
    ...(items && !items.properties ? bounds(items).map((fact) => html`each ${fact}`) : []),
    ...bounds(shape),
    fallback(shape.default),
    shape.const === undefined ? undefined : html`only ${value(shape.const)}`,
  ].filter((fact) => fact !== undefined);
}

const bounds = (shape: Shape): readonly Html[] =>
  [
    range(shape.minLength, shape.maxLength, 'character'),
    range(sane(shape.minimum), sane(shape.maximum)),
    shape.exclusiveMinimum === undefined ? undefined : html`more than ${shape.exclusiveMinimum}`,
    shape.exclusiveMaximum === undefined ? undefined : html`less than ${shape.exclusiveMaximum}`,
    shape.pattern === undefined || shape.format !== undefined || shape.pattern.length > PATTERN_LENGTH
      ? undefined
      : html`matches <code>${shape.pattern}</code>`,
  ].filter((fact) => fact !== undefined);

/** The bounds of every JSON integer bound nobody. */
const sane = (bound: number | undefined) =>
  bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;

function range(least: number | undefined, most: number | undefined, unit = ''): Html | undefined {
  const units = (count: number) => (unit === '' ? '' : ` ${unit}${count === 1 ? '' : 's'}`);
  if (least === undefined && most === undefined) return undefined;
  if (least === most && least !== undefined) return html`exactly ${least}${units(least)}`;
  if (most === undefined) return html`at least ${least}${units(least ?? 0)}`;
  if (least === undefined) return html`at most ${most}${units(most)}`;
  return html`${least} to ${most}${units(most)}`;
}

/** What is taken where nothing is given; that a nullable one is then null needs no word. */
const fallback = (given: unknown): Html | undefined =>
  given === undefined || given === null ? undefined : html`default ${value(given)}`;

export const value = (given: unknown): Html =>
  html`<code>${typeof given === 'string' && given !== '' ? given : JSON.stringify(given)}</code>`;

/** The values that are allowed, unless they are many and stand in a schema of their own. */
export function values(schemas: Schemas, given: Shape): readonly unknown[] {
  const seen = resolve(schemas, given);
  const { shape, name } = seen.shape.items ? resolve(schemas, seen.shape.items) : seen;
  const all = (shape.enum ?? []).filter((one) => one !== null);
  return all.length > VALUES_IN_LINE && name !== undefined ? [] : all;
}
