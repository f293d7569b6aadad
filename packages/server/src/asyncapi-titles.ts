import type { EventType } from './events/events.ts';

type SchemaNode = Readonly<Record<string, unknown>>;

/** `daily.data.sleep_cycle.created` as the name of a type: `DailyDataSleepCycleCreated`. */
export const toTypeName = (words: string): string =>
  words.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_all, letter: string) => letter.toUpperCase());

/**
 * Names the data of each event type: after all that precedes the last word of the type, because `created` and `updated`
 * usually share their data, or after the whole type where they do not.
 */
export function nameEventData(events: readonly EventType[]): (event: EventType) => string {
  const families = new Map<string, Set<EventType['data']>>();
  for (const { type, data } of events) {
    const shapes = families.get(familyOf(type)) ?? new Set();
    families.set(familyOf(type), shapes.add(data));
  }
  return ({ type }) => {
    const shapes = families.get(familyOf(type)) ?? new Set();
    return `${toTypeName(shapes.size === 1 ? familyOf(type) : type)}Data`;
  };
}

const familyOf = (type: string): string => type.slice(0, type.lastIndexOf('.'));

/** What languages have a type of their own for; in Go also a text that may be null. */
const TYPE_KEYWORDS = ['properties', 'enum', 'anyOf', 'oneOf', 'additionalProperties'];

/**
 * Gives every object, union and list of values in a schema a title, from the names on the path to it. Generators of
 * models name their types by it; without one they count (`AnonymousSchema_1009`).
 */
export function addTitles(schema: SchemaNode, name: string): Record<string, unknown> {
  if ('$ref' in schema) return schema;
  const isNamed = TYPE_KEYWORDS.some((keyword) => keyword in schema) || Array.isArray(schema['type']);
  const inside = Object.entries(schema).map(([key, value]) => [key, titleWithin(key, value, name)]);
  return { ...(isNamed ? { title: name } : {}), ...Object.fromEntries(inside) };
}

function titleWithin(key: string, value: unknown, name: string): unknown {
  if (key === 'properties' && isSchema(value))
    return Object.fromEntries(
      Object.entries(value).map(([property, inner]) => [property, title(inner, name + toTypeName(property))]),
    );
  if (key === 'items') return title(value, `${name}Item`);
  if (key === 'additionalProperties') return title(value, `${name}Value`);
  if ((key === 'anyOf' || key === 'oneOf' || key === 'allOf') && Array.isArray(value)) {
    const branches = value.filter((branch) => !isNull(branch));
    return value.map((branch) =>
      title(branch, branches.length === 1 ? name : `${name}Option${branches.indexOf(branch) + 1}`),
    );
  }
  return value;
}

const title = (value: unknown, name: string): unknown => (isSchema(value) ? addTitles(value, name) : value);
const isSchema = (value: unknown): value is SchemaNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNull = (branch: unknown): boolean => isSchema(branch) && branch['type'] === 'null';
