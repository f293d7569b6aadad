import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Config } from '../config.ts';
import { JSON_MEDIA_TYPE } from './content-negotiation.ts';
import { SerializedJson } from './serialized-json.ts';
import type { ResponseSchemas, RequestInput, RouteSchema } from './route.ts';
import { serializerOf } from './serializer.ts';
import { validate, createParameterReader } from './validate.ts';

type PartReader = (given: unknown) => unknown;

/** Converts the parts of a request into the handler's input. Created once per route. */
export interface RequestReaders {
  readonly params: PartReader;
  readonly query: PartReader;
  readonly body: PartReader;
}

const ignorePart: PartReader = () => undefined;

export function createReaders(
  schema: RouteSchema<z.ZodType, z.ZodType, z.ZodType, ResponseSchemas>,
): RequestReaders {
  const { params, query, body } = schema;
  return {
    params: params ? createTextPartReader(params, 'path') : ignorePart,
    query: query ? createTextPartReader(query, 'query') : ignorePart,
    body: body ? (given) => validate(body, given, 'body') : ignorePart,
  };
}

/**
 * The reader is created on the route's first request: describing the schemas of all routes takes a tenth of a second,
 * which would delay every start.
 */
function createTextPartReader(schema: z.ZodType, place: 'path' | 'query'): PartReader {
  let read: ReturnType<typeof createParameterReader> | undefined;
  return (given) => {
    read ??= createParameterReader(schema);
    return validate(schema, read(typeof given === 'object' && given !== null ? { ...given } : {}), place);
  };
}

/** The validated request, and the headers that its handling adds to the response. */
export function readInput(
  config: Config,
  readers: RequestReaders,
  request: FastifyRequest,
): { input: RequestInput<z.ZodType, z.ZodType, z.ZodType>; headers: Record<string, string> } {
  const headers: Record<string, string> = {};
  const warningHeader = `x-${config.BRAND}-warning`;
  return {
    headers,
    input: {
      params: readers.params(request.params),
      query: readers.query(request.query),
      body: readers.body(request.body),
      warn: (message) => {
        const before = headers[warningHeader];
        headers[warningHeader] = before === undefined ? message : `${before}; ${message}`;
      },
    },
  };
}

/** The content type that Fastify sets for JSON strings; for buffers it must be set explicitly. */
export const JSON_CONTENT_TYPE = `${JSON_MEDIA_TYPE}; charset=utf-8`;

/** Serializes a response. Properties that the schema does not declare are dropped. */
export function serializeResponse(
  responses: ResponseSchemas,
  value: unknown,
): { status: number; text: string | Buffer } {
  const first = Number(Object.keys(responses)[0] ?? 200);
  const { status, body } = isRouteResponse(value) ? value : { status: first, body: value };
  const schema = responses[status];
  if (schema === undefined) throw new Error(`The route declares no response for status ${status}`);
  if (body instanceof SerializedJson) return { status, text: body.text };
  return { status, text: schema === null ? '' : serializerOf(schema)(body) };
}

const isRouteResponse = (value: unknown): value is { answer: true; status: number; body: unknown } =>
  typeof value === 'object' && value !== null && 'answer' in value && value.answer === true;
