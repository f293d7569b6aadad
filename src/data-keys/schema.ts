import { z } from 'zod';
import { isoMoment } from '../platform/clock.ts';
import { ENVIRONMENTS } from '../platform/tenant.ts';
import type { RotationRow } from './store.ts';

export const TenantPath = z.object({
  org_id: z.guid(),
  team_id: z.guid(),
  environment: z.enum(ENVIRONMENTS),
});

const Moment = z.iso.datetime({ offset: true });

/** How far the exchange of a data key has come. */
export const RotationView = z
  .object({
    generation: z.int().describe('The number of the new data key; the first one of a tenant is 1.'),
    state: z
      .enum(['announced', 'sealing', 'done', 'stuck'])
      .describe(
        'announced: every process is told of it first. sealing: it seals what is new, and what is older is sealed anew. ' +
          'stuck: something does not open; the older keys are kept.',
      ),
    announced_at: Moment,
    switched_at: Moment.nullable().describe('Since then it seals.'),
    finished_at: Moment.nullable(),
    round: z.int().describe('The rounds through all that is sealed; the last one finds nothing to do.'),
    resealed: z.int().describe('Values and files that were sealed anew.'),
    hindrance: z.string().nullable().describe('The column and the row that does not open; never a value.'),
  })
  .meta({ id: 'DataKeyRotation' });

export const DataKeyView = z
  .object({
    rotation: RotationView.nullable().describe('The newest exchange; null where there was none.'),
  })
  .meta({ id: 'DataKey' });

export const viewRotation = (row: RotationRow): z.input<typeof RotationView> => ({
  generation: row.generation,
  state: row.state,
  announced_at: isoMoment(row.announced_at),
  switched_at: row.switched_at && isoMoment(row.switched_at),
  finished_at: row.finished_at && isoMoment(row.finished_at),
  round: row.round,
  resealed: Number(row.resealed),
  hindrance: row.hindrance,
});
