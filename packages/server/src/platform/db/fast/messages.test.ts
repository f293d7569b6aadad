import { createRequire } from 'node:module';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { encodeExecutions } from './messages.ts';

/** What the driver itself makes of a statement that is prepared. */
interface DriverSerialize {
  bind(message: object): Buffer;
  execute(message: object): Buffer;
  sync(): Buffer;
}
const require = createRequire(import.meta.url);
const { serialize } = createRequire(require.resolve('pg'))('pg-protocol') as { serialize: DriverSerialize };
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

const byDriver = (name: string, values: readonly unknown[]): Buffer =>
  Buffer.concat([
    serialize.bind({ statement: name, values, valueMapper: prepareValue }),
    serialize.execute({}),
  ]);

const moment = (text: string) => new Date(text);

// prettier-ignore
const cases: [string, readonly unknown[]][] = [
  ['nothing',             []],
  ['texts',               ['', 'a', 'x'.repeat(40), 'x'.repeat(41), 'y'.repeat(100_000)]],
  ['texts of any kind',   ['Zoë', 'naïve', '日本', '🩸'.repeat(20), `${'a'.repeat(39)}é`, '\u007f\u0080', '\ud800']],
  ['numbers',             [0, -0, 1.5, -12, 1e21, 2 ** 53, Number.NaN, 10n]],
  ['nothing said',        [null, undefined, null]],
  ['truths',              [true, false]],
  ['bytes',               [Buffer.from([0, 255, 1]), new Uint8Array([1, 2]), Buffer.alloc(0)]],
  ['moments',             [moment('2026-01-15T09:30:00.001Z'), moment('0099-12-31T00:00:00Z'), moment('-000044-03-15T00:00:00Z'), moment('+020000-01-01T00:00:00Z')]],
  ['lists and objects',   [[1, 'two', null, ['"']], { a: [1] }, []]],
];

describe('a prepared statement', () => {
  it.each(cases)('is encoded as the driver would encode it, with %s', (_what, values) => {
    expect(encodeExecutions([{ name: 'q1', values }], { isLast: false })).toEqual(byDriver('q1', values));
  });

  it('is encoded after others, with a Sync', () => {
    const runs = cases.map(([name, values]) => ({ name, values }));
    const all = runs.map(({ name, values }) => byDriver(name, values));
    expect(encodeExecutions(runs, { isLast: true })).toEqual(Buffer.concat([...all, serialize.sync()]));
  });

  it('is not changed by later encodings', () => {
    const first = encodeExecutions([{ name: 'q1', values: ['first'] }], { isLast: true });
    const before = Buffer.from(first);
    encodeExecutions([{ name: 'q2', values: ['second'.repeat(500_000)] }], { isLast: true });
    encodeExecutions([{ name: 'q3', values: ['third'] }], { isLast: true });
    expect(first).toEqual(before);
  });
});
