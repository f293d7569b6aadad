import type { Http } from '../../platform/http/http.ts';
import { changeSavedView, createSavedView, deleteSavedView, listSavedViews } from './keep-views.ts';
import {
  ChangeSavedView,
  CreateSavedView,
  SavedViewList,
  SavedViewParams,
  SavedViewQuery,
  SavedViewView,
  toSavedViewView,
} from './schema.ts';

const VIEWS_PATH = '/v1/saved-views';
const VIEW_PATH = `${VIEWS_PATH}/:saved_view_id`;
const tag = 'Team';
const PRIVACY =
  'A member sees only its own views, and a key its own. At most 100 in each team and environment.';

export function savedViewRoutes(http: Http): void {
  http.get(VIEWS_PATH, {
    schema: {
      operationId: 'listSavedViews',
      summary: 'List your saved views',
      description: `Extension. Oldest first, in one page. ${PRIVACY}`,
      tag,
      query: SavedViewQuery,
      response: { 200: SavedViewList },
    },
    handler: async ({ work, principal, query }) => ({
      data: (await listSavedViews(work, principal, query.page ?? undefined)).map(toSavedViewView),
    }),
  });
  http.post(VIEWS_PATH, {
    schema: {
      operationId: 'createSavedView',
      summary: 'Save the filters of a page',
      description: `Extension. ${PRIVACY} 409 above that.`,
      tag,
      body: CreateSavedView,
      response: { 200: SavedViewView },
    },
    handler: async ({ work, principal, body }) =>
      toSavedViewView(await createSavedView(work, principal, body)),
  });
  changeRoutes(http);
}

function changeRoutes(http: Http): void {
  http.patch(VIEW_PATH, {
    schema: {
      operationId: 'changeSavedView',
      summary: 'Change a saved view',
      description: 'Extension. `filters` replaces all filters of the view.',
      tag,
      params: SavedViewParams,
      body: ChangeSavedView,
      response: { 200: SavedViewView },
    },
    handler: async ({ work, principal, params, body: change }) =>
      toSavedViewView(await changeSavedView(work, principal, { id: params.saved_view_id, change })),
  });
  http.delete(VIEW_PATH, {
    schema: {
      operationId: 'deleteSavedView',
      summary: 'Delete a saved view',
      description: 'Extension. Returns the view as it was.',
      tag,
      params: SavedViewParams,
      response: { 200: SavedViewView },
    },
    handler: async ({ work, principal, params }) =>
      toSavedViewView(await deleteSavedView(work, principal, params.saved_view_id)),
  });
}
