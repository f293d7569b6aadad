import { defineCase, type BenchCaseContext, type BenchFigure } from '../../tools/bench/bench-case.ts';
import { runLoad, send } from '../load.ts';
import { alternate, median, type RoundTimes } from '../result.ts';
import { listStage, type ListStage, type ListTeam } from './stage.ts';

type ListQuery = string | ((team: ListTeam) => string);

/** The first page for each filter and sort order: `many` matches a share of all orders, `few` about sixty. */
// prettier-ignore
const QUERIES: readonly [name: string, query: ListQuery][] = [
  ['all',                  ''],
  ['oldest first',         'order_direction=asc'],
  ['by patient',           'order_key=patient_name'],
  ['by status',            'order_key=last_status'],
  ['status, many',         'status=completed'],
  ['status, few',          'status=lost'],
  ['type, many',           'order_type=testkit'],
  ['type, few',            'order_type=on_site_collection'],
  ['critical',             'is_critical=true'],
  ['not critical',         'is_critical=false'],
  ['interpretation',       'interpretation=abnormal'],
  ['scheduled',            'order_activation_types=scheduled'],
  ['current',              'order_activation_types=current'],
  ['placed since',         () => `start_date=${dayAgo(365)}`],
  ['placed until',         () => `end_date=${dayAgo(365)}`],
  ['placed, by patient',   () => `start_date=${dayAgo(365)}&order_key=patient_name`],
  ['updated since, few',   () => `updated_start_date=${dayAgo(-30)}`],
  ['updated since, many',  () => `updated_start_date=${dayAgo(365)}`],
  ['updated until',        () => `updated_end_date=${dayAgo(365)}`],
  ['user',                 ({ userId }) => `user_id=${userId}`],
  // A user with 5,000 orders in the large team, and one with 100 in the small one.
  ['user, often',          ({ frequentUserId }) => `user_id=${frequentUserId}`],
  ['user, oldest first',   ({ frequentUserId }) => `user_id=${frequentUserId}&order_direction=asc`],
  ['user, by status',      ({ frequentUserId }) => `user_id=${frequentUserId}&order_key=last_status`],
  ['user, by patient',     ({ frequentUserId }) => `user_id=${frequentUserId}&order_key=patient_name`],
  ['user and status',      ({ frequentUserId }) => `user_id=${frequentUserId}&status=completed&size=20`],
  ['user, placed since',   ({ frequentUserId }) => `user_id=${frequentUserId}&start_date=${dayAgo(700)}`],
  ['user, updated since',  ({ frequentUserId }) => `user_id=${frequentUserId}&updated_start_date=${dayAgo(700)}`],
  ['patient, few',         'patient_name=rarely'],
  ['patient, many',        'patient_name=lovelace'],
  ['recipient, few',       'shipping_recipient_name=seldom'],
  ['recipient, many',      'shipping_recipient_name=lovelace'],
  ['search, few',          'search_input=quirina'],
  ['search, many',         'search_input=ada'],
  ['search by sample',     'search_input=COPY77'],
  ['search by id',         ({ orderId }) => `search_input=${orderId}`],
  ['ids',                  ({ orderId }) => `order_ids=${orderId}`],
  ['transaction',          ({ transactionId }) => `order_transaction_id=${transactionId}`],
  ['status and dates',     () => `status=lost&start_date=${dayAgo(700)}&order_key=patient_name`],
  ['name and status',      'patient_name=lovelace&status=completed'],
  ['both, by status',      'patient_name=lovelace&status=completed&order_key=last_status'],
];

const DAY_MS = 86_400_000;
const dayAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Pages per second of the team with many orders, and of the team with a thousand. */
async function measure(
  stage: ListStage,
  [name, query]: (typeof QUERIES)[number],
  { parameters: { rounds, roundMs, warmUpMs }, goal }: BenchCaseContext<RoundTimes>,
): Promise<BenchFigure> {
  const shoot = (team: ListTeam) => () => ({
    method: 'GET' as const,
    path: `/v3/orders?${typeof query === 'string' ? query : query(team)}`,
  });
  const teams = [stage.many, stage.few] as const;
  const [long = 0, short = 0] = await Promise.all(
    teams.map(async (team) => JSON.parse(await send(team.target, shoot(team)())).orders.length),
  );
  if (long !== short || long === 0)
    throw new Error(
      `${name}: the page of the large team has ${long} orders, that of the small team ${short}`,
    );
  const rate = (team: ListTeam, forMs: number) => () => runLoad(team.target, shoot(team), forMs);
  for (const team of teams) await rate(team, warmUpMs)();
  const { ours, bare } = await alternate({
    rounds,
    ours: rate(stage.many, roundMs),
    bare: rate(stage.few, roundMs),
    advance: () => {},
  });
  const [a, b] = [median(ours), median(bare)];
  const rounded = (number: number) => Math.round(number * 10) / 10;
  return {
    name: `list: ${name}`,
    ours: rounded(a),
    bare: rounded(b),
    ratio: Number((a / b).toFixed(3)),
    goal,
  };
}

export const orderLists = defineCase<ListStage, RoundTimes>({
  name: 'orders-list',
  group: {
    heading: 'First pages per second: a team with 1,000,000 orders (quick: 20,000) and one with 1,000',
    columns: ['many/s', '1000/s'],
  },
  // A page of a team with a million orders may take at most 1.5 times as long as one of a team with a thousand.
  goal: 0.667,
  stage: listStage,
  sizes: {
    full: { rounds: 5, roundMs: 600, warmUpMs: 300 },
    quick: { rounds: 1, roundMs: 20, warmUpMs: 0 },
  },
  expectedSeconds: { full: 240, quick: 8 },
  run: async (stage, context) => {
    context.advance(0, QUERIES.length);
    for (const [n, query] of QUERIES.entries()) {
      context.report(await measure(stage, query, context));
      context.advance(n + 1, QUERIES.length);
    }
  },
});
