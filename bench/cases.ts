import { defineCase, type BenchCase, type BenchGroup } from '../tools/bench/bench-case.ts';
import { fire, send, type Shot } from './load.ts';
import { alternate, ratioOf, type RoundTimes } from './result.ts';
import { requestStage, type Stage } from './stage.ts';

/** What is sent, and what part of the bare server's requests a second is wanted. */
interface RequestCase {
  readonly name: string;
  readonly goal: number;
  readonly shots: (stage: Stage) => (n: number) => Shot;
}

export const REQUESTS: BenchGroup = {
  heading: 'Requests a second of the service and of a bare server: one process each, one database, fsync on',
  columns: ['ours/s', 'bare/s'],
};

export const REQUEST_ROUNDS = {
  full: { rounds: 5, roundMs: 3000, warmUpMs: 1500 },
  quick: { rounds: 1, roundMs: 300, warmUpMs: 100 },
} as const;

const turn = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];

const CASES: readonly RequestCase[] = [
  {
    name: 'order-create',
    goal: 0.5,
    shots:
      ({ orders }) =>
      (n) => ({ method: 'POST', path: '/v3/order', body: turn(orders, n) ?? '' }),
  },
  {
    name: 'order-set-create',
    goal: 0.4,
    shots:
      ({ orderSets }) =>
      (n) => ({ method: 'POST', path: '/v3/order/create', body: turn(orderSets, n) ?? '' }),
  },
  {
    name: 'order-read',
    goal: 0.6,
    shots:
      ({ orderIds }) =>
      (n) => ({ method: 'GET', path: `/v3/order/${turn(orderIds, n)}` }),
  },
  {
    name: 'result-read',
    goal: 0.5,
    shots:
      ({ resultIds }) =>
      (n) => ({ method: 'GET', path: `/v3/order/${turn(resultIds, n)}/result` }),
  },
  {
    name: 'users-list',
    goal: 0.6,
    shots: () => () => ({ method: 'GET', path: '/v2/user?limit=100' }),
  },
];

export const requestCases: readonly BenchCase[] = CASES.map(({ name, goal, shots }) =>
  defineCase<Stage, RoundTimes>({
    name,
    goal,
    group: REQUESTS,
    stage: requestStage,
    sizes: REQUEST_ROUNDS,
    expectedSeconds: { full: 34, quick: 1 },
    run: async (stage, { parameters: { rounds, roundMs, warmUpMs }, report, advance }) => {
      const shoot = shots(stage);
      await assertEquallyLong(stage, shoot(0));
      await fire(stage.ours, shoot, warmUpMs);
      await fire(stage.bare, shoot, warmUpMs);
      const measured = await alternate({
        rounds,
        ours: () => fire(stage.ours, shoot, roundMs),
        bare: () => fire(stage.bare, shoot, roundMs),
        advance,
      });
      report(ratioOf(name, { ...measured, goal }));
    },
  }),
);

/** The bare answers must be as long as ours, but for an id or a timestamp here and there. */
const LENGTH_TOLERANCE = 0.02;

async function assertEquallyLong({ ours, bare }: Stage, shot: Shot): Promise<void> {
  const [our, their] = [await send(ours, shot), await send(bare, shot)];
  if (Math.abs(our.length - their.length) > our.length * LENGTH_TOLERANCE) {
    throw new Error(`The bare answer has ${their.length} characters, ours ${our.length}\n${our}\n${their}`);
  }
}
