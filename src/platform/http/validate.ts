import { z } from 'zod';
import { DomainError, type Fault } from '../errors.ts';
import { UNFIT_TEXT } from '../unfit-text.ts';

type Place = 'body' | 'query' | 'path' | 'header';

/** Parses what came, or throws a 422 that names every wrong place at once. */
export function check<S extends z.ZodType>(schema: S, value: unknown, place: Place): z.output<S> {
  const unfit = placeOfUnfit(value);
  if (unfit) {
    const msg = 'expected a text without NUL or half characters';
    throw new DomainError('invalid', [{ loc: [place, ...unfit], msg, type: 'value_error' }]);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new DomainError('invalid', faultsOf(parsed.error.issues, value, place));
}

function placeOfUnfit(value: unknown): (string | number)[] | undefined {
  if (typeof value === 'string') return UNFIT_TEXT.test(value) ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [step, inner] of Object.entries(value)) {
    const place = UNFIT_TEXT.test(step) ? [] : placeOfUnfit(inner);
    if (place) return [Array.isArray(value) ? Number(step) : step, ...place];
  }
  return undefined;
}

function faultsOf(issues: readonly z.core.$ZodIssue[], value: unknown, place: Place): Fault[] {
  return issues.flatMap((issue) => faultOf(issue, value, place));
}

function faultOf(issue: z.core.$ZodIssue, value: unknown, place: Place): Fault[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue.code === 'invalid_union' && issue.errors.length > 0 && at(value, path) !== undefined) {
    // The branch that came nearest tells the caller more than "no branch fits".
    const nearest = issue.errors.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
    return nearest.flatMap((inner) =>
      faultOf({ ...inner, path: [...issue.path, ...inner.path] }, value, place),
    );
  }
  const missing = REFUSALS_OF_NOTHING.has(issue.code) && at(value, path) === undefined;
  return [
    missing
      ? { loc: [place, ...path], msg: 'Field required', type: 'missing' }
      : { loc: [place, ...path], msg: FORMS[issue.message] ?? issue.message, type: typeOf(issue) },
  ];
}

/** What a schema without words of its own says of a form: the name of a standard tells nobody what to send. */
const FORMS: Readonly<Partial<Record<string, string>>> = {
  'Invalid ISO datetime': 'expected a date and time, as 2026-01-31T09:30:00Z',
  'Invalid ISO date': 'expected a date, as 2026-01-31',
  'Invalid GUID': 'expected an id, as 01a1fd28-27c1-7108-9a49-221c1161d033',
};

/** How zod says that a required thing is not there: by its type, or by the list of values it may have. */
const REFUSALS_OF_NOTHING = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

const depth = (issues: readonly z.core.$ZodIssue[]) => Math.max(...issues.map((issue) => issue.path.length));

function typeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `${issue.expected}_type`;
  if (issue.code === 'invalid_format') return `${issue.format}_format`;
  return issue.code === 'custom' ? 'value_error' : issue.code;
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = Reflect.get(here, step);
  }
  return here;
}

/** What a query parameter may be once it is no longer text. */
type Kinds = ReadonlySet<string>;

/**
 * Query and path parameters arrive as text. They are turned into what their schema wants before it sees them,
 * so that a route can say `z.int()` and `z.array(...)`, and the OpenAPI document says the same.
 */
export function textReader(schema: z.ZodType): (given: Record<string, unknown>) => Record<string, unknown> {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  // A schema with a name stands among its own definitions.
  const named = described.$defs?.[described.$ref?.replace('#/$defs/', '') ?? ''] ?? described;
  const kinds = new Map(Object.entries(named.properties ?? {}).map(([name, part]) => [name, kindsOf(part)]));
  return (given) => {
    const read: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(given)) read[name] = convert(value, kinds.get(name));
    return read;
  };
}

function kindsOf(part: unknown, prefix = ''): Kinds {
  if (typeof part !== 'object' || part === null) return new Set();
  const found = new Set<string>();
  const branches = 'anyOf' in part && Array.isArray(part.anyOf) ? part.anyOf : [];
  for (const branch of branches) for (const kind of kindsOf(branch, prefix)) found.add(kind);
  const types: unknown[] = 'type' in part ? [part.type].flat() : [];
  for (const type of types) if (typeof type === 'string') found.add(prefix + type);
  if ('items' in part) for (const kind of kindsOf(part.items, 'items:')) found.add(kind);
  return found;
}

function convert(value: unknown, kinds: Kinds | undefined): unknown {
  if (kinds === undefined) return value;
  if (!kinds.has('array')) return scalar(value, kinds, '');
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => scalar(item, kinds, 'items:'));
}

function scalar(value: unknown, kinds: Kinds, prefix: string): unknown {
  if (typeof value !== 'string') return value;
  if (kinds.has(`${prefix}boolean`) && (value === 'true' || value === 'false')) return value === 'true';
  const numeric = kinds.has(`${prefix}integer`) || kinds.has(`${prefix}number`);
  if (numeric && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (value === '' && kinds.has('null')) return null;
  return value;
}
