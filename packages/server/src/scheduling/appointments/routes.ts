import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { centerRoutes } from './center-routes.ts';
import { homeRoutes } from './home-routes.ts';
import { listRoutes } from './list-routes.ts';

export function appointmentRoutes(http: Http, app: App): void {
  homeRoutes(http, app);
  centerRoutes(http, app);
  listRoutes(http);
}
