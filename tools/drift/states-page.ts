import {
  isFinalStep,
  machines,
  MODALITIES,
  publicStatus,
  parseStep,
  type OrderModality,
  type OrderStepRule,
  type OrderStep,
} from '../../packages/server/src/ordering/orders/status.ts';
import { conditionOf } from './conditions.ts';
import { code, printedFrom, table } from './markdown.ts';

/** docs/reference/states.md: the journeys of an order as diagrams and tables. */
export const statesPage = (): string =>
  [...HEAD, ...MODALITIES.flatMap((modality) => journey(modality, stepsOf(modality)))].join('\n');

const HEAD = [
  '# The journeys of an order',
  '',
  printedFrom('packages/server/src/ordering/orders/status.ts'),
  '',
  'One journey for each way of collection. The public status of an order is `<top level>.<modality>.<step>`; it',
  'follows from the step and is never stored. A move that no row lists is answered with 409; cancelling where the',
  'column says no, with 400. The diagrams leave out the moves to `cancelled` and `do_not_process`; the tables have them.',
  '',
];

const NAMES: Readonly<Record<OrderModality, string>> = {
  testkit: 'Test kit',
  walk_in_test: 'Walk-in',
  at_home_phlebotomy: 'At-home phlebotomy',
  on_site_collection: 'On-site collection',
};

type Steps = readonly (readonly [OrderStep, OrderStepRule<OrderStep>])[];

const stepsOf = (modality: OrderModality): Steps =>
  Object.entries(machines[modality]).flatMap(([name, row]) => {
    const step = parseStep(name);
    return step && row ? [[step, row] as const] : [];
  });

const journey = (modality: OrderModality, steps: Steps): string[] => [
  `## ${NAMES[modality]}`,
  '',
  '```mermaid',
  'stateDiagram-v2',
  ...diagram(modality, steps).map((line) => `  ${line}`),
  '```',
  '',
  table(
    ['step', 'public status', 'cancel', 'next'],
    steps.map(([step, row]) => [
      code(step),
      code(publicStatus(modality, step)),
      cancelRule(row),
      nextOf(modality, step, row),
    ]),
  ),
  '',
];

const ASIDE = new Set<OrderStep>(['cancelled', 'do_not_process']);

function diagram(modality: OrderModality, steps: Steps): string[] {
  return [
    '[*] --> ordered',
    ...steps.flatMap(([step, row]) => [
      ...row.next.filter((to) => !ASIDE.has(to)).map((to) => edge(modality, step, to)),
      ...(isFinalStep(modality, step) && !ASIDE.has(step) ? [`${step} --> [*]`] : []),
    ]),
  ];
}

function edge(modality: OrderModality, step: OrderStep, to: OrderStep): string {
  const condition = conditionOf(modality, step, to);
  return `${step} --> ${to}${condition === undefined ? '' : ` : ${condition}`}`;
}

function cancelRule({ cancel, next }: OrderStepRule<OrderStep>): string {
  if (cancel === 'while_not_shipped') return 'while not sent';
  return cancel === true && next.includes('cancelled') ? 'yes' : 'no';
}

function nextOf(modality: OrderModality, step: OrderStep, { next }: OrderStepRule<OrderStep>): string {
  const said = next.map((to) => {
    const condition = to === 'cancelled' ? undefined : conditionOf(modality, step, to);
    return code(to) + (condition === undefined ? '' : ` (${condition})`);
  });
  return said.length === 0 ? 'nothing' : said.join(', ');
}
