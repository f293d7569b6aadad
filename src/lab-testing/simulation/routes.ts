import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { viewOrder } from '../orders/orders.ts';
import { viewScenarios } from './list-scenarios.ts';
import { OrderAnswer, ScenarioFilters, ScenarioList, SimulateOrder, SimulationFlags } from './schema.ts';
import { prepareWalk, walk } from './simulation.ts';

const tag = 'Orders';

export function simulationRoutes(http: Http, app: App): void {
  http.get('/v3/order/simulation_scenarios', {
    schema: {
      operationId: 'listSimulationScenarios',
      summary: 'List what a sandbox order can be made to go through',
      tag,
      description:
        'The walk of each scenario is that of a new order; an order on its way takes the rest of it.',
      query: ScenarioFilters,
      response: { 200: ScenarioList },
    },
    handler: async ({ query }) => viewScenarios(query.modality ?? null),
  });
  http.post('/v3/order/:order_id/test', {
    schema: {
      operationId: 'simulateOrder',
      summary: 'Walk a sandbox order to a status',
      tag,
      description:
        'Takes the shortest way of the order’s journey to `final_status` (`completed` when absent), sending every ' +
        'event on it; or the way of a named `scenario`. `step=true` takes one step of it and no more. `delay` is the ' +
        'time between two steps in seconds on the sandbox clock; without it the order is at its final status when ' +
        'the answer comes. `status_detail` is the reason of `lab_processing_blocked` and `sample_error`.',
      params: z.object({ order_id: z.guid() }),
      query: SimulateOrder,
      body: SimulationFlags.nullish(),
      response: { 200: OrderAnswer },
    },
    prepare: ({ tenant, params, query, body }) =>
      prepareWalk(app, tenant, {
        order_id: params.order_id,
        final_status: query.final_status ?? null,
        status_detail: query.status_detail ?? null,
        scenario: query.scenario ?? null,
        single_step: query.step ?? false,
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
