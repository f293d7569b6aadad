import { DomainError, found } from '../../../platform/errors.ts';
import type { Http } from '../../../platform/http/http.ts';
import { listLabs } from '../marker-store.ts';
import { findLabTest } from '../store.ts';
import { openCompendium } from './compendium.ts';
import { convertCompendium } from './convert.ts';
import { CompendiumConversion, CompendiumFindings, ConvertCompendium, SearchCompendium } from './schema.ts';
import { searchCompendium } from './search.ts';

const tag = 'Compendium';
const feature = 'compendium';

/** Finding what a test is called elsewhere. Closed beta. */
export function compendiumRoutes(http: Http): void {
  http.post('/v3/compendium/search', {
    feature,
    schema: {
      operationId: 'searchCompendium',
      summary: 'Find tests by name, synonym, LOINC or code',
      tag,
      body: SearchCompendium,
      response: { 200: CompendiumFindings },
    },
    handler: async ({ work, body }) => searchCompendium(await openCompendium(work), body),
  });

  http.post('/v3/compendium/convert', {
    feature,
    schema: {
      operationId: 'convertCompendium',
      summary: "Find another laboratory's equivalents of a lab test or of codes",
      description: 'Equivalent is what measures the same set of LOINC codes.',
      tag,
      body: ConvertCompendium,
      response: { 200: CompendiumConversion },
    },
    handler: async ({ work, body }) => {
      const { lab_test_id: labTestId, provider_ids: providerIds, target_lab: slug, limit } = body;
      if ((labTestId == null) === (providerIds == null || providerIds.length === 0)) {
        throw new DomainError('bad_request', 'Exactly one of lab_test_id and provider_ids is needed');
      }
      const labTest = labTestId == null ? undefined : found(await findLabTest(work, labTestId), 'Lab test');
      const target = found(
        (await listLabs(work)).find((lab) => lab.slug === slug),
        'Lab',
      );
      const sources = { labTest, providerIds: providerIds ?? [], target, limit };
      return convertCompendium(await openCompendium(work), sources);
    },
  });
}
