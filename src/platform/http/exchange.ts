import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Config } from '../config.ts';
import { JSON_MEDIA } from './accepts.ts';
import { Printed } from './printed.ts';
import type { Answers, Input, RouteSchema } from './route.ts';
import { serializerOf } from './serializer.ts';
import { check, textReader } from './validate.ts';

type Read = (given: unknown) => unknown;

/** What turns the parts of a request into what the handler gets; made once a route. */
export interface Readers {
  readonly params: Read;
  readonly query: Read;
  readonly body: Read;
}

const nothing: Read = () => undefined;

export function readersOf(schema: RouteSchema<z.ZodType, z.ZodType, z.ZodType, Answers>): Readers {
  const { params, query, body } = schema;
  return {
    params: params ? textPart(params, 'path') : nothing,
    query: query ? textPart(query, 'query') : nothing,
    body: body ? (given) => check(body, given, 'body') : nothing,
  };
}

/**
 * The reader is made for the first request of the route: describing the schemas of all routes takes a tenth of a second,
 * which every start would wait for.
 */
function textPart(schema: z.ZodType, place: 'path' | 'query'): Read {
  let read: ReturnType<typeof textReader> | undefined;
  return (given) => {
    read ??= textReader(schema);
    return check(schema, read(typeof given === 'object' && given !== null ? { ...given } : {}), place);
  };
}

/** The validated request, and the headers that its handling adds to the answer. */
export function inputOf(
  config: Config,
  readers: Readers,
  request: FastifyRequest,
): { input: Input<z.ZodType, z.ZodType, z.ZodType>; headers: Record<string, string> } {
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

/** What Fastify calls a text of JSON; of bytes it has to be told. */
export const JSON_TYPE = `${JSON_MEDIA}; charset=utf-8`;

/** The bytes of an answer. What its schema does not name does not leave the house. */
export function sentOf(responses: Answers, value: unknown): { status: number; text: string | Buffer } {
  const first = Number(Object.keys(responses)[0] ?? 200);
  const { status, body } = isAnswer(value) ? value : { status: first, body: value };
  const schema = responses[status];
  if (schema === undefined) throw new Error(`The route declares no answer ${status}`);
  if (body instanceof Printed) return { status, text: body.text };
  return { status, text: schema === null ? '' : serializerOf(schema)(body) };
}

const isAnswer = (value: unknown): value is { answer: true; status: number; body: unknown } =>
  typeof value === 'object' && value !== null && 'answer' in value && value.answer === true;
