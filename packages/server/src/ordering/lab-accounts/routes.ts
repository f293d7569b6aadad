import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { orgLabAccountRoutes } from './org-routes.ts';
import { LabAccountStatus, LabAccountView, viewLabAccount } from './schema.ts';
import { listLabAccounts } from './store.ts';

const LabAccountQueryParams = z.object({
  lab_account_id: z.guid().nullish(),
  status: LabAccountStatus.nullish(),
});

const LabAccountList = z.object({ data: z.array(LabAccountView) }).meta({ id: 'GetTeamLabAccountsResponse' });

export function labAccountRoutes(http: Http, app: App): void {
  orgLabAccountRoutes(http, app);

  http.get('/v3/lab_test/lab_account', {
    schema: {
      operationId: 'listLabAccounts',
      summary: 'List lab accounts',
      tag: 'Lab tests',
      query: LabAccountQueryParams,
      response: { 200: LabAccountList },
    },
    handler: async ({ work, query }) => {
      const accounts = await listLabAccounts(work, { id: query.lab_account_id, status: query.status });
      return { data: accounts.map(viewLabAccount) };
    },
  });
}
