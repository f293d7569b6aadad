import type { z } from 'zod';
import { after, publicStatus, shortestPath, type Facts, type Modality } from '../orders/status.ts';
import { DETAILS } from './plan.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import type { ScenarioList } from './schema.ts';

type View = z.input<typeof ScenarioList>;

/** The scenarios of a modality, or all, each with the whole walk of a new order. */
export const viewScenarios = (modality: Modality | null): View => ({
  scenarios: SCENARIOS.filter((scenario) => modality === null || scenario.modality === modality).map(
    ({ stops, ...scenario }) => ({ ...scenario, steps: stepsOf({ ...scenario, stops }) }),
  ),
});

function stepsOf({ modality, stops }: Scenario): View['scenarios'][number]['steps'] {
  let facts: Facts = { modality, step: 'ordered', leg: 'stock', registrable: false, registered: false };
  return stops.flatMap((stop) =>
    (shortestPath(facts, stop.to) ?? []).map((step) => {
      facts = after(facts, step);
      const isStop = step === stop.to;
      return {
        status: publicStatus(modality, step),
        status_detail: (isStop ? stop.detail : undefined) ?? DETAILS[step] ?? null,
        interpretation: (isStop ? stop.interpretation : undefined) ?? null,
        has_missing_results: (isStop ? stop.missing : undefined) ?? null,
      };
    }),
  );
}
