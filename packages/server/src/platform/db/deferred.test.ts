import { describe, expect, it } from 'vitest';
import { deferrableCall, compileDeferred, type DeferrableStatement } from './deferred.ts';
import { insertRow } from './insert-row.ts';

const at = new Date('2026-01-01T00:00:00Z');
const note = (id: string): DeferrableStatement =>
  insertRow('order_transaction', { team_id: 't', environment: 'sandbox', id, user_id: 'u', created_at: at });
const other: DeferrableStatement = { compile: () => ({ sql: 'update something', parameters: ['x'] }) };

/** How many rows each statement inserts, and the ids in the order in which they go out. */
const sent = (waiting: readonly DeferrableStatement[]) =>
  compileDeferred(waiting).map(({ sql, parameters }) => ({
    rows: sql.split('($').length - 1,
    ids: parameters.filter((one) => typeof one === 'string' && /^\d+$/.test(one)),
  }));

describe('deferred rows', () => {
  // prettier-ignore
  it.each([
    [1,  [1]],
    [2,  [2]],
    [3,  [2, 1]],
    [7,  [4, 2, 1]],
    [40, [32, 8]],
    [64, [32, 32]],
  ])('are merged when they are consecutive: %i', (count, statements) => {
    const ids = Array.from({ length: count }, (_, index) => String(index));
    const texts = sent(ids.map(note));
    expect(texts.map(({ rows }) => rows)).toEqual(statements);
    expect(texts.flatMap((text) => text.ids)).toEqual(ids);
  });

  it('keep their order relative to other statements', () => {
    expect(sent([note('1'), note('2'), other, note('3')])).toEqual([
      { rows: 2, ids: ['1', '2'] },
      { rows: 0, ids: [] },
      { rows: 1, ids: ['3'] },
    ]);
  });

  it('are not merged across tables', () => {
    const step = insertRow('lab_order_event', {
      team_id: 't',
      environment: 'sandbox',
      order_id: 'o',
      step: 'ordered',
      status_detail: null,
      created_at: at,
    });
    expect(sent([note('1'), step, note('2')]).map(({ rows }) => rows)).toEqual([1, 1, 1]);
  });

  it('number their placeholders', () => {
    const [text] = compileDeferred([note('1'), note('2')]);
    expect(text?.sql).toMatch(/values \(\$1, \$2, \$3, \$4, \$5\), \(\$6, \$7, \$8, \$9, \$10\)$/);
    expect(text?.parameters).toHaveLength(10);
  });
});

describe('deferred function calls', () => {
  const set = (name: string) => deferrableCall("set_config('a.b', ?, true)", name);
  const both = deferrableCall('f(?, ?)', 1, 2);

  // prettier-ignore
  const cases: [string, DeferrableStatement[], [sql: string, parameters: unknown[]][]][] = [
    ['alone',                 [both],              [['select f($1, $2)', [1, 2]]]],
    ['together',              [set('x'), both],    [["select set_config('a.b', $1, true), f($2, $3)", ['x', 1, 2]]]],
    ['in another order',      [both, set('x')],    [["select f($1, $2), set_config('a.b', $3, true)", [1, 2, 'x']]]],
    ['apart where something stands between', [set('x'), other, set('y')], [
      ["select set_config('a.b', $1, true)", ['x']],
      ['update something', ['x']],
      ["select set_config('a.b', $1, true)", ['y']],
    ]],
    ['three at once',         [both, both, both, both], [
      ['select f($1, $2), f($3, $4), f($5, $6)', [1, 2, 1, 2, 1, 2]],
      ['select f($1, $2)', [1, 2]],
    ]],
  ];
  it.each(cases)('are called in their order: %s', (_how, waiting, texts) => {
    expect(compileDeferred(waiting).map(({ sql, parameters }) => [sql, parameters])).toEqual(texts);
  });
});
