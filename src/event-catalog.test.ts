import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { asyncApiOf } from './asyncapi.ts';
import { aboutNobody, eventCatalog, eventTypes } from './event-catalog.ts';
import { beStrict, serializerOf } from './platform/http/serializer.ts';
import { SUMMARIES } from './wearables/summaries/summaries.ts';
import { TIMESERIES } from './wearables/timeseries/timeseries.ts';

beStrict();

describe('the catalogue', () => {
  it('says nothing twice, and every name is one that a filter can name', () => {
    expect(new Set(eventTypes).size).toBe(eventTypes.length);
    expect(eventTypes.filter((type) => !/^[a-z_]+(\.[a-z0-9_]+)+$/.test(type))).toEqual([]);
  });

  it('tells of every resource in three ways', () => {
    const resources = [...Object.keys(SUMMARIES), ...Object.keys(TIMESERIES)];
    const wanted = resources.flatMap((name) => [
      `daily.data.${name}.created`,
      `daily.data.${name}.updated`,
      `historical.data.${name}.created`,
    ]);
    expect(eventTypes.filter((type) => /^(daily|historical)\./.test(type)).toSorted()).toEqual(
      wanted.toSorted(),
    );
  });

  it('has whole sentences', () => {
    expect(eventCatalog.filter(({ when }) => !/^[A-Z].*\.$/.test(when)).map(({ type }) => type)).toEqual([]);
  });
});

const schemas = [...new Map(eventCatalog.map(({ type, data }) => [data, type]))].map(([data, type]) => ({
  type,
  data,
}));

const ajv = new Ajv({ strict: false, allErrors: true });
('default' in addFormats ? addFormats.default : addFormats)(ajv);
ajv.addSchema({ $id: 'doc', ...asyncApiOf(eventCatalog, aboutNobody) });

describe('the data of every type', () => {
  it.each(schemas)('are printed as the schema says: $type', ({ data }) => {
    const { $defs: parts = {}, ...root } = z.toJSONSchema(data, { reused: 'inline', unrepresentable: 'any' });
    for (const sparse of [false, true]) {
      const value = example({ parts, sparse }, root);
      expect(JSON.parse(serializerOf(data)(value))).toEqual(data.parse(value));
    }
  });

  it.each(schemas)('are what the AsyncAPI document says: $type', ({ type, data }) => {
    const fits = ajv.getSchema(`doc#/components/messages/${type}/payload`);
    const { $defs: parts = {}, ...root } = z.toJSONSchema(data, { reused: 'inline', unrepresentable: 'any' });
    for (const sparse of [false, true]) {
      const id = TEXTS['uuid'];
      const body = { event_type: type, team_id: id, user_id: id, client_user_id: 'ada' };
      fits?.({ ...body, data: example({ parts, sparse }, root) });
      expect(fits?.errors).toBeNull();
    }
  });

  it.each(schemas)('are refused when a field is missing: $type', ({ data }) => {
    expect(() => serializerOf(data)({})).toThrow();
  });
});

type Json = z.core.JSONSchema.BaseSchema;
interface Kind {
  readonly parts: Readonly<Record<string, Json | boolean>>;
  /** Null wherever it may be, and lists without items. */
  readonly sparse: boolean;
}

/** A value that fits a JSON Schema as zod prints them. */
function example(kind: Kind, schema: Json | boolean | undefined): unknown {
  if (typeof schema !== 'object') return 'anything';
  if (schema.$ref) return example(kind, kind.parts[schema.$ref.replace('#/$defs/', '')]);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const options = schema.anyOf ?? schema.oneOf ?? [];
  const isNull = (option: Json | boolean) => typeof option === 'object' && option.type === 'null';
  if (options.length > 0) {
    return kind.sparse && options.some(isNull)
      ? null
      : example(
          kind,
          options.find((one) => !isNull(one)),
        );
  }
  const types: readonly unknown[] = [schema.type].flat();
  if (kind.sparse && types.includes('null')) return null;
  return ofType(kind, schema, types[0]);
}

function ofType(kind: Kind, schema: Json, type: unknown): unknown {
  switch (type) {
    case 'object':
      return exampleObject(kind, schema);
    case 'array':
      return kind.sparse || Array.isArray(schema.items) ? [] : [example(kind, schema.items)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return 7;
    case 'string':
      return TEXTS[schema.format ?? ''] ?? 'text';
    default:
      return 'anything';
  }
}

function exampleObject(kind: Kind, { properties, required = [], additionalProperties }: Json): unknown {
  if (!properties) return kind.sparse ? {} : { some: example(kind, additionalProperties) };
  const named = Object.entries(properties).filter(([name]) => !kind.sparse || required.includes(name));
  return Object.fromEntries(named.map(([name, part]) => [name, example(kind, part)]));
}

// prettier-ignore
const TEXTS: Readonly<Record<string, string>> = {
  'uuid':      '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  'date':      '1990-05-17',
  'date-time': '2026-01-15T09:30:00Z',
};
