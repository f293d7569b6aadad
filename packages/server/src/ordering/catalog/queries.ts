import { z } from 'zod';
import { CollectionMethod, LabTestStatus, LabTestView, MarkerCompleteView } from './schema.ts';

const FilterText = z.string().max(200);

const GenerationMethodFilter = z
  .enum(['auto', 'manual', 'all'])
  .meta({ id: 'LabTestGenerationMethodFilter' });

const LabAccountIdFilter = z
  .guid()
  .nullish()
  .describe('Restricts the results to the laboratory of this lab account.');

export const LabTestQuery = z.object({
  generation_method: GenerationMethodFilter.default('manual').describe(
    '`auto`: generated for an order. `manual`: all others.',
  ),
  lab_slug: FilterText.nullish(),
  collection_method: CollectionMethod.nullish(),
  status: LabTestStatus.nullish(),
  marker_ids: z.array(z.int()).max(200).nullish().describe('Lab tests that contain all of these markers.'),
  provider_ids: z
    .array(FilterText)
    .max(200)
    .nullish()
    .describe('Lab tests that contain all markers with these laboratory codes.'),
  name: FilterText.nullish().describe('A substring of the name, case-insensitive.'),
  order_key: z.enum(['price', 'created_at', 'updated_at']).nullish(),
  order_direction: z.enum(['asc', 'desc']).nullish().default('asc'),
});

export const LabTestPageQuery = LabTestQuery.extend({
  lab_test_limit: z.int().min(1).max(500).default(50),
  next_cursor: z.string().max(500).nullish(),
});

export const LabTestPage = z
  .object({
    data: z.array(LabTestView),
    next_cursor: z.string().nullable().describe('Pass it to get the next page; null on the last page.'),
  })
  .meta({ id: 'LabTestResourcesResponse' });

export const LabTestParams = z.object({ lab_test_id: z.guid() });
export const MarkerParams = z.object({ lab_id: z.int32(), provider_id: z.string().max(200) });

export const LabAccountQuery = z.object({ lab_account_id: LabAccountIdFilter });

export const MarkerPageQuery = LabAccountQuery.extend({
  page: z.int().min(1).max(1_000_000).default(1),
  size: z.int().min(1).max(100).default(50),
});

export const MarkerQuery = MarkerPageQuery.extend({
  lab_id: z.array(z.int()).max(50).nullish(),
  lab_slug: FilterText.nullish(),
  name: FilterText.default('').describe('A substring of the name, case-insensitive.'),
  a_la_carte_enabled: z.boolean().optional(),
});

export const MarkerPage = z
  .object({
    markers: z.array(MarkerCompleteView),
    total: z.int(),
    page: z.int(),
    size: z.int(),
    pages: z.int(),
  })
  .meta({ id: 'GetMarkersResponse' });
