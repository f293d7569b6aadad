import { describe, expect, it } from 'vitest';
import { referencePage } from './reference.ts';

const FAMILY = 8;
const sample = (name: string) => ({ content: { 'application/json': { schema: schemaOf(name) } } });
const schemaOf = (name: string) => ({ $ref: `#/components/schemas/${name}` });

interface SimilarOperations {
  readonly count: number;
  /** The response schema by the index of the operation. */
  readonly answer?: (place: number) => string;
  readonly query?: (place: number) => string;
}

/** A document of operations of one tag. */
function pageOf({
  count,
  answer = (place) => `Sample${place}`,
  query = () => 'start_date',
}: SimilarOperations): string {
  const places = Array.from({ length: count }, (_, place) => place);
  const operation = (place: number) => ({
    operationId: `read${place}`,
    summary: `Read ${place}`,
    tags: ['Samples'],
    parameters: [{ in: 'query', name: query(place), required: true, schema: { type: 'string' } }],
    responses: { 200: sample(answer(place)), default: sample('Fault') },
  });
  const schemas = [...new Set([...places.map(answer), 'Fault'])].map((name) => [
    name,
    { type: 'object', properties: { [`field_of_${name}`]: { type: 'string' } } },
  ]);
  return referencePage({
    info: { title: 'T', version: '1' },
    paths: Object.fromEntries(places.map((place) => [`/v2/samples/${place}`, { get: operation(place) }])),
    components: { schemas: Object.fromEntries(schemas) },
  });
}

const sectionOf = (page: string, id: string) =>
  new RegExp(`<article class="operation" id="${id}"[\\s\\S]*?</article>`).exec(page)?.[0] ?? '';

describe('similar operations', () => {
  it('are shown in full once, where there are many', () => {
    const page = pageOf({ count: FAMILY });
    expect(sectionOf(page, 'read0')).toContain('start_date');
    const other = sectionOf(page, 'read5');
    expect(other).not.toContain('start_date');
    expect(other).toContain('Called like <a href="#read0">Read 0</a>');
    expect(other).toContain('href="#schema-Sample5"');
  });

  it('are each shown in full, where there are few', () => {
    expect(sectionOf(pageOf({ count: FAMILY - 1 }), 'read5')).toContain('start_date');
  });

  it('are not grouped with operations of another form', () => {
    const page = pageOf({ count: FAMILY, query: (place) => (place === 5 ? 'end_date' : 'start_date') });
    expect(sectionOf(page, 'read5')).toContain('end_date');
    expect(sectionOf(page, 'read4')).toContain('start_date');
  });
});

describe('a schema that several operations return', () => {
  it('is expanded at the first operation, and a link at the others', () => {
    const page = pageOf({ count: 2, answer: () => 'Sample' });
    const [first, second] = [sectionOf(page, 'read0'), sectionOf(page, 'read1')];
    for (const name of ['Sample', 'Fault']) {
      expect(first).toContain(`field_of_${name}`);
      expect(second).not.toContain(`field_of_${name}`);
      expect(second).toContain(`href="#schema-${name}"`);
    }
  });
});
