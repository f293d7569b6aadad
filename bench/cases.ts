import type { Shot } from './load.ts';
import type { Stage } from './stage.ts';

/** What is measured, and what is wanted: our requests a second as a part of the bare server's. */
export interface Case {
  readonly name: string;
  readonly goal: number;
  readonly shots: (stage: Stage) => (n: number) => Shot;
}

const turn = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];

export const cases: readonly Case[] = [
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
