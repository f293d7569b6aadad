import { defineCase, type BenchCase, type BenchGroup } from '../tools/bench/bench-case.ts';
import { runLoad, send, type BenchRequest } from './load.ts';
import { alternate, ratioOf, type RoundTimes } from './result.ts';
import { requestStage, type RequestStage } from './stage.ts';

/** Requests to send, and the share of the bare server's rate that is the goal. */
interface RequestCase {
  readonly name: string;
  readonly goal: number;
  readonly requests: (stage: RequestStage) => (n: number) => BenchRequest;
}

export const REQUESTS: BenchGroup = {
  heading: 'Requests per second: the service and a bare server (one process each, one database, fsync on)',
  columns: ['ours/s', 'bare/s'],
};

export const REQUEST_ROUNDS = {
  full: { rounds: 5, roundMs: 3000, warmUpMs: 1500 },
  quick: { rounds: 1, roundMs: 300, warmUpMs: 100 },
} as const;

const itemAt = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];

const CASES: readonly RequestCase[] = [
  {
    name: 'order-create',
    goal: 0.5,
    requests:
      ({ orders }) =>
      (n) => ({ method: 'POST', path: '/v3/order', body: itemAt(orders, n) ?? '' }),
  },
  {
    name: 'order-set-create',
    goal: 0.4,
    requests:
      ({ orderSets }) =>
      (n) => ({ method: 'POST', path: '/v3/order/create', body: itemAt(orderSets, n) ?? '' }),
  },
  {
    name: 'order-read',
    goal: 0.6,
    requests:
      ({ orderIds }) =>
      (n) => ({ method: 'GET', path: `/v3/order/${itemAt(orderIds, n)}` }),
  },
  {
    name: 'result-read',
    goal: 0.5,
    requests:
      ({ resultIds }) =>
      (n) => ({ method: 'GET', path: `/v3/order/${itemAt(resultIds, n)}/result` }),
  },
  {
    name: 'users-list',
    goal: 0.6,
    requests: () => () => ({ method: 'GET', path: '/v2/user?limit=100' }),
  },
];

export const requestCases: readonly BenchCase[] = CASES.map(({ name, goal, requests }) =>
  defineCase<RequestStage, RoundTimes>({
    name,
    goal,
    group: REQUESTS,
    stage: requestStage,
    sizes: REQUEST_ROUNDS,
    expectedSeconds: { full: 34, quick: 1 },
    run: async (stage, { parameters: { rounds, roundMs, warmUpMs }, report, advance }) => {
      const shoot = requests(stage);
      await assertEquallyLong(stage, shoot(0));
      await runLoad(stage.ours, shoot, warmUpMs);
      await runLoad(stage.bare, shoot, warmUpMs);
      const measured = await alternate({
        rounds,
        ours: () => runLoad(stage.ours, shoot, roundMs),
        bare: () => runLoad(stage.bare, shoot, roundMs),
        advance,
      });
      report(ratioOf(name, { ...measured, goal }));
    },
  }),
);

/** Bare responses must be as long as ours, apart from single ids and timestamps. */
const LENGTH_TOLERANCE = 0.02;

async function assertEquallyLong({ ours, bare }: RequestStage, shot: BenchRequest): Promise<void> {
  const [our, their] = [await send(ours, shot), await send(bare, shot)];
  if (Math.abs(our.length - their.length) > our.length * LENGTH_TOLERANCE) {
    throw new Error(
      `The bare response has ${their.length} characters, ours has ${our.length}\n${our}\n${their}`,
    );
  }
}
