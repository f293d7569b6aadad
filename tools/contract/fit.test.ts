import { describe, expect, it } from 'vitest';
import { createFitContext } from './fit.ts';
import type { AnySchema, OpenApi } from './openapi.ts';

const text = { type: 'string' } as const;
const uuid = { type: 'string', format: 'uuid' } as const;
const dateTime = { type: 'string', format: 'date-time' } as const;
const integer = { type: 'integer' } as const;
const nothing = { type: 'null' } as const;
const maybeText = { anyOf: [text, nothing] } as const;
const one = (name: string, schema: AnySchema, required = true): AnySchema => ({
  type: 'object',
  properties: { [name]: schema },
  ...(required ? { required: [name] } : {}),
});
const node: AnySchema = { $ref: '#/components/schemas/Node' };
const tree: OpenApi = {
  components: { schemas: { Node: one('children', { type: 'array', items: node }), Name: text } },
};
const dog = { ...Object(one('kind', { const: 'dog' })) };
const cat = { ...Object(one('kind', { const: 'cat' })) };

interface SchemaRow {
  name: string;
  ours: AnySchema;
  theirs: AnySchema;
  /** `place: expected, got` of every mismatch; empty where it fits. */
  breaks: string[];
}

// prettier-ignore
const answers: SchemaRow[] = [
  { name: 'the same',                        ours: text, theirs: text, breaks: [] },
  { name: 'less than allowed',               ours: text, theirs: maybeText, breaks: [] },
  { name: 'null where none may be',          ours: maybeText, theirs: text, breaks: [': string, null'] },
  { name: 'null by a list of types',         ours: { type: ['string', 'null'] }, theirs: text, breaks: [': string, null'] },
  { name: 'null by 3.0 nullable',            ours: { type: 'string', nullable: true }, theirs: text, breaks: [': string, null'] },
  { name: 'another type',                    ours: integer, theirs: text, breaks: [': string, integer'] },
  { name: 'integer for number',              ours: integer, theirs: { type: 'number' }, breaks: [] },
  { name: 'number for integer',              ours: { type: 'number' }, theirs: integer, breaks: [': integer, number'] },
  { name: 'anything for something',          ours: {}, theirs: text, breaks: [': string, any'] },
  { name: 'something for anything',          ours: text, theirs: {}, breaks: [] },
  { name: 'fewer values',                    ours: { enum: ['a'] }, theirs: { enum: ['a', 'b'] }, breaks: [] },
  { name: 'a value too many',                ours: { enum: ['a', 'c'] }, theirs: { enum: ['a', 'b'] }, breaks: [': "a" | "b", "c"'] },
  { name: 'any string for some values',      ours: text, theirs: { enum: ['a'] }, breaks: [': "a", string'] },
  { name: 'a value of a union of consts',    ours: { enum: ['a', 'b'] }, theirs: { anyOf: [{ const: 'a' }, { const: 'b' }] }, breaks: [] },
  { name: 'null among the values',           ours: { enum: ['a', null] }, theirs: { enum: ['a'] }, breaks: [': "a", null'] },
  { name: 'a moment for a day',              ours: dateTime, theirs: { type: 'string', format: 'date' }, breaks: [': string:date, string:date-time'] },
  { name: 'a string for a uuid (a note)',    ours: text, theirs: uuid, breaks: [] },
  { name: 'a uuid for a string',             ours: uuid, theirs: text, breaks: [] },
  { name: 'more than is asked',              ours: one('x', text), theirs: { type: 'object' }, breaks: [] },
  { name: 'a required property forgotten',   ours: one('x', text), theirs: one('y', text), breaks: ['.y: required property, not declared'] },
  { name: 'a required property sometimes',   ours: one('x', text, false), theirs: one('x', text), breaks: ['.x: required property, optional property'] },
  { name: 'an optional property left out',   ours: one('x', text), theirs: one('y', text, false), breaks: [] },
  { name: 'an optional property mistyped',   ours: one('x', integer), theirs: one('x', text, false), breaks: ['.x: string, integer'] },
  { name: 'more than a closed object holds', ours: one('x', text), theirs: { type: 'object', additionalProperties: false }, breaks: ['.x: nothing, string'] },
  { name: 'deep inside lists',               ours: { type: 'array', items: one('x', integer) }, theirs: { type: 'array', items: one('x', text) }, breaks: ['[].x: string, integer'] },
  { name: 'a list of anything',              ours: { type: 'array' }, theirs: { type: 'array', items: text }, breaks: ['[]: string, any'] },
  { name: 'tuples',                          ours: { type: 'array', prefixItems: [text, integer] }, theirs: { type: 'array', prefixItems: [text, text] }, breaks: ['[1]: string, integer'] },
  { name: 'maps',                            ours: { type: 'object', additionalProperties: integer }, theirs: { type: 'object', additionalProperties: text }, breaks: ['{}: string, integer'] },
  { name: 'properties into a map',           ours: one('x', integer), theirs: { type: 'object', additionalProperties: text }, breaks: ['.x: string, integer'] },
  { name: 'any object for a declared one',   ours: { type: 'object', additionalProperties: {} }, theirs: one('x', text, false), breaks: ['{}: what is declared, any object'] },
  { name: 'a union, one kind of it',         ours: dog, theirs: { oneOf: [dog, cat] }, breaks: [] },
  { name: 'a union, one kind too many',      ours: { anyOf: [dog, cat] }, theirs: dog, breaks: ['.kind: "dog", "cat"'] },
  { name: 'all of two parts',                ours: { allOf: [one('x', text), one('y', integer)] }, theirs: { ...Object(one('y', text)) }, breaks: ['.y: string, integer'] },
  { name: 'a part narrowed by another',      ours: { allOf: [text, { enum: ['a'] }] }, theirs: { const: 'a' }, breaks: [] },
  { name: 'a true boolean',                  ours: { const: true }, theirs: { type: 'boolean' }, breaks: [] },
  { name: 'both booleans as values',         ours: { type: 'boolean' }, theirs: { enum: [true, false] }, breaks: [] },
  { name: 'references',                      ours: { $ref: '#/components/schemas/Name' }, theirs: integer, breaks: [': integer, string'] },
  { name: 'recursive schemas',               ours: node, theirs: node, breaks: [] },
];

