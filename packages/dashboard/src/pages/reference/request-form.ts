import { useState } from 'react';
import { PREFIX } from '../../api/service.ts';
import { useRegionParams, useTeamParams } from '../../base/organization.ts';
import type { ApiCall } from '../../components/code-samples.ts';
import { sampleOf } from '../../components/json-schema/sample.ts';
import {
  resolve,
  variantsOf,
  type SchemaNode,
  type Schemas,
} from '../../components/json-schema/schema-node.ts';
import { jsonBodyOf, type Operation } from './document.ts';

/** What the person typed. Kept in memory only: ids and bodies may be about patients. */
interface RequestValues {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly header: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RequestForm {
  readonly values: RequestValues;
  readonly set: (place: 'path' | 'query' | 'header', name: string, value: string) => void;
  readonly setBody: (body: string) => void;
}

/** The values of a request: the team of the page is filled in, the body is a sample of its schema. */
export function useRequestForm(operation: Operation, schemas: Schemas): RequestForm {
  const team = useTeamParams();
  const region = useRegionParams();
  const known: Readonly<Record<string, string>> = {
    ...team,
    env: team.environment,
    ...(region ? { region: region.region } : {}),
  };
  const schema = jsonBodyOf(operation);
  const [typed, setTyped] = useState<RequestValues>(() => ({
    path: {},
    query: {},
    header: {},
    body: schema ? JSON.stringify(sampleOf(schema, { schemas, requiredOnly: true }), null, 2) : '',
  }));
  const names = (operation.parameters ?? []).filter((one) => one.in === 'path').map(({ name }) => name);
  const path = Object.fromEntries(names.map((name) => [name, typed.path[name] ?? known[name] ?? '']));
  return {
    values: { ...typed, path },
    set: (place, name, value) =>
      setTyped((before) => ({ ...before, [place]: { ...before[place], [name]: value } })),
    setBody: (body) => setTyped((before) => ({ ...before, body })),
  };
}

const fillPath = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? '';
    return value === '' ? whole : encodeURIComponent(value);
  });

const given = (values: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(values).filter(([, value]) => value !== '');

/** The same as code. A body that is no JSON yet is shown as the text that it is. */
export function callOf(operation: Operation, values: RequestValues): ApiCall {
  const body = operation.requestBody ? parsed(values.body) : undefined;
  return {
    method: operation.method,
    path: fillPath(operation.path, values.path),
    query: Object.fromEntries(given(values.query)),
    ...(body === undefined ? {} : { body }),
  };
}

function parsed(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Lists are sent as repeated parameters, one for each part between commas. */
export function requestOf(operation: Operation, values: RequestValues): Request {
  const url = new URL(`${location.origin}${PREFIX}${fillPath(operation.path, values.path)}`);
  for (const [name, value] of given(values.query)) {
    const isList = listed(operation, name);
    for (const part of isList ? value.split(',') : [value]) url.searchParams.append(name, part.trim());
  }
  const headers = new Headers(given(values.header));
  if (!headers.has('accept')) headers.set('accept', 'application/json, */*');
  const hasBody = operation.requestBody !== undefined && values.body.trim() !== '';
  if (hasBody) headers.set('content-type', 'application/json');
  return new Request(url, { method: operation.method, headers, ...(hasBody ? { body: values.body } : {}) });
}

const listed = ({ parameters = [] }: Operation, name: string): boolean =>
  parameters.some((one) => one.name === name && one.schema?.type === 'array');

/** The values that a parameter may have, where there are few. */
export function choicesOf(schema: SchemaNode | undefined, schemas: Schemas): readonly string[] | undefined {
  if (!schema) return undefined;
  const node = resolve(schema, schemas);
  const values = node.enum ?? variantsOf(node)?.find((variant) => resolve(variant, schemas).enum)?.enum;
  if (node.type === 'boolean') return ['true', 'false'];
  return values?.filter((value) => value !== null).map(String);
}
