import type { z } from 'zod';
import {
  factsAfter,
  publicStatus,
  shortestPath,
  type OrderFacts,
  type OrderModality,
} from '../ordering/orders/status.ts';
import { DEFAULT_STATUS_DETAILS } from './plan.ts';
import { SCENARIOS, type SimulationScenario } from './scenarios.ts';
import type { ScenarioList } from './schema.ts';

type ScenarioListView = z.input<typeof ScenarioList>;

/** The scenarios of one modality, or all, each with the steps that a new order takes. */
export const viewScenarios = (modality: OrderModality | null): ScenarioListView => ({
  scenarios: SCENARIOS.filter((scenario) => modality === null || scenario.modality === modality).map(
    ({ stops, ...scenario }) => ({ ...scenario, steps: listScenarioSteps({ ...scenario, stops }) }),
  ),
});

function listScenarioSteps({
  modality,
  stops,
}: SimulationScenario): ScenarioListView['scenarios'][number]['steps'] {
  let facts: OrderFacts = { modality, step: 'ordered', leg: 'stock', registrable: false, registered: false };
  return stops.flatMap((stop) =>
    (shortestPath(facts, stop.to) ?? []).map((step) => {
      facts = factsAfter(facts, step);
      const isStop = step === stop.to;
      return {
        status: publicStatus(modality, step),
        status_detail: (isStop ? stop.detail : undefined) ?? DEFAULT_STATUS_DETAILS[step] ?? null,
        interpretation: (isStop ? stop.interpretation : undefined) ?? null,
        has_missing_results: (isStop ? stop.missing : undefined) ?? null,
      };
    }),
  );
}
