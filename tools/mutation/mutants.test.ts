import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { mutantsOf, withMutants } from './mutants.ts';
import { sampleOf } from './sample.ts';
import { installSwitch } from './switch.ts';

const keys = (source: string): string[] =>
  mutantsOf('f.ts', source, 0).map(({ key }) => key.replace('f.ts ', ''));

/** The results of the source's `run` function, without a mutant and with each mutant in turn. */
async function answers(source: string, ...given: unknown[]): Promise<{ without: unknown; each: unknown[] }> {
  const mutants = mutantsOf('f.ts', source, 0);
  const { code } = await transform(withMutants(source, mutants), { loader: 'ts', format: 'cjs' });
  const on = installSwitch(mutants.length);
  const answer = (active: number): unknown => {
    on.turnOn(active);
    const module: { exports: { run?: (...values: unknown[]) => unknown } } = { exports: {} };
    new Function('module', code)(module);
    return module.exports.run?.(...given);
  };
  return { without: answer(-1), each: mutants.map(({ id }) => answer(id)) };
}

describe('mutants of a source', () => {
  it('share one source, which behaves as the original while none is on', async () => {
    const { without, each } = await answers('export const run = (a: number, b: number) => a < b;', 1, 1);
    expect(without).toBe(false);
    expect(each).toEqual([true, true, undefined]);
  });

  it('keep an else with its if', async () => {
    const source = `export function run(a: boolean): string[] {
      const said: string[] = [];
      if (a) said.push('then');
      else said.push('else');
      return said;
    }`;
    const { without, each } = await answers(source, false);
    expect(without).toEqual(['else']);
    expect(each).toContainEqual(['then']);
    expect(each).toContainEqual([]);
  });

  it('leave an optional chain in one piece', async () => {
    const { without } = await answers('export const run = (a?: string[]) => a?.slice(1).sort().length;');
    expect(without).toBeUndefined();
  });

  it('are one for each entry of a table', () => {
    expect(keys("const next = ['a', 'b'];")).toEqual([
      "entry: 'a' => ",
      "entry: 'b' => ",
      "literal: 'a' => 'mutated'",
      "literal: 'b' => 'mutated'",
    ]);
  });

  it('say which are in a query that is compiled once', () => {
    const source =
      "const q = precompileQuery((tx, id) => tx.selectFrom('a').where('id', '=', id)); const n = 1;";
    const precompiled = mutantsOf('f.ts', source, 0).map(({ kind, precompiled: is }) => [kind, is]);
    expect(precompiled).toEqual(
      expect.arrayContaining([
        ['method', true],
        ['literal', false],
      ]),
    );
    expect(precompiled).not.toContainEqual(['method', false]);
  });

  it('drop each condition of a query, and nothing else of it', () => {
    expect(keys("tx.selectFrom('a').where('id', '=', id).execute();")).toEqual([
      "statement: tx.selectFrom('a').where('id', '=', id).execute(); => ",
      "method: .where('id', '=', id) => ",
    ]);
  });

  it('have unique keys that do not depend on line numbers', () => {
    expect(keys('\n\nf(); f();')).toEqual(['statement: f(); => ', 'statement: f(); =>  #2']);
  });

  it('do not change types, imports and texts for people', () => {
    expect(keys("import a from 'a'; type B = 'b'; throw new DomainError('c', 'No d');")).toEqual([]);
  });
});

describe('mutants of SQL', () => {
  it('drop one condition at a time, in parentheses too', () => {
    const found = keys(
      'const q = sql`select 1 from a where b = ${c} and (d or e < 2) and x between 1 and 2 limit 1`',
    );
    expect(found).toEqual([
      'sql: < => <=',
      'sql: or => and',
      'sql: where b = ${c} => where true',
      'sql: and (d or e < 2) => and true',
      'sql: and x between 1 and 2 => and true',
    ]);
  });

  it('remove the value with its condition', () => {
    const source = 'const q = sql`select 1 where a = ${b} and c = ${d}`';
    expect(mutantsOf('f.ts', source, 0).map(({ replacement }) => replacement)).toEqual([
      'sql`select 1 where true and c = ${d}`',
      'sql`select 1 where a = ${b} and true `',
    ]);
  });

  it('change locks, sort orders and joins', () => {
    const found = keys(
      "const text = 'select max(d) from a left join b on true order by c desc for update skip locked';",
    );
    expect(found).toEqual([
      'sql: desc => asc',
      'sql: max( => min(',
      'sql: left join => join',
      'sql: for update skip locked => ',
      'sql: skip locked => ',
    ]);
  });

  it('ignore SQL keywords in prose', () => {
    expect(keys("const text = 'Where and when it was';")).toEqual([]);
  });
});

describe('a sample', () => {
  const all = Array.from({ length: 100 }, (_, at) => at);

  it('is the same for the same seed, and in the order of the whole', () => {
    const chosen = sampleOf(all, { share: 0.1, seed: 7 });
    expect(chosen).toHaveLength(10);
    expect(chosen).toEqual(chosen.toSorted((a, b) => a - b));
    expect(sampleOf(all, { share: 0.1, seed: 7 })).toEqual(chosen);
    expect(sampleOf(all, { share: 0.1, seed: 8 })).not.toEqual(chosen);
  });

  it('is part of the larger sample of its seed', () => {
    expect(sampleOf(all, { share: 0.5, seed: 7 })).toEqual(
      expect.arrayContaining(sampleOf(all, { share: 0.1, seed: 7 })),
    );
  });
});

describe('the switch', () => {
  it('stops a mutant in an endless loop, and lets the next one begin', () => {
    const on = installSwitch(2);
    const rounds = 100_000_000;
    on.turnOn(0);
    expect(() => {
      for (let round = 0; round <= rounds; round += 1) on.isOn(0);
    }).toThrow('runs in an endless loop');
    on.turnOn(1);
    expect(on.isOn(1)).toBe(true);
    expect(on.takeReached()).toEqual([0, 1]);
    expect(on.takeReached()).toEqual([]);
  });
});

it('replaces every number by a different one', () => {
  const found = mutantsOf('f.ts', 'const RANKS = { a: 0, b: 3 }; f(0);', 0).filter(
    ({ kind }) => kind === 'literal',
  );
  expect(found.map(({ replacement }) => replacement)).toEqual(['1', '0', '1']);
});
