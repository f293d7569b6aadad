import type { Http } from './platform/http/http.ts';
import { generateOpenApi } from './platform/http/openapi.ts';

const TAGS = [
  { name: 'Users', description: 'A team’s users, their demographics, and deletion with a grace period.' },
  { name: 'Insurance', description: 'Insurance coverage of a user, payors, diagnosis codes.' },
  { name: 'Lab tests', description: 'Laboratories, markers, lab tests, lab accounts.' },
  { name: 'Compendium', description: 'Equivalent tests at other laboratories, by LOINC code. Closed beta.' },
  { name: 'Orders', description: 'Ordering lab tests and tracking orders.' },
  {
    name: 'Order transactions',
    description: 'Orders that belong together, such as a redraw and its original.',
  },
  { name: 'Appointments', description: 'Booking visits: at home, at a patient service center, on site.' },
  { name: 'Patient service centers', description: 'Extension. Sites where specimens are collected.' },
  { name: 'Results', description: 'Laboratory results.' },
  { name: 'Critical results', description: 'Results that a person must acknowledge in time.' },
  { name: 'Unmatched results', description: 'Results of laboratories that match no order with certainty.' },
  { name: 'Laboratories', description: 'Connections to laboratories and the messages that they exchange.' },
  { name: 'Documents', description: 'Requisitions, labels, notices, instructions and reports as PDF.' },
  {
    name: 'Lab reports',
    description: 'Uploaded laboratory reports: parsed, coded, reviewed. Closed beta.',
  },
  { name: 'Link', description: 'Connecting users to providers: link tokens, the hosted page, bulk imports.' },
  { name: 'Wearables', description: 'Users’ devices, and which data are available for each user.' },
  {
    name: 'Summaries',
    description:
      'Sleep, workout and daily summaries. `start_date` and `end_date` are days in the user’s own ' +
      'calendar, inclusive; the time of a date-time is ignored.',
  },
  {
    name: 'Timeseries',
    description:
      'Samples, by resource. `start_date` and `end_date` are dates (UTC days, inclusive) or date-times; ' +
      '`end_date` defaults to now. A page (`grouped`) holds 10,000 samples and continues at ' +
      '`next_cursor`. The older lists return at most 50,000 samples and refuse longer periods.',
  },
  { name: 'Team', description: 'The team that a key belongs to.' },
  { name: 'Management', description: 'Organizations, teams, keys. Needs a management key.' },
  {
    name: 'Accounts',
    description: 'Extension. How members of an organization sign in, with a session in a cookie.',
  },
  {
    name: 'Provider settings',
    description: 'A team’s settings for its providers. Needs a management key.',
  },
  {
    name: 'EHR integration',
    description: 'Embedding the service in a health record system. Needs a management key.',
  },
  {
    name: 'Continuous queries',
    description: 'Queries that are re-evaluated whenever a user’s data change. Needs a management key.',
  },
  { name: 'Webhooks', description: 'Endpoints, deliveries, the event log. Needs a management key.' },
  { name: 'Event destinations', description: 'Message brokers that get events. Needs a management key.' },
  { name: 'Data keys', description: 'The keys that encrypt a team’s data. Needs a management key.' },
  {
    name: 'Inbound',
    description:
      'Callbacks from external systems, authenticated by the sender’s signature instead of an API key.',
  },
];

const DESCRIPTION =
  'Lab testing, users and wearable events. JSON over HTTP; every event goes to the team’s webhooks, signed.';

/**
 * The LOINC license requires this notice wherever codes are shown. The same text is in data/catalog/LOINC-NOTICE.txt.
 */
const LOINC_NOTICE =
  'This material contains content from LOINC (http://loinc.org). LOINC is copyright © 1995-2024, Regenstrief ' +
  'Institute, Inc. and the Logical Observation Identifiers Names and Codes (LOINC) Committee and is available at no ' +
  'cost under the license at http://loinc.org/license. LOINC® is a registered United States trademark of Regenstrief ' +
  'Institute, Inc.';

/**
 * The version of the API, not of this program: the contract whose clients work with it. It is `info.version`, as clients
 * expect it there; the version of the program is next to it, as `x-aliquot-version`.
 */
export const INTERFACE_VERSION = '0.4.561';

interface DocumentOptions {
  readonly brand: string;
  readonly serverUrl: string;
  /** The version of this program. */
  readonly productVersion: string;
}

export const buildOpenApiDocument = (http: Http, options: DocumentOptions): object =>
  generateOpenApi(http.routes, {
    ...options,
    title: 'Aliquot',
    version: INTERFACE_VERSION,
    description: `${DESCRIPTION}\n\n${LOINC_NOTICE}`,
    tags: TAGS,
  });
