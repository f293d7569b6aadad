import type { Http } from './platform/http/http.ts';
import { openApiOf } from './platform/http/openapi.ts';

const TAGS = [
  { name: 'Users', description: 'The people of a team, their demographics, the grace period of a deletion.' },
  { name: 'Insurance', description: 'Coverage of a user, payors, diagnosis codes.' },
  { name: 'Lab tests', description: 'Laboratories, markers, lab tests, lab accounts.' },
  { name: 'Compendium', description: 'What a test is called at another laboratory, by LOINC. Closed beta.' },
  { name: 'Orders', description: 'Ordering a lab test and following it.' },
  { name: 'Results', description: 'What the laboratory found.' },
  { name: 'Documents', description: 'Requisitions, labels, notices, instructions and reports as PDF.' },
  {
    name: 'Lab reports',
    description: 'Reports of laboratories that somebody hands in: read, coded, reviewed. Closed beta.',
  },
  { name: 'Link', description: 'How users connect providers: link tokens, our page for it, many at once.' },
  { name: 'Wearables', description: 'What is known of users’ devices, and what data there are of whom.' },
  {
    name: 'Summaries',
    description:
      'Sleeps, workouts, days: what is told as a whole. `start_date` and `end_date` are days of the user’s own ' +
      'calendar, the last one included; of a date with a time the date counts.',
  },
  {
    name: 'Timeseries',
    description:
      'Samples, by resource. `start_date` and `end_date` are dates (days of UTC, the last one included) or dates with a ' +
      'time; without an end it goes on until now. A page (`grouped`) holds 10,000 samples and goes on at ' +
      '`next_cursor`. The older lists hold 50,000 and refuse a period of more.',
  },
  { name: 'Team', description: 'The team that a key belongs to.' },
  { name: 'Management', description: 'Organizations, teams, keys. Needs a management key.' },
  {
    name: 'Provider settings',
    description: 'What teams say of the providers that they work with. Needs a management key.',
  },
  {
    name: 'EHR integration',
    description: 'What a record system needs to show the service within itself. Needs a management key.',
  },
  {
    name: 'Continuous queries',
    description: 'Questions that are answered anew whenever data of a user change. Needs a management key.',
  },
  { name: 'Webhooks', description: 'Endpoints, deliveries, the event log. Needs a management key.' },
  { name: 'Inbound', description: 'What outside systems push: signed by them, without a key of ours.' },
];

const ABOUT =
  'Lab testing, users and wearable events. JSON over HTTP; every event goes to the team’s webhooks, signed.';

/** Its licence asks for this wherever the codes are shown; the same stands in data/catalog/LOINC-NOTICE.txt. */
const LOINC_NOTICE =
  'This material contains content from LOINC (http://loinc.org). LOINC is copyright © 1995-2024, Regenstrief ' +
  'Institute, Inc. and the Logical Observation Identifiers Names and Codes (LOINC) Committee and is available at no ' +
  'cost under the license at http://loinc.org/license. LOINC® is a registered United States trademark of Regenstrief ' +
  'Institute, Inc.';

/** The version of the interface that is served, not of this program. */
export const INTERFACE_VERSION = '0.4.561';

export const documentOf = (http: Http, brand: string): object =>
  openApiOf(http.routes, {
    brand,
    title: 'Aliquot',
    version: INTERFACE_VERSION,
    description: `${ABOUT}\n\n${LOINC_NOTICE}`,
    tags: TAGS,
  });
