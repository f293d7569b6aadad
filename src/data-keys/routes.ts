import { readTenant, type App } from '../app.ts';
import { actingOf, type ScopedTenant } from '../management/management.ts';
import type { Http } from '../platform/http/http.ts';
import { rotateDataKey } from './rotate.ts';
import { DataKeyView, RotationView, TenantPath, viewRotation } from './schema.ts';
import { findNewest } from './store.ts';

const BASE = '/v1/org/:org_id/team/:team_id/:environment/data_key';
const tag = 'Data keys';

export function dataKeyRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(BASE, {
    schema: {
      operationId: 'getDataKey',
      summary: 'See how far the exchange of a data key has come (ours)',
      tag,
      params: TenantPath,
      response: { 200: DataKeyView },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      const row = await readTenant(app, tenant, ({ tx }) => findNewest(tx, tenant));
      return { rotation: row ? viewRotation(row) : null };
    },
  });

  http.management.post(`${BASE}/rotate`, {
    schema: {
      operationId: 'rotateDataKey',
      summary: 'Exchange the key that the data of a team are sealed with (ours)',
      description:
        'A new key seals after half a minute; everything that was sealed before is sealed anew in the background, ' +
        'while all goes on as usual. Older keys only open from then on. 409 while one is under way; one that is stuck ' +
        'goes on with another round.',
      tag,
      params: TenantPath,
      response: { 200: RotationView },
    },
    handler: async (input) => viewRotation(await rotateDataKey(app, await actingOf(scoped, input))),
  });
}
