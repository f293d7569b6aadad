import { readTenant, type App } from '../app.ts';
import { authorizeChange, type TenantAuthorizer } from '../identity/management/management.ts';
import type { Http } from '../platform/http/http.ts';
import { rotateDataKey } from './rotate.ts';
import { DataKeyView, DataKeyRotationView, DataKeyParams, toDataKeyRotationView } from './schema.ts';
import { findNewestRotation } from './store.ts';

const BASE = '/v1/org/:org_id/team/:team_id/:environment/data_key';
const tag = 'Data keys';

export function dataKeyRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(BASE, {
    schema: {
      operationId: 'getDataKey',
      summary: 'Get the rotation status of a data key',
      tag,
      params: DataKeyParams,
      response: { 200: DataKeyView },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      const row = await readTenant(app, tenant, ({ tx }) => findNewestRotation(tx, tenant));
      return { rotation: row ? toDataKeyRotationView(row) : null };
    },
  });

  http.management.post(`${BASE}/rotate`, {
    schema: {
      operationId: 'rotateDataKey',
      summary: 'Rotate the data key of a team',
      description:
        'The new key encrypts after half a minute; older data are re-encrypted in the background without ' +
        'downtime. From then on older keys only decrypt. 409 while a rotation is in progress; a rotation that is ' +
        'stuck continues with another round.',
      tag,
      params: DataKeyParams,
      response: { 200: DataKeyRotationView },
    },
    handler: async (input) =>
      toDataKeyRotationView(await rotateDataKey(app, await authorizeChange(scoped, input))),
  });
}
