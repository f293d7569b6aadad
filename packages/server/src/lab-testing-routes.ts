import type { App } from './app.ts';
import type { openLoggers } from './data-lifecycle.ts';
import type { TenantAuthorizer } from './identity/management/management.ts';
import { labReportRoutes } from './lab-reports/lab-reports.ts';
import { areaRoutes } from './scheduling/areas/routes.ts';
import { appointmentRoutes } from './scheduling/appointments/connect.ts';
import { catalogImportRoute, catalogRoutes } from './ordering/catalog/routes.ts';
import { getLabOfAccount } from './ordering/lab-accounts/lab-accounts.ts';
import { criticalResultRoutes } from './results/critical-results/connect.ts';
import { documentRoutes } from './documents/routes.ts';
import { labConnectionRoutes } from './laboratories/lab-connections/connect.ts';
import { labAccountRoutes } from './ordering/lab-accounts/routes.ts';
import { patientPageRoutes } from './patient-pages/routes.ts';
import { orderTransactionRoutes } from './results/order-transactions/routes.ts';
import { orderRoutes } from './ordering/orders/routes.ts';
import { createAreaSources } from './scheduling/patient-service-centers/patient-service-centers.ts';
import { patientServiceCenterRoutes } from './scheduling/patient-service-centers/routes.ts';
import { labDocumentRoutes } from './results/lab-documents/routes.ts';
import { userOverviewRoutes } from './users/user-overview/user-overview.ts';
import { userResultRoutes } from './user-results/user-results.ts';
import { resultRoutes } from './results/results/routes.ts';
import { shipmentRoutes } from './ordering/shipments/connect.ts';
import { simulateLabMessageRoute } from './simulation/lab-message-routes.ts';
import { simulationRoutes } from './simulation/routes.ts';
import { unmatchedResultRoutes } from './laboratories/unmatched-results/routes.ts';
import type { Http } from './platform/http/http.ts';

interface LabTestingOptions {
  readonly scoped: TenantAuthorizer;
  readonly loggers: ReturnType<typeof openLoggers>;
}

/** The routes of lab testing: from the catalog to orders, visits, results and lab reports. */
export function labTestingRoutes(http: Http, app: App, { scoped, loggers }: LabTestingOptions): void {
  catalogRoutes(http, getLabOfAccount);
  catalogImportRoute(http, app);
  labAccountRoutes(http, app);
  labConnectionRoutes(http, app, scoped);
  orderRoutes(http, app);
  simulationRoutes(http, app);
  simulateLabMessageRoute(http, app, scoped);
  shipmentRoutes(http, app);
  appointmentRoutes(http, app);
  patientServiceCenterRoutes(http);
  areaRoutes(http, createAreaSources(app));
  orderTransactionRoutes(http);
  resultRoutes(http);
  labDocumentRoutes(http);
  criticalResultRoutes(http);
  unmatchedResultRoutes(http);
  documentRoutes(http, app);
  patientPageRoutes(http, app, loggers.witness);
  labReportRoutes(http, app);
  userResultRoutes(http);
  userOverviewRoutes(http);
}
