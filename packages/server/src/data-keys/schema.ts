import { z } from 'zod';
import { isoTimestamp } from '../platform/clock.ts';
import { ENVIRONMENTS } from '../platform/tenant.ts';
import { Timestamp } from '../platform/timestamp.ts';
import type { DataKeyRotationRow } from './store.ts';

export const DataKeyParams = z.object({
  org_id: z.guid(),
  team_id: z.guid(),
  environment: z.enum(ENVIRONMENTS),
});

/** The progress of a data key rotation. */
export const DataKeyRotationView = z
  .object({
    generation: z.int().describe('The number of the new data key; the first key of a tenant is 1.'),
    state: z
      .enum(['announced', 'sealing', 'done', 'stuck'])
      .describe(
        'announced: every process loads the new key first. sealing: it encrypts new data, and older data are ' +
          're-encrypted. stuck: a value cannot be decrypted; older keys are kept.',
      ),
    announced_at: Timestamp,
    switched_at: Timestamp.nullable().describe('When the new key began to encrypt.'),
    finished_at: Timestamp.nullable(),
    round: z
      .int()
      .describe('The passes through all encrypted data; the last one finds nothing to re-encrypt.'),
    resealed: z.int().describe('The number of re-encrypted values and files.'),
    hindrance: z.string().nullable().describe('The column and row that cannot be decrypted; never a value.'),
  })
  .meta({ id: 'DataKeyRotation' });

export const DataKeyView = z
  .object({
    rotation: DataKeyRotationView.nullable().describe('The latest rotation; null if there was none.'),
  })
  .meta({ id: 'DataKey' });

export const toDataKeyRotationView = (row: DataKeyRotationRow): z.input<typeof DataKeyRotationView> => ({
  generation: row.generation,
  state: row.state,
  announced_at: isoTimestamp(row.announced_at),
  switched_at: row.switched_at && isoTimestamp(row.switched_at),
  finished_at: row.finished_at && isoTimestamp(row.finished_at),
  round: row.round,
  resealed: Number(row.resealed),
  hindrance: row.hindrance,
});
