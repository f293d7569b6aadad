import { isNull, resolve, variantsOf, type SchemaNode, type Schemas } from './schema-node.ts';

const DEEPEST = 7;

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '3f0c6a8e-1d2b-4c3e-9f4a-7b8c9d0e1f2a',
  'date-time': '2026-01-15T09:30:00+00:00',
  date: '2026-01-15',
  time: '09:30:00',
  email: 'ada@example.com',
  uri: 'https://example.com/path',
};

/** What names say about values that have no format of their own. */
const BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/email/, 'ada@example.com'],
  [/phone/, '+15185550100'],
  [/(^|_)url$/, 'https://example.com/path'],
  [/first_name/, 'Ada'],
  [/last_name/, 'Lovelace'],
  [/^zip(_code)?$/, '12180'],
  [/^state$/, 'NY'],
  [/^country$/, 'US'],
  [/^city$/, 'Troy'],
  [/time_zone|timezone/, 'America/New_York'],
  [/client_user_id/, 'ada-1815'],
];

interface SampleOptions {
  readonly schemas: Schemas;
  /** Leaves out what need not be sent. */
  readonly requiredOnly?: boolean;
}

/** A value that a schema permits: made up, and the same every time. */
export const sampleOf = (schema: SchemaNode, options: SampleOptions): unknown =>
  build(schema, { options, name: '', depth: 0 });

interface Place {
  readonly options: SampleOptions;
  readonly name: string;
  readonly depth: number;
}

function build(given: SchemaNode, place: Place): unknown {
  const { options, depth } = place;
  const node = resolve(given, options.schemas);
  const said = node.example ?? node.examples?.[0] ?? node.const ?? node.default;
  if (said !== undefined && said !== null) return said;
  if (node.enum) return node.enum[0];
  if (depth > DEEPEST) return null;
  const variants = variantsOf(node);
  if (variants) {
    const first = variants.find((variant) => !isNull(variant));
    return first ? build(first, place) : null;
  }
  if (node.allOf) {
    const parts = node.allOf.map((part) => build(part, place));
    return Object.assign({}, ...parts) as unknown;
  }
  const type = typeof node.type === 'string' ? node.type : node.type?.find((one) => one !== 'null');
  return byType(type, node, place);
}

function byType(type: string | undefined, node: SchemaNode, place: Place): unknown {
  if (type === 'array') {
    return node.items ? [build(node.items, { ...place, depth: place.depth + 1 })] : [];
  }
  if (type === 'object' || node.properties) return objectOf(node, place);
  if (type === 'integer' || type === 'number') return numberOf(node);
  if (type === 'boolean') return false;
  if (type === 'string') return textOf(node, place.name);
  return null;
}

function objectOf({ properties = {}, required = [] }: SchemaNode, { options, depth }: Place): unknown {
  const wanted = Object.entries(properties).filter(
    ([name]) => options.requiredOnly !== true || required.includes(name),
  );
  return Object.fromEntries(
    wanted.map(([name, part]) => [name, build(part, { options, name, depth: depth + 1 })]),
  );
}

const numberOf = ({ minimum, maximum }: SchemaNode): number =>
  Math.min(Math.max(1, minimum ?? 1), maximum ?? Number.POSITIVE_INFINITY);

function textOf({ format, minLength = 0 }: SchemaNode, name: string): string {
  const text = BY_FORMAT[format ?? ''] ?? BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? 'text';
  return text.padEnd(minLength, 'x');
}
