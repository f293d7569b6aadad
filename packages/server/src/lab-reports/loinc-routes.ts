import { openLoincSearch, type LoincSearch } from 'aliquot-report-reader/loinc-search';
import { z } from 'zod';
import type { App } from '../app.ts';
import type { Http } from '../platform/http/http.ts';

const LIMIT_MAX = 50;

const LoincQuery = z.object({
  q: z.string().min(1).max(100).describe('A code or its beginning, or words of a name in any order.'),
  limit: z.int().min(1).max(LIMIT_MAX).default(20),
});

const LoincCodeView = z
  .object({
    code: z.string(),
    long_common_name: z.string().describe('The LOINC long common name.'),
    short_name: z.string().nullable(),
    component: z.string().nullable(),
    example_units: z.array(z.string()),
    synonyms: z
      .array(z.string())
      .describe('Names that laboratories print, from our own list; no LOINC names.'),
  })
  .meta({ id: 'LoincCode' });

const LoincCodes = z.object({
  data: z.array(LoincCodeView).describe('The best first; common codes before others.'),
  searched: z.int().describe('How many codes there are.'),
});

const SYNONYMS_SHOWN = 8;

/** A search over LOINC for those who review lab reports. The codes are read when they are first searched. Extension. */
export function loincRoutes(http: Http, { config }: App): void {
  let opened: Promise<LoincSearch> | undefined;
  const open = () =>
    (opened ??= openLoincSearch(config.LOINC_CSV).catch((error: unknown) => {
      // A file that cannot be read now may be readable at the next search.
      opened = undefined;
      throw error;
    }));
  http.get('/v1/loinc', {
    schema: {
      operationId: 'searchLoinc',
      summary: 'Search LOINC codes',
      description:
        'Extension. By the beginning of a code, or by the beginnings of words of a name or a synonym in any order. ' +
        "Searches the common codes that come with the service, or the operator's own LOINC table (`LOINC_CSV`). This " +
        'material contains content from LOINC (http://loinc.org), copyright Regenstrief Institute, Inc. and the LOINC ' +
        'Committee, available at no cost under the license at http://loinc.org/license.',
      tag: 'Lab reports',
      query: LoincQuery,
      response: { 200: LoincCodes },
    },
    prepare: async ({ query }) => {
      const loinc = await open();
      return { found: loinc.search(query.q, query.limit), count: loinc.count };
    },
    handler: async ({ prepared: { found, count } }) => ({
      data: found.map(({ code, longName, shortName, component, units, names }) => ({
        code,
        long_common_name: longName,
        short_name: shortName || null,
        component: component || null,
        example_units: [...units],
        synonyms: names.slice(0, SYNONYMS_SHOWN),
      })),
      searched: count,
    }),
  });
}
