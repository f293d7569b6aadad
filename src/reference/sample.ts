import type { Schemas, Shape } from './document.ts';
import { jsonTypes, resolve } from './resolve.ts';

/** Deeper parts of an example are left out; a required circle of schemas ends here, too. */
const DEPTH = 6;

/** What a text of a format or of a well-known name looks like. */
// prettier-ignore
const FORMATS: Readonly<Record<string, string>> = {
  'uuid':      '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  'email':     'ada@example.com',
  'uri':       'https://example.com/hook',
  'date':      '1990-05-17',
  'date-time': '2026-01-15T09:30:00Z',
};

// prettier-ignore
const NAMES: Readonly<Record<string, string>> = {
  first_name:         'Ada',
  last_name:          'Lovelace',
  receiver_name:      'Ada Lovelace',
  gender:             'female',
  phone_number:       '+14155550123',
  first_line:         '1 Market Street',
  city:               'San Francisco',
  state:              'CA',
  zip:                '94105',
  zip_code:           '94105',
  country:            'US',
  fallback_time_zone: 'America/New_York',
  client_user_id:     'patient-0042',
  name:               'Harbor Clinic',
  label:              'backend',
  insurance_name:     'Blue Cross',
  member_id:          'W123456789',
  codes:              'E11.9',
  npi:                '1234567893',
};

interface Place {
  readonly schemas: Schemas;
  readonly depth: number;
}

/** A value that fits a shape and reads like a real one: only what must be given, and the first of a choice. */
export const sampleOf = (schemas: Schemas, shape: Shape): unknown => sample({ schemas, depth: 0 }, shape, '');

function sample({ schemas, depth }: Place, given: Shape, name: string): unknown {
  const { shape, options } = resolve(schemas, given);
  const inner = { schemas, depth: depth + 1 };
  const [choice] = options;
  if (shape.examples?.length) return shape.examples[0];
  if (shape.const !== undefined) return shape.const;
  if (shape.enum?.length) return shape.enum[0];
  if (depth > DEPTH) return null;
  if (choice) return sample(inner, choice, name);
  switch (jsonTypes(shape)[0]) {
    case 'object':
      return requiredParts(inner, shape);
    case 'array':
      return shape.items ? [sample(inner, shape.items, name)] : [];
    case 'integer':
    case 'number':
      return Math.max(1, shape.minimum ?? 1);
    case 'boolean':
      return true;
    default:
      return sampleText(shape, name);
  }
}

/** Where nothing must be given, an example of the first part says more than an empty object. */
function requiredParts(inner: Place, shape: Shape): Record<string, unknown> {
  const parts = Object.entries(shape.properties ?? {});
  const required = parts.filter(([name]) => shape.required?.includes(name));
  const chosen = required.length > 0 ? required : parts.slice(0, 1);
  return Object.fromEntries(chosen.map(([name, part]) => [name, sample(inner, part, name)]));
}

function sampleText({ format = '', minLength = 0, maxLength = Infinity }: Shape, name: string): string {
  const wanted = FORMATS[format] ?? NAMES[name] ?? 'text';
  return wanted.padEnd(minLength, 'x').slice(0, maxLength);
}
