import { z } from 'zod';
import { DomainError, type FieldError } from '../errors.ts';
import { UNSTORABLE_TEXT } from '../unstorable-text.ts';

type RequestPart = 'body' | 'query' | 'path' | 'header';

/** Parses a value, or throws a 422 that lists every invalid field. */
export function validate<S extends z.ZodType>(schema: S, value: unknown, place: RequestPart): z.output<S> {
  const unfit = findUnstorableText(value);
  if (unfit) {
    const msg = 'expected text without NUL characters or unpaired surrogates';
    throw new DomainError('invalid', [{ loc: [place, ...unfit], msg, type: 'value_error' }]);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new DomainError('invalid', toFieldErrors(parsed.error.issues, value, place));
}

function findUnstorableText(value: unknown): (string | number)[] | undefined {
  if (typeof value === 'string') return UNSTORABLE_TEXT.test(value) ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [step, inner] of Object.entries(value)) {
    const place = UNSTORABLE_TEXT.test(step) ? [] : findUnstorableText(inner);
    if (place) return [Array.isArray(value) ? Number(step) : step, ...place];
  }
  return undefined;
}

function toFieldErrors(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  place: RequestPart,
): FieldError[] {
  return issues.flatMap((issue) => issueToFieldErrors(issue, value, place));
}

function issueToFieldErrors(issue: z.core.$ZodIssue, value: unknown, place: RequestPart): FieldError[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue.code === 'invalid_union' && issue.errors.length > 0 && at(value, path) !== undefined) {
    // The errors of the closest branch tell the caller more than "no branch fits".
    const nearest = issue.errors.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
    return nearest.flatMap((inner) =>
      issueToFieldErrors({ ...inner, path: [...issue.path, ...inner.path] }, value, place),
    );
  }
  const missing = MISSING_VALUE_CODES.has(issue.code) && at(value, path) === undefined;
  return [
    missing
      ? { loc: [place, ...path], msg: 'Field required', type: 'missing' }
      : { loc: [place, ...path], msg: FORMAT_MESSAGES[issue.message] ?? issue.message, type: typeOf(issue) },
  ];
}

/** Clearer messages for zod's format errors: the name of a standard does not tell what to send. */
const FORMAT_MESSAGES: Readonly<Partial<Record<string, string>>> = {
  'Invalid ISO datetime': 'expected a date and time such as 2026-01-31T09:30:00Z',
  'Invalid ISO date': 'expected a date such as 2026-01-31',
  'Invalid GUID': 'expected an id such as 01a1fd28-27c1-7108-9a49-221c1161d033',
};

/** The zod issue codes for a missing required value: by its type, or by its list of values. */
const MISSING_VALUE_CODES = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

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

/** The JSON types that a query parameter may have. */
type ParameterTypes = ReadonlySet<string>;

/**
 * Creates a reader that converts query and path parameters from text to the types of their schema before validation, so
 * that a route can declare `z.int()` and `z.array(...)`, and the OpenAPI document says the same.
 */
export function createParameterReader(
  schema: z.ZodType,
): (given: Record<string, unknown>) => Record<string, unknown> {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  // A named schema is listed among its own definitions.
  const named = described.$defs?.[described.$ref?.replace('#/$defs/', '') ?? ''] ?? described;
  const kinds = new Map(
    Object.entries(named.properties ?? {}).map(([name, part]) => [name, parameterTypesOf(part)]),
  );
  return (given) => {
    const read: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(given)) read[name] = coerce(value, kinds.get(name));
    return read;
  };
}

function parameterTypesOf(part: unknown, prefix = ''): ParameterTypes {
  if (typeof part !== 'object' || part === null) return new Set();
  const found = new Set<string>();
  const branches = 'anyOf' in part && Array.isArray(part.anyOf) ? part.anyOf : [];
  for (const branch of branches) for (const kind of parameterTypesOf(branch, prefix)) found.add(kind);
  const types: unknown[] = 'type' in part ? [part.type].flat() : [];
  for (const type of types) if (typeof type === 'string') found.add(prefix + type);
  if ('items' in part) for (const kind of parameterTypesOf(part.items, 'items:')) found.add(kind);
  return found;
}

function coerce(value: unknown, kinds: ParameterTypes | undefined): unknown {
  if (kinds === undefined) return value;
  if (!kinds.has('array')) return coerceScalar(value, kinds, '');
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => coerceScalar(item, kinds, 'items:'));
}

function coerceScalar(value: unknown, kinds: ParameterTypes, prefix: string): unknown {
  if (typeof value !== 'string') return value;
  if (kinds.has(`${prefix}boolean`) && (value === 'true' || value === 'false')) return value === 'true';
  const numeric = kinds.has(`${prefix}integer`) || kinds.has(`${prefix}number`);
  if (numeric && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (value === '' && kinds.has('null')) return null;
  return value;
}
