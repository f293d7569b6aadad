import { z } from 'zod';
import { CollectionMethod, Labs } from './schema.ts';

const ProviderId = z.string().min(1).max(200);
const MarkerId = z.int();
const MARKERS_MAX = 200;

const Name = z.string().trim().min(1).max(200);

/** The enum lists the contract's laboratories; slugs of imported laboratories are accepted as well. */
const LabSlug = z
  .string()
  .max(60)
  .meta({ enum: [...Labs.options] });

export const CreateLabTestRequest = z
  .object({
    marker_ids: z
      .array(MarkerId)
      .max(MARKERS_MAX)
      .nullish()
      .describe('Marker ids. Set either this or `provider_ids`.'),
    provider_ids: z
      .array(ProviderId)
      .max(MARKERS_MAX)
      .nullish()
      .describe("The laboratory's own test codes. Set either this or `marker_ids`."),
    name: Name.describe('Display name of the lab test.'),
    method: CollectionMethod.describe('How specimens are collected.'),
    description: z.string().max(2000).describe('What the lab test measures, for display.'),
    fasting: z
      .boolean()
      .nullish()
      .default(false)
      .describe('Whether the patient must fast before collection.'),
    lab_account_id: z
      .guid()
      .nullish()
      .describe('Restricts the markers to the laboratory of this lab account.'),
    lab_slug: LabSlug.nullish().describe('Restricts the markers to this laboratory.'),
    version_of: z
      .guid()
      .nullish()
      .describe('Extension. The lab test of which this one is a new version. Both can be ordered.'),
    retire_previous: z
      .boolean()
      .nullish()
      .describe('Extension. Deactivates the lab test that `version_of` names, in the same transaction.'),
  })
  .meta({ id: 'CreateLabTestRequest' });
export type CreateLabTestRequest = z.output<typeof CreateLabTestRequest>;

export const UpdateLabTestRequest = z
  .object({
    name: Name.nullish().describe('New display name.'),
    active: z.boolean().nullish().describe('Whether the lab test can be ordered.'),
  })
  .meta({ id: 'UpdateLabTestRequest' });
export type UpdateLabTestRequest = z.output<typeof UpdateLabTestRequest>;

/** The lab tests and markers of an order. */
export const OrderSetRequest = z.object({
  lab_test_ids: z.array(z.guid()).max(50).nullish().describe('Lab tests to order.'),
  add_on: z
    .object({
      marker_ids: z
        .array(MarkerId)
        .max(MARKERS_MAX)
        .nullish()
        .describe('Marker ids. Set either this or `provider_ids`.'),
      provider_ids: z
        .array(ProviderId)
        .max(MARKERS_MAX)
        .nullish()
        .describe("The laboratory's own test codes. Set either this or `marker_ids`."),
    })
    .nullish()
    .describe('Single markers to order in addition to the lab tests, or instead of them.'),
  lab_account_id: z.guid().nullish().describe('Restricts the markers to the laboratory of this lab account.'),
});
