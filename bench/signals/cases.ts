import { defineCase, defineStage, type BenchCase, type BenchGroup } from '../../tools/bench/bench-case.ts';
import { withClient } from '../../tools/stage/database.ts';
import { REQUEST_ROUNDS } from '../cases.ts';
import { runLoad, type BenchRequest, type BenchTarget } from '../load.ts';
import { alternate, ratioOf, type RoundTimes } from '../result.ts';
import { openServices } from '../stage.ts';

const GROUP: BenchGroup = {
  heading: 'Requests per second: with metrics and a log line for each request, and without both',
  columns: ['with/s', 'without/s'],
};
/** What an operator sees may cost at most three hundredths. */
const GOAL = 0.97;

interface SignalStage {
  readonly seen: BenchTarget;
  readonly silent: BenchTarget;
  readonly orders: readonly string[];
  readonly orderIds: readonly string[];
}

const signalStage = defineStage<SignalStage>({
  name: 'signals',
  expectedSeconds: { full: 60, quick: 15 },
  open: async (cleanups, size) => {
    // Neither does background work: the first to begin would take most of it, which cost it up to 8 % of its requests
    // when both had the same settings.
    const ROLE = 'api';
    const { databaseUrl, rows, services } = await openServices(cleanups, size, [
      { name: 'seen', settings: { ROLE, LOG_LEVEL: 'info', LOG_REQUESTS: 'true', LOG_FORMAT: 'json' } },
      { name: 'silent', settings: { ROLE, LOG_REQUESTS: 'false', OTEL_SDK_DISABLED: 'true' } },
    ]);
    await withClient({ connectionString: databaseUrl }, (client) => client.query('vacuum analyze'));
    const [seen, silent = seen] = services;
    return { seen: seen.target, silent: silent.target, ...rows };
  },
});

const itemAt = (list: readonly string[], n: number): string => list[n % list.length] ?? '';

const SIGNAL_CASES: readonly {
  name: string;
  requests: (stage: SignalStage) => (n: number) => BenchRequest;
}[] = [
  {
    name: 'signals-read',
    requests:
      ({ orderIds }) =>
      (n) => ({ method: 'GET', path: `/v3/order/${itemAt(orderIds, n)}` }),
  },
  {
    name: 'signals-create',
    requests:
      ({ orders }) =>
      (n) => ({ method: 'POST', path: '/v3/order', body: itemAt(orders, n) }),
  },
];

export const signalCases: readonly BenchCase[] = SIGNAL_CASES.map(({ name, requests }) =>
  defineCase<SignalStage, RoundTimes>({
    name,
    goal: GOAL,
    group: GROUP,
    stage: signalStage,
    sizes: { ...REQUEST_ROUNDS, full: { ...REQUEST_ROUNDS.full, rounds: 9 } },
    expectedSeconds: { full: 60, quick: 1 },
    run: async (stage, { parameters: { rounds, roundMs, warmUpMs }, goal, report, advance }) => {
      const shoot = requests(stage);
      await runLoad(stage.seen, shoot, warmUpMs);
      await runLoad(stage.silent, shoot, warmUpMs);
      const measured = await alternate({
        rounds,
        ours: () => runLoad(stage.seen, shoot, roundMs),
        bare: () => runLoad(stage.silent, shoot, roundMs),
        advance,
      });
      report(ratioOf(name, { ...measured, goal }));
    },
  }),
);
