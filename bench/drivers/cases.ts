import { defineCase, type BenchCase, type BenchGroup } from '../../tools/bench/bench-case.ts';
import { REQUEST_ROUNDS } from '../cases.ts';
import { CONCURRENCY, runLoad, type BenchRequest } from '../load.ts';
import { ratioOf, type RoundTimes } from '../result.ts';
import type { Contender } from './contenders.ts';
import { driverStage, type DriverStage } from './stage.ts';

const GROUP: BenchGroup = {
  heading: 'Database drivers: the fast one, and another one on the same statements or requests, per second',
  columns: ['fast/s', 'other/s'],
};
/** Another driver is worth as much if it is within a twentieth. */
const GOAL = 1;

/** One of several sides of a measurement. */
interface MeasuredSide {
  readonly name: string;
  /** Operations per second, measured for this time. */
  readonly measure: (forMs: number) => Promise<number>;
}

const DRIVER_CASES: readonly { name: string; sides: (stage: DriverStage) => readonly MeasuredSide[] }[] = [
  { name: 'driver-read', sides: ({ contenders }) => contenders.map((one) => sideOf(one, 'read')) },
  { name: 'driver-create', sides: ({ contenders }) => contenders.map((one) => sideOf(one, 'create')) },
  {
    name: 'driver-request-read',
    sides: (stage) =>
      requestSides(stage, (n) => ({ method: 'GET', path: `/v3/order/${itemAt(stage.orderIds, n)}` })),
  },
  {
    name: 'driver-request-create',
    sides: (stage) =>
      requestSides(stage, (n) => ({ method: 'POST', path: '/v3/order', body: itemAt(stage.orders, n) })),
  },
];

const itemAt = (list: readonly string[], n: number): string => list[n % list.length] ?? '';

const sideOf = (contender: Contender, what: 'read' | 'create'): MeasuredSide => ({
  name: contender.name,
  measure: (forMs) => runConcurrently((n) => contender[what](n), forMs),
});

const requestSides = ({ services }: DriverStage, shoot: (n: number) => BenchRequest): MeasuredSide[] =>
  services.map(({ name, target }) => ({ name, measure: (forMs) => runLoad(target, shoot, forMs) }));

export const driverCases: readonly BenchCase[] = DRIVER_CASES.map(({ name, sides }) =>
  defineCase<DriverStage, RoundTimes>({
    name,
    goal: GOAL,
    group: GROUP,
    stage: driverStage,
    sizes: REQUEST_ROUNDS,
    expectedSeconds: { full: 66, quick: 2 },
    run: async (stage, { parameters, goal, report, advance }) => {
      const measured = await measureInTurns(sides(stage), parameters, advance);
      const [ours, ...others] = measured;
      for (const other of others) {
        const rounds = { ours: ours?.rates ?? [], bare: other.rates, goal };
        report(ratioOf(`${name}: fast / ${other.name}`, rounds));
      }
    },
  }),
);

/** Measures each side once a round. Every round begins with another side. */
async function measureInTurns(
  sides: readonly MeasuredSide[],
  { rounds, roundMs, warmUpMs }: RoundTimes,
  advance: (done: number, total: number) => void,
): Promise<readonly { name: string; rates: readonly number[] }[]> {
  const measured = sides.map(({ name, measure }) => ({ name, measure, rates: [] as number[] }));
  for (const { measure } of measured) await measure(warmUpMs);
  for (let round = 0; round < rounds; round += 1) {
    advance(round, rounds);
    const first = round % measured.length;
    for (const side of [...measured.slice(first), ...measured.slice(0, first)])
      side.rates.push(await side.measure(roundMs));
  }
  advance(rounds, rounds);
  return measured;
}

async function runConcurrently(run: (n: number) => Promise<unknown>, forMs: number): Promise<number> {
  const start = performance.now();
  let started = 0;
  let finished = 0;
  const runner = async () => {
    while (performance.now() - start < forMs) {
      await run((started += 1));
      finished += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runner));
  return (finished * 1000) / (performance.now() - start);
}
