import type { Http } from './platform/http/http.ts';
import { openApiOf } from './platform/http/openapi.ts';

const TAGS = [
  { name: 'Users', description: 'The people of a team, their demographics, the grace period of a deletion.' },
  { name: 'Insurance', description: 'Coverage of a user, payors, diagnosis codes.' },
  { name: 'Lab tests', description: 'Laboratories, markers, lab tests, lab accounts.' },
  { name: 'Orders', description: 'Ordering a lab test and following it.' },
  { name: 'Results', description: 'What the laboratory found.' },
  { name: 'Documents', description: 'Requisitions, labels, notices, instructions and reports as PDF.' },
  { name: 'Team', description: 'The team that a key belongs to.' },
  { name: 'Management', description: 'Organizations, teams, keys. Needs a management key.' },
  { name: 'Webhooks', description: 'Endpoints, deliveries, the event log. Needs a management key.' },
  { name: 'Inbound', description: 'What outside systems push: signed by them, without a key of ours.' },
];

/** The version of the interface that is served, not of this program. */
export const INTERFACE_VERSION = '0.4.561';

export const documentOf = (http: Http, brand: string): object =>
  openApiOf(http.routes, {
    brand,
    title: 'Aliquot',
    version: INTERFACE_VERSION,
    description:
      'Lab testing, users and wearable events. JSON over HTTP; every event goes to the team’s webhooks, signed.',
    tags: TAGS,
  });
