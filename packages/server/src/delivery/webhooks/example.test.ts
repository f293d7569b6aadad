import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventCatalog } from '../../event-catalog.ts';
import { EXAMPLE_ID, exampleOf } from './example.ts';

const NOON = new Date('2026-03-02T12:00:00Z');

describe('an example', () => {
  it.each(eventCatalog.map((event) => [event.type, event] as const))(
    'of %s fits its schema',
    (_type, event) => {
      const made = exampleOf(event.data, NOON);
      expect(event.data.safeParse(made).error?.issues).toBeUndefined();
      expect(exampleOf(event.data, NOON)).toEqual(made);
    },
  );

  interface Tree {
    name: string;
    left?: Tree | null | undefined;
    more: Tree[];
  }
  const Tree: z.ZodType<Tree> = z.lazy(() =>
    z.object({ name: z.string(), left: Tree.nullish(), more: z.array(Tree) }),
  );

  // prettier-ignore
  const rows: [string, z.ZodType, unknown][] = [
    ['a text',               z.string(),                                    'example'],
    ['a long text',          z.string().min(10),                            'examplexxx'],
    ['a short text',         z.string().max(2),                             'ex'],
    ['a pattern',            z.string().regex(/^\+\d+$/),                   '+14155550132'],
    ['an id',                z.guid(),                                      EXAMPLE_ID],
    ['a moment',             z.iso.datetime({ offset: true }),              '2026-03-02T12:00:00.000+00:00'],
    ['a day',                z.iso.date(),                                  '2026-03-02'],
    ['an enumeration',       z.enum(['b', 'a']),                            'b'],
    ['a constant',           z.literal(7),                                  7],
    ['a number',             z.int().min(5),                                5],
    ['a number above',       z.int().gt(5),                                 6],
    ['a number at most',     z.number().max(-3),                            -3],
    ['what may be null',     z.boolean().nullable(),                        true],
    ['a union',              z.union([z.null(), z.literal('x'), z.int()]),  'x'],
    ['a list',               z.array(z.literal(1)),                         [1]],
    ['a list of three',      z.array(z.literal(1)).min(3),                  [1, 1, 1]],
    ['a pair',               z.tuple([z.literal(1), z.literal('b')]),       [1, 'b']],
    ['what may be left out', z.object({ a: z.literal(1).optional() }),      { a: 1 }],
    ['a map',                z.record(z.string(), z.int()),                 {}],
    ['anything',             z.unknown(),                                   {}],
  ];
  it.each(rows)('of %s is as simple as possible', (_name, schema, made) => {
    expect(exampleOf(schema, NOON)).toEqual(made);
  });

  it('of a recursive schema is finite', () => {
    expect(Tree.safeParse(exampleOf(Tree, NOON)).success).toBe(true);
  });
});
