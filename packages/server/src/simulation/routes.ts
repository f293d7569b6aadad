import { z } from 'zod';
import type { App } from '../app.ts';
import type { Http } from '../platform/http/http.ts';
import { viewOrder } from '../ordering/orders/orders.ts';
import { viewScenarios } from './list-scenarios.ts';
import { OrderResponse, ScenarioFilters, ScenarioList, SimulateOrder, SimulationFlags } from './schema.ts';
import { prepareSimulation, runSimulation } from './simulation.ts';

const tag = 'Orders';

export function simulationRoutes(http: Http, app: App): void {
  http.get('/v3/order/simulation_scenarios', {
    schema: {
      operationId: 'listSimulationScenarios',
      summary: 'List simulation scenarios',
      tag,
      description:
        'Lists the steps of each scenario for a new order. An order on the path takes the remaining steps.',
      query: ScenarioFilters,
      response: { 200: ScenarioList },
    },
    handler: async ({ query }) => viewScenarios(query.modality ?? null),
  });
  http.post('/v3/order/:order_id/test', {
    schema: {
      operationId: 'simulateOrder',
      summary: 'Simulate an order',
      tag,
      description:
        'Sandbox only. Moves the order on the shortest path to `final_status` (default `completed`), or through a ' +
        '`scenario`, and sends every event on the way. `step=true` takes only the next step. `delay` is the time ' +
        'between two steps, in seconds on the sandbox clock; without it, the response shows the final status. ' +
        '`status_detail` is the reason for `lab_processing_blocked` or `sample_error`.',
      params: z.object({ order_id: z.guid() }),
      query: SimulateOrder,
      body: SimulationFlags.nullish(),
      response: { 200: OrderResponse },
    },
    prepare: ({ tenant, params, query, body }) =>
      prepareSimulation(app, tenant, {
        order_id: params.order_id,
        final_status: query.final_status ?? null,
        status_detail: query.status_detail ?? null,
        scenario: query.scenario ?? null,
        single_step: query.step ?? false,
        delay_seconds: query.delay ?? 0,
        interpretation: body?.interpretation ?? 'normal',
        result_types: body?.result_types ?? null,
        person: body?.person ?? null,
        has_missing_results: body?.has_missing_results ?? false,
      }),
    handler: async ({ work, prepared }) => ({
      order: viewOrder(await runSimulation(work, prepared)),
      status: 'success',
      message: 'order simulated',
    }),
  });
}
