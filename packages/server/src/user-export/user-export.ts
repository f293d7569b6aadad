// The export of everything about one user.
export { userExportRoutes } from './routes.ts';
export { NOT_EXPORTED, type ExportSources } from './export.ts';
