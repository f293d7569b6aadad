import { z } from 'zod';
import type { App } from '../../app.ts';
import { found } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { Work } from '../../platform/work.ts';
import { getLabAccount } from '../lab-accounts/lab-accounts.ts';
import { getLabTest } from './catalog.ts';
import { compendiumRoutes } from './compendium/routes.ts';
import { cursorAfter, readCursor } from './cursor.ts';
import { labTestCommandRoutes } from './lab-test-command-routes.ts';
import type { LabTest } from './lab-test.ts';
import { findMarkerOfLab, listLabs, pageMarkers, type MarkerFilter } from './marker-store.ts';
import * as queries from './queries.ts';
import { LabTestView, LabView, MarkerView } from './schema.ts';
import { listLabTests, type LabTestFilter, type LabTestOrder } from './store.ts';
import { viewLab, viewLabTest, viewMarker, viewMarkerComplete } from './view.ts';

const tag = 'Lab tests';

export function catalogRoutes(http: Http, _app: App): void {
  labTestRoutes(http);
  labTestCommandRoutes(http);
  markerRoutes(http);
  compendiumRoutes(http);

  http.get('/v3/lab_tests/labs', {
    schema: {
      operationId: 'listLabs',
      summary: 'List the laboratories',
      tag,
      response: { 200: z.array(LabView) },
    },
    handler: async ({ work }) => (await listLabs(work)).map(viewLab),
  });
}

function labTestRoutes(http: Http): void {
  http.get('/v3/lab_tests', {
    schema: {
      operationId: 'listLabTests',
      summary: "List the team's lab tests",
      tag,
      query: queries.LabTestQuery,
      response: { 200: z.array(LabTestView) },
    },
    handler: async ({ work, query }) => {
      const tests = await listLabTests(work, filterOf(query), { order: orderOf(query) });
      return tests.map(viewLabTest);
    },
  });

  http.get('/v3/lab_test', {
    schema: {
      operationId: 'pageLabTests',
      summary: "Read the team's lab tests by cursor",
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
      query: queries.AccountQuery,
      response: { 200: LabTestView },
    },
    handler: async ({ work, params, query }) => viewLabTest(await labTestFor(work, params, query)),
  });
}

function markerRoutes(http: Http): void {
  http.get('/v3/lab_tests/markers', {
    schema: {
      operationId: 'listMarkers',
      summary: 'Search the markers of all laboratories',
      tag,
      query: queries.MarkerQuery,
      response: { 200: queries.MarkerPage },
    },
    handler: async ({ work, query }) => {
      const { lab_id: labIds, lab_slug: slug, name, a_la_carte_enabled: aLaCarteEnabled } = query;
      const labSlugs = [...(slug ? [slug] : []), ...(await labOfAccount(work, query))];
      return markerPage(work, { labIds, labSlugs, name, aLaCarteEnabled }, query);
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
      const { id: labTestId } = await labTestFor(work, params, query);
      return markerPage(work, { labTestId }, query);
    },
  });

  http.get('/v3/lab_tests/:lab_id/markers/:provider_id', {
    schema: {
      operationId: 'getMarkerOfLab',
      summary: "Read a marker by its laboratory's code",
      tag,
      params: queries.MarkerParams,
      query: queries.AccountQuery,
      response: { 200: MarkerView },
    },
    handler: async ({ work, params, query }) => {
      const at = {
        labId: params.lab_id,
        providerId: params.provider_id,
        labSlugs: await labOfAccount(work, query),
      };
      return viewMarker(found(await findMarkerOfLab(work, at), 'Marker'));
    },
  });
}

type Account = z.output<typeof queries.AccountQuery>;

/** The laboratory to keep to, as no slug or one. */
async function labOfAccount(work: Work, { lab_account_id: id }: Account): Promise<string[]> {
  return id ? [(await getLabAccount(work, id)).labSlug] : [];
}

/** The lab test; a lab account of another laboratory does not have it. */
async function labTestFor(
  work: Work,
  { lab_test_id: id }: { lab_test_id: string },
  query: Account,
): Promise<LabTest> {
  const [test, labSlugs] = await Promise.all([getLabTest(work, id), labOfAccount(work, query)]);
  return found(labSlugs.every((slug) => slug === test.lab.slug) ? test : undefined, 'Lab test');
}

async function markerPage(work: Work, filter: MarkerFilter, at: { page: number; size: number }) {
  const { markers, total } = await pageMarkers(work, filter, at);
  const { page, size } = at;
  return { markers: markers.map(viewMarkerComplete), total, page, size, pages: Math.ceil(total / size) };
}

type LabTestQuery = z.output<typeof queries.LabTestQuery>;

const orderOf = (query: LabTestQuery): LabTestOrder => ({
  key: query.order_key ?? 'created_at',
  direction: query.order_direction ?? 'asc',
});

const filterOf = (query: LabTestQuery): LabTestFilter => ({
  generation: query.generation_method,
  labSlug: query.lab_slug,
  method: query.collection_method,
  status: query.status,
  markerIds: query.marker_ids,
  providerIds: query.provider_ids,
  name: query.name,
});

async function pageLabTests(work: Work, query: z.output<typeof queries.LabTestPageQuery>) {
  const order = orderOf(query);
  const after = query.next_cursor ? readCursor(query.next_cursor, order) : undefined;
  const limit = query.lab_test_limit;
  // One more than asked for tells whether there is another page.
  const tests = await listLabTests(work, filterOf(query), { order, after, limit: limit + 1 });
  const data = tests.slice(0, limit);
  const last = data.at(-1);
  return {
    data: data.map(viewLabTest),
    next_cursor: last && tests.length > limit ? cursorAfter(order, last) : null,
  };
}