// prettier-ignore
const requests: SchemaRow[] = [
  { name: 'the same',                       ours: one('x', text), theirs: one('x', text), breaks: [] },
  { name: 'more than the contract allows',  ours: one('x', maybeText), theirs: one('x', text), breaks: [] },
  { name: 'null refused',                   ours: one('x', text), theirs: one('x', maybeText), breaks: ['.x: null accepted, string'] },
  { name: 'a property of ours, optional',   ours: { type: 'object', properties: { x: text, y: text }, required: ['x'] }, theirs: one('x', text), breaks: [] },
  { name: 'a property of ours, required',   ours: { type: 'object', properties: { x: text, y: text }, required: ['x', 'y'] }, theirs: one('x', text), breaks: ['.y: not required, required'] },
  { name: 'required beyond the contract',   ours: one('x', text), theirs: one('x', text, false), breaks: ['.x: not required, required'] },
  { name: 'a property not known',           ours: one('x', text), theirs: { type: 'object', properties: { x: text, y: text }, required: ['x'] }, breaks: ['.y: accepted, not declared'] },
  { name: 'an open object takes all',       ours: { type: 'object' }, theirs: one('y', text), breaks: [] },
  { name: 'a loose object takes the rest',  ours: { ...Object(one('x', text, false)), additionalProperties: {} }, theirs: one('y', text), breaks: [] },
  { name: 'a map takes what fits',          ours: { type: 'object', additionalProperties: integer }, theirs: one('y', text), breaks: ['.y: string accepted, integer'] },
  { name: 'a value refused',                ours: { enum: ['a'] }, theirs: { enum: ['a', 'b'] }, breaks: [': "b" accepted, "a"'] },
  { name: 'a format demanded',              ours: uuid, theirs: text, breaks: [': string accepted, string:uuid'] },
  { name: 'a format not demanded',          ours: text, theirs: uuid, breaks: [] },
  { name: 'fractions refused',              ours: integer, theirs: { type: 'number' }, breaks: [': number accepted, integer'] },
  { name: 'email is validation, not type',  ours: { type: 'string', format: 'email' }, theirs: text, breaks: [] },
  { name: 'one kind of a union refused',    ours: dog, theirs: { oneOf: [dog, cat] }, breaks: ['.kind: "cat" accepted, "dog"'] },
  { name: 'anything is accepted',           ours: {}, theirs: { oneOf: [dog, cat] }, breaks: [] },
];

// prettier-ignore
const parameters: SchemaRow[] = [
  { name: 'null cannot be sent',     ours: text, theirs: maybeText, breaks: [] },
  { name: 'all is text on the wire', ours: text, theirs: { anyOf: [integer, { type: 'boolean' }, dateTime] }, breaks: [] },
  { name: 'booleans spelled out',    ours: { enum: ['true', 'false'] }, theirs: { type: 'boolean' }, breaks: [] },
  { name: 'a list',                  ours: text, theirs: { type: 'array', items: text }, breaks: [': array accepted, string'] },
  { name: 'a value of a list',       ours: { type: 'array', items: { enum: ['a'] } }, theirs: { type: 'array', items: { enum: ['a', 'b'] } }, breaks: ['[]: "b" accepted, "a"'] },
];

describe.each([
  { direction: 'answer', rows: answers },
  { direction: 'request', rows: requests },
  { direction: 'parameter', rows: parameters },
] as const)('in one $direction', ({ direction, rows }) => {
  it.each(rows)('$name', ({ ours, theirs, breaks }) => {
    const at = createFitContext(direction, { served: tree, contract: tree });
    const found = direction === 'answer' ? at.fit(ours, theirs) : at.fit(theirs, ours);
    const lines = found.filter(({ note }) => !note).map((f) => `${f.place}: ${f.expected}, ${f.got}`);
    expect(lines).toEqual(breaks);
  });
});

it('reports imprecise and omitted properties as notes, not as mismatches', () => {
  const at = createFitContext('answer', { served: tree, contract: tree });
  const theirs: AnySchema = { type: 'object', properties: { id: uuid, extra: text }, required: ['id'] };
  expect(at.fit(one('id', text), theirs)).toEqual([
    { place: '.extra', expected: 'optional property', got: 'not declared', note: true },
    { place: '.id', expected: 'string:uuid', got: 'string', note: true },
  ]);
});

it('names a reference that cannot be resolved', () => {
  const at = createFitContext('answer', { served: tree, contract: tree });
  const got = 'an unresolved reference (#/$defs/Gone)';
  expect(at.fit({ $ref: '#/$defs/Gone' }, text)).toEqual([
    { place: '', expected: 'string', got, note: false },
  ]);
});
