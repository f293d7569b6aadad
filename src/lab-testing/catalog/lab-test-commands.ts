import { z } from 'zod';
import { CollectionMethod, Labs } from './schema.ts';

const ProviderId = z.string().min(1).max(200);
const MarkerId = z.int();
const MARKERS_MAX = 200;

const Name = z.string().trim().min(1).max(200);

/** The contract lists the laboratories that it names; those that the deployment brought itself are known as well. */
const LabSlug = z
  .string()
  .max(60)
  .meta({ enum: [...Labs.options] });

export const CreateLabTest = z
  .object({
    marker_ids: z.array(MarkerId).max(MARKERS_MAX).nullish(),
    provider_ids: z.array(ProviderId).max(MARKERS_MAX).nullish().describe("The laboratory's codes."),
    name: Name,
    method: CollectionMethod,
    description: z.string().max(2000),
    fasting: z.boolean().nullish().default(false),
    lab_account_id: z.guid().nullish().describe('Keeps to the laboratory of this lab account.'),
    lab_slug: LabSlug.nullish(),
  })
  .meta({ id: 'CreateLabTestRequest' });
export type CreateLabTest = z.output<typeof CreateLabTest>;

export const UpdateLabTest = z
  .object({ name: Name.nullish(), active: z.boolean().nullish() })
  .meta({ id: 'UpdateLabTestRequest' });
export type UpdateLabTest = z.output<typeof UpdateLabTest>;

/** The part of an order that says what is ordered. */
export const OrderSetRequest = z.object({
  lab_test_ids: z.array(z.guid()).max(50).nullish(),
  add_on: z
    .object({
      marker_ids: z.array(MarkerId).max(MARKERS_MAX).nullish(),
      provider_ids: z.array(ProviderId).max(MARKERS_MAX).nullish(),
    })
    .nullish(),
  lab_account_id: z.guid().nullish(),
});
