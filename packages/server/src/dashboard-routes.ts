import type { App } from './app.ts';
import { brandPreviewRoutes } from './brand-preview/brand-preview.ts';
import { savedViewRoutes } from './identity/saved-views/saved-views.ts';
import { overviewRoutes } from './overview/overview.ts';
import type { Http } from './platform/http/http.ts';
import { searchRoutes } from './search/search.ts';

/** The part of compose.ts that a dashboard needs besides the lists of each module. */
export function dashboardRoutes(http: Http, app: App): void {
  overviewRoutes(http, app);
  searchRoutes(http);
  savedViewRoutes(http);
  brandPreviewRoutes(http, app);
}
