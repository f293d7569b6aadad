import { DomainError, requireFound } from '../../../platform/errors.ts';
import type { Http } from '../../../platform/http/http.ts';
import { listLabs } from '../marker-store.ts';
import { findLabTest } from '../store.ts';
import { openCompendium } from './compendium.ts';
import { convertCompendium } from './convert.ts';
import {
  CompendiumConversion,
  CompendiumSearchResult,
  ConvertCompendiumBody,
  SearchCompendiumBody,
} from './schema.ts';
import { searchCompendium } from './search.ts';

const tag = 'Compendium';
const feature = 'compendium';

/** Finds equivalent tests across laboratories. Closed beta. */
export function compendiumRoutes(http: Http): void {
  http.post('/v3/compendium/search', {
    feature,
    schema: {
      operationId: 'searchCompendium',
      summary: 'Search tests by name or code',
      tag,
      body: SearchCompendiumBody,
      response: { 200: CompendiumSearchResult },
    },
    handler: async ({ work, body }) => searchCompendium(await openCompendium(work), body),
  });

  http.post('/v3/compendium/convert', {
    feature,
    schema: {
      operationId: 'convertCompendium',
      summary: 'Convert tests to another laboratory',
      description:
        'Converts a lab test, or codes of one laboratory. Equivalent tests measure the same set of LOINC codes.',
      tag,
      body: ConvertCompendiumBody,
      response: { 200: CompendiumConversion },
    },
    handler: async ({ work, body }) => {
      const { lab_test_id: labTestId, provider_ids: providerIds, target_lab: slug, limit } = body;
      if ((labTestId == null) === (providerIds == null || providerIds.length === 0)) {
        throw new DomainError('bad_request', 'Expected exactly one of lab_test_id and provider_ids');
      }
      const labTest =
        labTestId == null ? undefined : requireFound(await findLabTest(work, labTestId), 'Lab test');
      const target = requireFound(
        (await listLabs(work)).find((lab) => lab.slug === slug),
        'Lab',
      );
      const sources = { labTest, providerIds: providerIds ?? [], target, limit };
      return convertCompendium(await openCompendium(work), sources);
    },
  });
}
