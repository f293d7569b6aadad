/** Saved views: filters of a page under a name. A member sees only its own, and a key its own. */
export { savedViewRoutes } from './routes.ts';
