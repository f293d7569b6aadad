import { z } from 'zod';
import { requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { Work } from '../../platform/work.ts';
import { getLabTest } from './catalog.ts';
import { compendiumRoutes } from './compendium/routes.ts';
import { encodeCursor, decodeCursor } from './cursor.ts';
import type { FindLabOfAccount } from './lab-of-account.ts';
import { labTestCommandRoutes } from './lab-test-command-routes.ts';
import type { LabTest } from './lab-test.ts';
import { findMarkerOfLab, listLabs, listMarkerPage, type MarkerFilter } from './marker-store.ts';
import * as queries from './queries.ts';
import { LabTestView, LabView, MarkerView } from './schema.ts';
import { listLabTests, type LabTestFilter, type LabTestSort } from './store.ts';
import { viewLab, viewLabTest, viewMarker, viewMarkerComplete } from './view.ts';

export { catalogImportRoute } from './import/routes.ts';

const tag = 'Lab tests';

export function catalogRoutes(http: Http, findLabOfAccount: FindLabOfAccount): void {
  labTestRoutes(http, findLabOfAccount);
  labTestCommandRoutes(http, findLabOfAccount);
  markerRoutes(http, findLabOfAccount);
  markerOfLabRoute(http, findLabOfAccount);
  compendiumRoutes(http);

  http.get('/v3/lab_tests/labs', {
    schema: {
      operationId: 'listLabs',
      summary: 'List laboratories',
      tag,
      response: { 200: z.array(LabView) },
    },
    handler: async ({ work }) => (await listLabs(work)).map(viewLab),
  });
}

function labTestRoutes(http: Http, findLabOfAccount: FindLabOfAccount): void {
  http.get('/v3/lab_tests', {
    schema: {
      operationId: 'listLabTests',
      summary: 'List lab tests',
      tag,
      query: queries.LabTestQuery,
      response: { 200: z.array(LabTestView) },
    },
    handler: async ({ work, query }) => {
      const tests = await listLabTests(work, toLabTestFilter(query), { order: toLabTestSort(query) });
      return tests.map(viewLabTest);
    },
  });

  http.get('/v3/lab_test', {
    schema: {
      operationId: 'pageLabTests',
      summary: 'List lab tests with cursor pagination',
      tag,
      query: queries.LabTestPageQuery,
      response: { 200: queries.LabTestPage },
    },
    handler: ({ work, query }) => pageLabTests(work, query),
  });

  http.get('/v3/lab_tests/:lab_test_id', {
    schema: {
      operationId: 'getLabTest',
      summary: 'Read a lab test',
      tag,
      params: queries.LabTestParams,
      query: queries.LabAccountQuery,
      response: { 200: LabTestView },
    },
    handler: async ({ work, params, query }) => {
      const labSlugs = await listLabSlugsOfAccount(work, query, findLabOfAccount);
      return viewLabTest(await getLabTestOfLabs(work, params.lab_test_id, labSlugs));
    },
  });
}

function markerRoutes(http: Http, findLabOfAccount: FindLabOfAccount): void {
  http.get('/v3/lab_tests/markers', {
    schema: {
      operationId: 'listMarkers',
      summary: 'Search markers of all laboratories',
      tag,
      query: queries.MarkerQuery,
      response: { 200: queries.MarkerPage },
    },
    handler: async ({ work, query }) => {
      const { lab_id: labIds, lab_slug: slug, name, a_la_carte_enabled: aLaCarteEnabled } = query;
      const labSlugs = [
        ...(slug ? [slug] : []),
        ...(await listLabSlugsOfAccount(work, query, findLabOfAccount)),
      ];
      return readMarkerPage(work, { labIds, labSlugs, name, aLaCarteEnabled }, query);
    },
  });

  http.get('/v3/lab_tests/:lab_test_id/markers', {
    schema: {
      operationId: 'listMarkersOfLabTest',
      summary: 'List the markers of a lab test',
      tag,
      params: queries.LabTestParams,
      query: queries.MarkerPageQuery,
      response: { 200: queries.MarkerPage },
    },
    handler: async ({ work, params, query }) => {
      const labSlugs = await listLabSlugsOfAccount(work, query, findLabOfAccount);
      const { id: labTestId } = await getLabTestOfLabs(work, params.lab_test_id, labSlugs);
      return readMarkerPage(work, { labTestId }, query);
    },
  });
}

function markerOfLabRoute(http: Http, findLabOfAccount: FindLabOfAccount): void {
  http.get('/v3/lab_tests/:lab_id/markers/:provider_id', {
    schema: {
      operationId: 'getMarkerOfLab',
      summary: "Read a marker by its laboratory's code",
      tag,
      params: queries.MarkerParams,
      query: queries.LabAccountQuery,
      response: { 200: MarkerView },
    },
    handler: async ({ work, params, query }) => {
      const at = {
        labId: params.lab_id,
        providerId: params.provider_id,
        labSlugs: await listLabSlugsOfAccount(work, query, findLabOfAccount),
      };
      return viewMarker(requireFound(await findMarkerOfLab(work, at), 'Marker'));
    },
  });
}

type LabAccountQuery = z.output<typeof queries.LabAccountQuery>;

/** The slug of the account's laboratory as a list: one entry, or none without an account. */
const listLabSlugsOfAccount = async (
  work: Work,
  { lab_account_id: id }: LabAccountQuery,
  findLabOfAccount: FindLabOfAccount,
): Promise<string[]> => (id ? [await findLabOfAccount(work, id)] : []);

/** The lab test; 404 if it is of another laboratory. No slugs means any laboratory. */
async function getLabTestOfLabs(work: Work, id: string, labSlugs: readonly string[]): Promise<LabTest> {
  const test = await getLabTest(work, id);
  return requireFound(labSlugs.every((slug) => slug === test.lab.slug) ? test : undefined, 'Lab test');
}

async function readMarkerPage(work: Work, filter: MarkerFilter, at: { page: number; size: number }) {
  const { markers, total } = await listMarkerPage(work, filter, at);
  const { page, size } = at;
  return { markers: markers.map(viewMarkerComplete), total, page, size, pages: Math.ceil(total / size) };
}

type LabTestQuery = z.output<typeof queries.LabTestQuery>;

const toLabTestSort = (query: LabTestQuery): LabTestSort => ({
  key: query.order_key ?? 'created_at',
  direction: query.order_direction ?? 'asc',
});

const toLabTestFilter = (query: LabTestQuery): LabTestFilter => ({
  generation: query.generation_method,
  labSlug: query.lab_slug,
  method: query.collection_method,
  status: query.status,
  markerIds: query.marker_ids,
  providerIds: query.provider_ids,
  name: query.name,
});

async function pageLabTests(work: Work, query: z.output<typeof queries.LabTestPageQuery>) {
  const order = toLabTestSort(query);
  const after = query.next_cursor ? decodeCursor(query.next_cursor, order) : undefined;
  const limit = query.lab_test_limit;
  // Read one extra row to learn whether there is another page.
  const tests = await listLabTests(work, toLabTestFilter(query), { order, after, limit: limit + 1 });
  const data = tests.slice(0, limit);
  const last = data.at(-1);
  return {
    data: data.map(viewLabTest),
    next_cursor: last && tests.length > limit ? encodeCursor(order, last) : null,
  };
}
