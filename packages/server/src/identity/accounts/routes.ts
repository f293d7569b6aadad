import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { sessionRoutes } from './session-routes.ts';

/** How members of organizations sign in, and what they do with their own accounts. */
export function accountRoutes(http: Http, app: App): void {
  sessionRoutes(http, app);
}
