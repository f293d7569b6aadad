import { z } from 'zod';
import { isoDay, isoTimestamp } from '../../platform/clock.ts';

type ExampleSchemaNode = Record<string, unknown>;

/** The maximum depth: schemas may be recursive. */
const DEPTH_MAX = 12;
/** A reference counts more, because it may be recursive. */
const REFERENCE_DEPTH = 3;

interface ExampleContext {
  /** The whole schema, with its definitions. */
  readonly root: ExampleSchemaNode;
  readonly at: Date;
  readonly depth: number;
}

/**
 * An example value for a schema, generated from its JSON Schema: every property is present, lists have one item, and
 * nullable values are not null. Deterministic for a schema and a timestamp.
 */
export function exampleOf(schema: z.ZodType, at: Date): unknown {
  const described: ExampleSchemaNode = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  return makeExample(described, { root: described, at, depth: 0 });
}

function makeExample(node: ExampleSchemaNode, making: ExampleContext): unknown {
  if ('const' in node) return node['const'];
  if (Array.isArray(node['enum'])) return node['enum'][0];
  if (typeof node['$ref'] === 'string')
    return makeExample(resolveReference(node['$ref'], making.root), deeper(making, REFERENCE_DEPTH));
  const branch = branchOf(node, making);
  if (branch) return makeExample(branch, making);
  return byType[typeOf(node)]?.(node, making) ?? null;
}

const asNode = (thing: unknown): ExampleSchemaNode =>
  typeof thing === 'object' && thing !== null ? (thing as ExampleSchemaNode) : {};

const resolveReference = (reference: string, root: ExampleSchemaNode): ExampleSchemaNode =>
  reference === '#' ? root : asNode(asNode(root['$defs'])[reference.replace('#/$defs/', '')]);

const deeper = (making: ExampleContext, by = 1): ExampleContext => ({ ...making, depth: making.depth + by });

/** The first branch of a union that is not null; at the maximum depth null if allowed. */
function branchOf(node: ExampleSchemaNode, { depth }: ExampleContext): ExampleSchemaNode | undefined {
  const branches = [node['anyOf'] ?? node['oneOf'] ?? []].flat().map(asNode);
  const isNull = (branch: ExampleSchemaNode) => branch['type'] === 'null';
  const nothing = branches.find(isNull);
  return (depth > DEPTH_MAX ? nothing : undefined) ?? branches.find((branch) => !isNull(branch));
}

/** A schema without a type allows anything; an empty object is valid. */
function typeOf(node: ExampleSchemaNode): string {
  const types = [node['type'] ?? (node['allOf'] ? 'all' : 'object')].flat();
  return String(types.find((type) => type !== 'null') ?? 'null');
}

const byType: Record<string, (node: ExampleSchemaNode, making: ExampleContext) => unknown> = {
  all: (node, making) =>
    Object.assign({}, ...[node['allOf']].flat().map((part) => makeExample(asNode(part), making))),
  object: (node, making) =>
    Object.fromEntries(
      Object.entries(asNode(node['properties'])).map(([name, part]) => [
        name,
        makeExample(asNode(part), deeper(making)),
      ]),
    ),
  array: makeList,
  string: makeText,
  boolean: () => true,
  integer: makeNumber,
  number: makeNumber,
};

function makeList(node: ExampleSchemaNode, making: ExampleContext): unknown[] {
  const places = node['prefixItems'];
  if (Array.isArray(places)) return places.map((place) => makeExample(asNode(place), deeper(making)));
  const least = numberIn(node, 'minItems') ?? 0;
  const count = making.depth > DEPTH_MAX ? least : Math.max(1, least);
  const most = numberIn(node, 'maxItems') ?? count;
  return Array.from({ length: Math.min(count, most) }, () =>
    makeExample(asNode(node['items']), deeper(making)),
  );
}

const numberIn = (node: ExampleSchemaNode, name: string): number | undefined => {
  const value = node[name];
  return typeof value === 'number' ? value : undefined;
};

function makeNumber(node: ExampleSchemaNode): number {
  const above = numberIn(node, 'exclusiveMinimum');
  const least = numberIn(node, 'minimum') ?? (above === undefined ? undefined : above + 1) ?? 1;
  return Math.min(Math.max(least, 1), numberIn(node, 'maximum') ?? Number.MAX_SAFE_INTEGER);
}

export const EXAMPLE_ID = '00000000-0000-4000-8000-000000000000';

/** Candidate texts for patterns. */
// prettier-ignore
const CANDIDATES = ['example', 'Example', 'EX', '1', '10001', '+14155550132', '2026-01-01', '12:00', '12:00:00', 'example.com', 'https://example.com', 'a@example.com'];

function makeText(node: ExampleSchemaNode, { at }: ExampleContext): string {
  const format = node['format'];
  if (format === 'date-time') return isoTimestamp(at);
  if (format === 'date') return isoDay(at);
  if (format === 'time') return at.toISOString().slice(11, 19);
  if (format === 'uuid') return EXAMPLE_ID;
  if (format === 'email') return 'somebody@example.com';
  if (format === 'uri' || format === 'url') return 'https://example.com/';
  return matchingText(node);
}

function matchingText(node: ExampleSchemaNode): string {
  const shortest = numberIn(node, 'minLength') ?? 0;
  const longest = numberIn(node, 'maxLength') ?? Infinity;
  const pattern = typeof node['pattern'] === 'string' ? new RegExp(node['pattern']) : undefined;
  const texts = CANDIDATES.map((text) => text.padEnd(shortest, 'x').slice(0, Math.max(longest, 0)));
  return texts.find((text) => pattern?.test(text) ?? true) ?? texts[0] ?? '';
}
