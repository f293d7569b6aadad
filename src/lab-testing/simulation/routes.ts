import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { viewOrder } from '../orders/orders.ts';
import { Interpretation, OrderAnswer, WishedStatus } from '../orders/schema.ts';
import { ResultType } from '../results/schema.ts';
import { prepareWalk, walk } from './simulation.ts';

const Flags = z
  .object({
    interpretation: Interpretation.default('normal'),
    result_types: z.array(ResultType).max(4).nullish(),
    has_missing_results: z.boolean().nullish(),
  })
  .meta({ id: 'SimulationFlags' });

const DELAY_MAX_SECONDS = 60;

export function simulationRoutes(http: Http, app: App): void {
  http.post('/v3/order/:order_id/test', {
    schema: {
      operationId: 'simulateOrder',
      summary: 'Walk a sandbox order to a status',
      tag: 'Orders',
      description:
        'Takes the shortest way of the order’s journey, sending every event on it. `delay` is the time between two ' +
        'steps in seconds on the sandbox clock; without it the order is at its final status when the answer comes.',
      params: z.object({ order_id: z.guid() }),
      query: z.object({
        final_status: WishedStatus.nullish(),
        delay: z.int().min(0).max(DELAY_MAX_SECONDS).nullish(),
      }),
      body: Flags.nullish(),
      response: { 200: OrderAnswer },
    },
    prepare: ({ tenant, params, query, body }) =>
      prepareWalk(app, tenant, {
        order_id: params.order_id,
        final_status: query.final_status ?? null,
        delay_seconds: query.delay ?? 0,
        interpretation: body?.interpretation ?? 'normal',
        result_types: body?.result_types ?? null,
        has_missing_results: body?.has_missing_results ?? false,
      }),
    handler: async ({ work, prepared }) => ({
      order: viewOrder(await walk(work, prepared)),
      status: 'success',
      message: 'order simulated',
    }),
  });
}
