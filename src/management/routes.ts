import type { App } from '../app.ts';
import type { Http } from '../platform/http/http.ts';

/** Organizations, teams, keys and the sandbox clock. */
export function managementRoutes(_http: Http, _app: App): void {}
