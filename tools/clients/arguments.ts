import { randomUUID } from 'node:crypto';
import type { Preparation } from './preparation.ts';
import { PREPARATIONS } from './preparations.ts';
import type { Json, Sdk, SdkCall } from './sdk.ts';
import { FIELD_VALUES, type World } from './world.ts';

/** Filters whose values in the examples match nothing or are no values; they may be left out everywhere. */
const LEFT_OUT = new Set([
  'cursor',
  'next_cursor',
  'lab_account_id',
  'search_input',
  'source_type',
  'marker_ids',
  'provider_ids',
  'team_id',
]);

/** Makes an example callable: ids of objects that exist, and whatever the operation needs to succeed. */
export async function prepareCall(
  { sdk, world, operation }: { sdk: Sdk; world: World; operation: string },
  example: SdkCall,
): Promise<SdkCall> {
  const prepared: Preparation = (await PREPARATIONS[operation]?.(world)) ?? {};
  const values: Readonly<Record<string, Json>> = {
    ...FIELD_VALUES,
    user_id: world.userId,
    idempotency_key: randomUUID(),
    ...datesOf(example),
    ...prepared.values,
  };
  const without = new Set(
    [...LEFT_OUT, ...(prepared.without ?? [])].filter((name) => !(name in (prepared.values ?? {}))),
  );
  const nameOf = sdk.isCamelCase ? toSnakeCase : (name: string) => name;
  const names = (value: Json | undefined) =>
    sdk.isCamelCase && value !== undefined ? withCamelCase(value) : value;
  const fill = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([name]) => !without.has(nameOf(name)));
    return Object.fromEntries(kept.map(([name, each]) => [name, names(values[nameOf(name)]) ?? fill(each)]));
  };
  const added = toNames(sdk, { ...prepared.added, ...prepared.headers });
  return {
    method: example.method,
    positional:
      (example.positional.length > 0 && prepared.positional) ||
      example.positional.map((value) => (typeof value === 'string' ? (values[value] ?? value) : fill(value))),
    named: { ...(fill(example.named) as Record<string, Json>), ...added },
  };
}

/** The days around the data of a wearable; some operations take dates, others times. */
function datesOf({ named }: SdkCall): Record<string, Json> {
  const now = Date.now();
  const day = 86_400_000;
  const isTime = Object.values(named).some(
    (value) => typeof value === 'object' && value !== null && '$date' in value,
  );
  const at = (time: number): Json => {
    const text = new Date(time).toISOString();
    return isTime ? { $date: text } : text.slice(0, 10);
  };
  return {
    start_date: at(now - 3 * day),
    end_date: at(now + day),
    updated_start_date: at(now - 3 * day),
    updated_end_date: at(now + day),
  };
}

const toNames = ({ isCamelCase }: Sdk, fields: Readonly<Record<string, Json>>): Record<string, Json> =>
  isCamelCase ? (withCamelCase(fields) as Record<string, Json>) : { ...fields };

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const toCamelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());

function withCamelCase(value: Json): Json {
  if (Array.isArray(value)) return value.map(withCamelCase);
  if (typeof value !== 'object' || value === null || '$date' in value || '$file' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [toCamelCase(name), withCamelCase(each)]),
  );
}
