import { z } from 'zod';
import { isoDay, isoMoment } from '../platform/clock.ts';

type Node = Record<string, unknown>;

/** Deeper than this nothing is made up any more: shapes may contain themselves. */
const DEPTH_MAX = 12;
/** What is referred to may be what refers. */
const REFERENCE_DEPTH = 3;

interface Making {
  /** The whole schema, with its definitions. */
  readonly root: Node;
  readonly at: Date;
  readonly depth: number;
}

/**
 * A value that fits a schema, made up from its JSON Schema: every property is there, lists have one item, and where
 * something may be null it is not. The same schema and moment make the same value.
 */
export function exampleOf(schema: z.ZodType, at: Date): unknown {
  const described: Node = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  return make(described, { root: described, at, depth: 0 });
}

function make(node: Node, making: Making): unknown {
  if ('const' in node) return node['const'];
  if (Array.isArray(node['enum'])) return node['enum'][0];
  if (typeof node['$ref'] === 'string')
    return make(referred(node['$ref'], making.root), deeper(making, REFERENCE_DEPTH));
  const branch = branchOf(node, making);
  if (branch) return make(branch, making);
  return byType[typeOf(node)]?.(node, making) ?? null;
}

const asNode = (thing: unknown): Node => (typeof thing === 'object' && thing !== null ? (thing as Node) : {});

const referred = (reference: string, root: Node): Node =>
  reference === '#' ? root : asNode(asNode(root['$defs'])[reference.replace('#/$defs/', '')]);

const deeper = (making: Making, by = 1): Making => ({ ...making, depth: making.depth + by });

/** Of a union the first branch that is not null; at the bottom null if it may be. */
function branchOf(node: Node, { depth }: Making): Node | undefined {
  const branches = [node['anyOf'] ?? node['oneOf'] ?? []].flat().map(asNode);
  const isNull = (branch: Node) => branch['type'] === 'null';
  const nothing = branches.find(isNull);
  return (depth > DEPTH_MAX ? nothing : undefined) ?? branches.find((branch) => !isNull(branch));
}

/** Nothing said of the type is anything: an empty object fits. */
function typeOf(node: Node): string {
  const types = [node['type'] ?? (node['allOf'] ? 'all' : 'object')].flat();
  return String(types.find((type) => type !== 'null') ?? 'null');
}

const byType: Record<string, (node: Node, making: Making) => unknown> = {
  all: (node, making) =>
    Object.assign({}, ...[node['allOf']].flat().map((part) => make(asNode(part), making))),
  object: (node, making) =>
    Object.fromEntries(
      Object.entries(asNode(node['properties'])).map(([name, part]) => [
        name,
        make(asNode(part), deeper(making)),
      ]),
    ),
  array: makeList,
  string: makeText,
  boolean: () => true,
  integer: makeNumber,
  number: makeNumber,
};

function makeList(node: Node, making: Making): unknown[] {
  const places = node['prefixItems'];
  if (Array.isArray(places)) return places.map((place) => make(asNode(place), deeper(making)));
  const least = numberIn(node, 'minItems') ?? 0;
  const count = making.depth > DEPTH_MAX ? least : Math.max(1, least);
  const most = numberIn(node, 'maxItems') ?? count;
  return Array.from({ length: Math.min(count, most) }, () => make(asNode(node['items']), deeper(making)));
}

const numberIn = (node: Node, name: string): number | undefined => {
  const value = node[name];
  return typeof value === 'number' ? value : undefined;
};

function makeNumber(node: Node): number {
  const above = numberIn(node, 'exclusiveMinimum');
  const least = numberIn(node, 'minimum') ?? (above === undefined ? undefined : above + 1) ?? 1;
  return Math.min(Math.max(least, 1), numberIn(node, 'maximum') ?? Number.MAX_SAFE_INTEGER);
}

export const EXAMPLE_ID = '00000000-0000-4000-8000-000000000000';

/** Texts that patterns are tried with. */
// prettier-ignore
const CANDIDATES = ['example', 'Example', 'EX', '1', '10001', '+14155550132', '2026-01-01', '12:00', '12:00:00', 'example.com', 'https://example.com', 'a@example.com'];

function makeText(node: Node, { at }: Making): string {
  const format = node['format'];
  if (format === 'date-time') return isoMoment(at);
  if (format === 'date') return isoDay(at);
  if (format === 'time') return at.toISOString().slice(11, 19);
  if (format === 'uuid') return EXAMPLE_ID;
  if (format === 'email') return 'somebody@example.com';
  if (format === 'uri' || format === 'url') return 'https://example.com/';
  return fitting(node);
}

function fitting(node: Node): string {
  const shortest = numberIn(node, 'minLength') ?? 0;
  const longest = numberIn(node, 'maxLength') ?? Infinity;
  const pattern = typeof node['pattern'] === 'string' ? new RegExp(node['pattern']) : undefined;
  const texts = CANDIDATES.map((text) => text.padEnd(shortest, 'x').slice(0, Math.max(longest, 0)));
  return texts.find((text) => pattern?.test(text) ?? true) ?? texts[0] ?? '';
}
