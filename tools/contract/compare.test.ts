import { describe, expect, it } from 'vitest';
import { compareContract } from './compare.ts';
import type { AnySchema, MediaTypes, OpenApi, Operation, Parameter } from './openapi.ts';

const text = { type: 'string' } as const;
const json = (schema: AnySchema): MediaTypes => ({ 'application/json': { schema } });
const pdf: MediaTypes = { 'application/pdf': { schema: { type: 'string', format: 'binary' } } };
const answering = (content?: MediaTypes, status = '200') => ({
  responses: { [status]: content ? { content } : {} },
});
const asking = (...parameters: Parameter[]): Operation => ({ parameters, ...answering() });
const sending = (requestBody: Operation['requestBody']): Operation => ({
  ...(requestBody ? { requestBody } : {}),
  ...answering(),
});
const at = (path: string, post: Operation): OpenApi => ({ paths: { [path]: { post } } });
const status = (name: string): AnySchema => ({
  type: 'object',
  properties: { status: { enum: [name] } },
  required: ['status'],
});

interface OperationRow {
  name: string;
  ours: Operation;
  theirs: Operation;
  breaks: string[];
}

// prettier-ignore
const rows: OperationRow[] = [
  { name: 'the same parameter',       ours: asking({ name: 'q', in: 'query', schema: text }), theirs: asking({ name: 'q', in: 'query', schema: text }), breaks: [] },
  { name: 'a parameter forgotten',    ours: asking(), theirs: asking({ name: 'q', in: 'query' }), breaks: ['query q: expected declared, got not declared'] },
  { name: 'a parameter demanded',     ours: asking({ name: 'q', in: 'query', required: true }), theirs: asking({ name: 'q', in: 'query' }), breaks: ['query q: expected not required, got required'] },
  { name: 'one of ours demanded',     ours: asking({ name: 'q', in: 'query', required: true }), theirs: asking(), breaks: ['query q: expected no such parameter, got a required one'] },
  { name: 'one of ours offered',      ours: asking({ name: 'q', in: 'query' }), theirs: asking(), breaks: [] },
  { name: 'a header in another case', ours: asking({ name: 'x-idempotency-key', in: 'header', schema: text }), theirs: asking({ name: 'X-Idempotency-Key', in: 'header' , schema: text }), breaks: [] },
  { name: 'a header of our brand',    ours: asking({ name: 'x-service-link-token', in: 'header', schema: text }), theirs: asking({ name: 'x-vital-link-token', in: 'header' , schema: text }), breaks: [] },
  { name: 'a query of the same name', ours: asking({ name: 'q', in: 'header' }), theirs: asking({ name: 'q', in: 'query' }), breaks: ['query q: expected declared, got not declared'] },
  { name: 'the same body',            ours: sending({ required: true, content: json(text) }), theirs: sending({ required: true, content: json(text) }), breaks: [] },
  { name: 'a charset after the type', ours: sending({ content: { 'application/json; charset=utf-8': { schema: text } } }), theirs: sending({ content: json(text) }), breaks: [] },
  { name: 'a body forgotten',         ours: sending(undefined), theirs: sending({ content: json(text) }), breaks: ['body: expected a body, got none'] },
  { name: 'a body demanded',          ours: sending({ required: true, content: json(text) }), theirs: sending({ content: json(text) }), breaks: ['body: expected not required, got required'] },
  { name: 'a body out of nowhere',    ours: sending({ required: true, content: json(text) }), theirs: sending(undefined), breaks: ['body: expected no body, got a required body'] },
  { name: 'another body type',        ours: sending({ content: json(text) }), theirs: sending({ content: { 'multipart/form-data': { schema: text } } }), breaks: ['body: expected multipart/form-data, got application/json'] },
  { name: 'a field refused',          ours: sending({ content: json(status('a')) }), theirs: sending({ content: json(status('b')) }), breaks: ['body.status: expected "b" accepted, got "a"'] },
  { name: 'another success status',   ours: answering(json(text)), theirs: answering(json(text), '201'), breaks: ['answer 201: expected declared, got 200'] },
  { name: 'no content',               ours: answering(undefined), theirs: answering(json(text)), breaks: ['answer 200: expected application/json, got no content'] },
  { name: 'none expected',            ours: answering(json(text), '202'), theirs: answering(undefined, '202'), breaks: [] },
  { name: 'a PDF next to any JSON',   ours: answering(pdf), theirs: answering({ ...json({}), ...pdf }), breaks: [] },
  { name: 'errors are not compared',  ours: answering(), theirs: { responses: { 200: {}, 422: { content: json(text) } } }, breaks: [] },
  { name: 'an answer mistyped',       ours: answering(json({ type: 'integer' })), theirs: answering(json(text)), breaks: ['answer 200: expected string, got integer'] },
];

describe('an operation', () => {
  it.each(rows)('$name', ({ ours, theirs, breaks }) => {
    const { mismatches, served } = compareContract(at('/v3/thing', ours), [at('/v3/thing', theirs)]);
    expect(served).toBe(1);
    const lines = mismatches.map(({ place, expected, got }) => `${place}: expected ${expected}, got ${got}`);
    expect(lines).toEqual(breaks);
  });
});

describe('the paths', () => {
  it('matches operations regardless of path parameter names and a trailing slash', () => {
    const id = (name: string) => asking({ name, in: 'path', required: true, schema: text });
    const { served, mismatches } = compareContract(at('/v3/order/{id}/', id('id')), [
      at('/v3/order/{order_id}', id('order_id')),
    ]);
    expect({ served, mismatches }).toEqual({ served: 1, mismatches: [] });
  });

  it('applies the parameters of a path item to each of its operations', () => {
    const shared: OpenApi = {
      paths: { '/a': { parameters: [{ name: 'q', in: 'query', schema: text }], post: answering() } },
    };
    const { mismatches } = compareContract(shared, [
      at('/a', asking({ name: 'q', in: 'query', schema: text })),
    ]);
    expect(mismatches).toEqual([]);
  });

  it('lists operations of all documents that are not served, not as mismatches', () => {
    const { total, served, notServed, mismatches } = compareContract(at('/a', answering()), [
      at('/a', answering()),
      at('/b', answering(json(text))),
    ]);
    expect({ total, served, notServed, mismatches }).toEqual({
      total: 2,
      served: 1,
      notServed: ['POST /b'],
      mismatches: [],
    });
  });
});

it('separates intended differences, with the reason', () => {
  const path = '/lab_report/v1/parser/job';
  const { mismatches, decided } = compareContract(at(path, answering(json(status('pending_review')))), [
    at(path, answering(json(status('started')))),
  ]);
  expect(mismatches).toEqual([]);
  expect(decided.map(({ got, decision }) => [got, decision.reason])).toEqual([
    ['"pending_review"', expect.stringContaining('waits for a person')],
  ]);
});
