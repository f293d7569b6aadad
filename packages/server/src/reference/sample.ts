import type { ComponentSchemas, JsonSchema } from './document.ts';
import { jsonTypes, resolveSchema } from './resolve.ts';

/** Deeper parts of an example are null. This also ends circular required properties. */
const DEPTH = 6;

/** Sample texts by format, and by the names of well-known properties. */
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

interface SampleContext {
  readonly schemas: ComponentSchemas;
  readonly depth: number;
}

/** A realistic value that is valid for a schema: only required properties, and the first of several alternatives. */
export const createSample = (schemas: ComponentSchemas, shape: JsonSchema): unknown =>
  createSampleAt({ schemas, depth: 0 }, shape, '');

function createSampleAt({ schemas, depth }: SampleContext, given: JsonSchema, name: string): unknown {
  const { shape, options } = resolveSchema(schemas, given);
  const inner = { schemas, depth: depth + 1 };
  const [choice] = options;
  if (shape.examples?.length) return shape.examples[0];
  if (shape.const !== undefined) return shape.const;
  if (shape.enum?.length) return shape.enum[0];
  if (depth > DEPTH) return null;
  if (choice) return createSampleAt(inner, choice, name);
  switch (jsonTypes(shape)[0]) {
    case 'object':
      return sampleRequiredProperties(inner, shape);
    case 'array':
      return shape.items ? [createSampleAt(inner, shape.items, name)] : [];
    case 'integer':
    case 'number':
      return Math.max(1, shape.minimum ?? 1);
    case 'boolean':
      return true;
    default:
      return sampleText(shape, name);
  }
}

/** Without required properties, an example with the first property is more useful than an empty object. */
function sampleRequiredProperties(inner: SampleContext, shape: JsonSchema): Record<string, unknown> {
  const parts = Object.entries(shape.properties ?? {});
  const required = parts.filter(([name]) => shape.required?.includes(name));
  const chosen = required.length > 0 ? required : parts.slice(0, 1);
  return Object.fromEntries(chosen.map(([name, part]) => [name, createSampleAt(inner, part, name)]));
}

function sampleText({ format = '', minLength = 0, maxLength = Infinity }: JsonSchema, name: string): string {
  const wanted = FORMATS[format] ?? NAMES[name] ?? 'text';
  return wanted.padEnd(minLength, 'x').slice(0, maxLength);
}
