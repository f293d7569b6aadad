import { z } from 'zod';
import { ORDER_CHARACTER_SETS } from '../../adapters/lab-network/port.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { Labs } from '../../ordering/catalog/schema.ts';
import type { LabConnectionRow } from './connection.ts';
import type { LabMessageFacts } from './message-store.ts';
import { LAB_MESSAGE_STATUSES } from './status.ts';
import { TlsSettings } from './tls.ts';

const tenant = { org_id: z.guid(), team_id: z.guid(), environment: z.enum(ENVIRONMENTS) };

export const TenantPath = z.object(tenant);
export const ConnectionPath = z.object({ ...tenant, lab_connection_id: z.guid() });
export const MessagePath = z.object({ ...tenant, lab_connection_id: z.guid(), lab_message_id: z.guid() });

export const INBOUND_TRANSPORTS = ['mllp', 'folder', 'https', 'none'] as const;
export const OUTBOUND_TRANSPORTS = ['mllp', 'folder', 'none'] as const;
const ORDER_MESSAGES = ['ORM_O01', 'OML_O21'] as const;

/** A party name of MSH-3 to MSH-6: printable, without HL7 delimiters. */
const Party = z
  .string()
  .trim()
  .min(1)
  .max(180)
  .regex(/^[\x20-\x7e]+$/, 'expected printable ASCII')
  .regex(/^[^|^&~\\]+$/, 'expected no | ^ & ~ \\');
const Host = z
  .string()
  .trim()
  .max(253)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.:_-]*[A-Za-z0-9])?$/, 'expected a host name or an IP address');
const Port = z.int().min(1).max(65535);
const Fingerprint = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/, 'expected a SHA-256 fingerprint such as AA:BB:...');
const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'expected an IANA time zone such as America/New_York')
  .describe('IANA time zone of timestamps without an offset.');

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const fields = {
  name: z.string().trim().min(1).max(100).describe('Display name.'),
  inbound: z.enum(INBOUND_TRANSPORTS).describe('Transport of results.'),
  outbound: z.enum(OUTBOUND_TRANSPORTS).describe('Transport of orders.'),
  host: Host.nullable().describe('Host for orders by MLLP; required if `outbound` is `mllp`.'),
  port: Port.nullable().describe('TCP port for orders by MLLP; required if `outbound` is `mllp`.'),
  uses_tls: z
    .boolean()
    .describe('Whether orders by MLLP use TLS. In production, required for public addresses.'),
  tls: TlsSettings.nullable().describe('Certificates and private key for TLS. Write-only.'),
  order_message: z.enum(ORDER_MESSAGES).describe('HL7 message type of orders.'),
  character_set: z
    .enum(ORDER_CHARACTER_SETS)
    .describe('Character set of orders (MSH-18). What it does not have is written in its base letters.'),
  lab_application: Party.describe('MSH-3 of results, MSH-5 of orders.'),
  lab_facility: Party.describe('MSH-4 of results, MSH-6 of orders.'),
  our_application: Party.describe('MSH-5 of results, MSH-3 of orders.'),
  our_facility: Party.describe('MSH-6 of results, MSH-4 of orders.'),
  account_number: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .nullable()
    .describe('Account number at the laboratory. Orders of other accounts do not use the connection.'),
  checks_parties: z
    .boolean()
    .describe(
      'Whether HL7 messages must come with the four names of the connection; others are refused (AR). Set it to ' +
        'false for a laboratory whose names vary, for example by the site that performed the test.',
    ),
  client_fingerprint: Fingerprint.nullable().describe(
    'SHA-256 fingerprint of the client certificate that is required for results by MLLP. Needs LAB_MLLP_TLS_CA.',
  ),
  time_zone: TimeZone,
  enabled: z.boolean().describe('Whether the connection accepts results and sends orders.'),
};

export const CreateLabConnection = z
  .object({
    lab: Labs.describe('The laboratory, by its slug.'),
    name: fields.name,
    inbound: fields.inbound,
    outbound: fields.outbound,
    host: fields.host.default(null),
    port: fields.port.default(null),
    uses_tls: fields.uses_tls.default(true),
    tls: fields.tls.default(null),
    order_message: fields.order_message.default('OML_O21'),
    character_set: fields.character_set.default('UNICODE UTF-8'),
    lab_application: fields.lab_application,
    lab_facility: fields.lab_facility,
    our_application: fields.our_application.default('ALIQUOT'),
    our_facility: fields.our_facility
      .optional()
      .describe('MSH-6 of results, MSH-4 of orders. Default: a generated unique name.'),
    account_number: fields.account_number.default(null),
    checks_parties: fields.checks_parties.default(true),
    client_fingerprint: fields.client_fingerprint.default(null),
    time_zone: fields.time_zone.default('UTC'),
    enabled: fields.enabled.default(true),
  })
  .meta({ id: 'CreateLabConnection' });
export type CreateLabConnection = z.output<typeof CreateLabConnection>;

const OVERLAP_HOURS_MAX = 720;
const OverlapHours = z.int().min(0).max(OVERLAP_HOURS_MAX);

export const ChangeLabConnection = z
  .object({
    ...fields,
    overlap_hours: OverlapHours.describe(
      'For a new `client_fingerprint`: how many hours the previous one is still accepted, in system time; 0 to 720. ' +
        'Default: 0.',
    ),
  })
  .partial()
  .meta({ id: 'ChangeLabConnection', description: 'Omitted fields keep their values.' });
export type ChangeLabConnection = z.output<typeof ChangeLabConnection>;

const viewFields = {
  id: z.guid(),
  lab: z.string(),
  name: z.string(),
  inbound: z.enum(INBOUND_TRANSPORTS),
  outbound: z.enum(OUTBOUND_TRANSPORTS),
  host: z.string().nullable(),
  port: z.int().nullable(),
  uses_tls: z.boolean(),
  has_tls_material: z.boolean(),
  order_message: z.enum(ORDER_MESSAGES),
  character_set: z.enum(ORDER_CHARACTER_SETS),
  lab_application: z.string(),
  lab_facility: z.string(),
  our_application: z.string(),
  our_facility: z.string(),
  account_number: z.string().nullable(),
  listener_port: z
    .int()
    .nullable()
    .describe(
      'The port on which workers listen for results of this connection alone; open within two seconds. Null if ' +
        'it never received by MLLP, or only on the shared port.',
    ),
  shared_listener: z
    .boolean()
    .describe('Whether the operator has put the connection on the shared port, by its four names.'),
  checks_parties: z.boolean(),
  client_fingerprint: z.string().nullable(),
  previous_client_fingerprint: z.string().nullable(),
  previous_client_fingerprint_until: Timestamp.nullable().describe(
    'Until when the previous client certificate is accepted, in system time.',
  ),
  time_zone: z.string(),
  has_token: z.boolean(),
  previous_token_until: Timestamp.nullable().describe(
    'Until when the previous token is valid, in system time.',
  ),
  enabled: z.boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
  deleted_at: Timestamp.nullable().describe('In system time.'),
};
export const ConnectionView = z.object(viewFields).meta({ id: 'LabConnection' });
export const ConnectionList = z.object({ data: z.array(ConnectionView) }).meta({ id: 'LabConnectionList' });

export const viewConnection = (row: LabConnectionRow): z.input<typeof ConnectionView> => ({
  ...row,
  has_tls_material: row.tls_material !== null,
  has_token: row.token_digest !== null,
  previous_client_fingerprint_until:
    row.previous_client_fingerprint_until && isoTimestamp(row.previous_client_fingerprint_until),
  previous_token_until: row.previous_token_until && isoTimestamp(row.previous_token_until),
  created_at: isoTimestamp(row.created_at),
  updated_at: isoTimestamp(row.updated_at),
  deleted_at: row.deleted_at && isoTimestamp(row.deleted_at),
});

export const RotateTokenBody = z
  .object({
    overlap_hours: OverlapHours.default(0).describe(
      'How many hours the previous token stays valid, in system time; 0 to 720.',
    ),
  })
  .meta({ id: 'RotateLabConnectionTokenBody' })
  .prefault({});

export const ConnectionQuery = z.object({
  deleted: z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .nullish()
    .describe('`true`: only deleted connections, which can be restored. Default: only the others.'),
});

export const TokenView = z
  .object({ token: z.string().describe('Returned once. Send it as `Authorization: Bearer ...`.') })
  .meta({ id: 'LabConnectionToken' });

const PAGE_MAX = 100;
export const MessageQuery = z.object({
  status: z.enum(LAB_MESSAGE_STATUSES).nullish(),
  direction: z.enum(['in', 'out']).nullish(),
  next_cursor: z.guid().nullish(),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(50),
});

const messageFields = {
  id: z.guid(),
  connection_id: z.guid(),
  direction: z.enum(['in', 'out']),
  format: z.enum(['hl7', 'fhir']),
  way: z.enum(['mllp', 'folder', 'https']),
  status: z.enum(LAB_MESSAGE_STATUSES),
  control_id: z.string(),
  message_type: z.string(),
  size_bytes: z.int(),
  reason: z.string().nullable().describe('Why it is dead, refused or postponed.'),
  answer: z
    .enum(['AA', 'AE', 'AR'])
    .nullable()
    .describe('Acknowledgement code: ours for inbound, the laboratory’s for outbound messages.'),
  attempts: z.int(),
  due_at: Timestamp.nullable(),
  order_id: z.guid().nullable(),
  created_at: Timestamp,
  done_at: Timestamp.nullable(),
  redacted_at: Timestamp.nullable().describe(
    'When the data of an erased user, or its whole body, were removed.',
  ),
  redaction: z
    .enum(['parts', 'whole', 'expired'])
    .nullable()
    .describe(
      '`parts`: the reports of other users remain. `whole`: nothing remains. `expired`: the body is older than the team keeps it.',
    ),
};
export const MessageView = z.object(messageFields).meta({ id: 'LabMessage' });
export const MessageList = z
  .object({ data: z.array(MessageView), next_cursor: z.string().nullable() })
  .meta({ id: 'LabMessageList' });
export const MessageWithBodyView = z
  .object({
    ...messageFields,
    body: z.string().describe('The exact bytes, base64-encoded.'),
    text: z.string().describe('The bytes decoded as UTF-8; carriage returns are kept.'),
  })
  .meta({ id: 'LabMessageWithBody' });

export const viewMessage = (row: LabMessageFacts): z.input<typeof MessageView> => ({
  ...row,
  due_at: row.due_at && isoTimestamp(row.due_at),
  created_at: isoTimestamp(row.created_at),
  done_at: row.done_at && isoTimestamp(row.done_at),
  redacted_at: row.redacted_at && isoTimestamp(row.redacted_at),
});

export const viewMessageWithBody = (
  row: LabMessageFacts,
  body: Buffer,
): z.input<typeof MessageWithBodyView> => ({
  ...viewMessage(row),
  body: body.toString('base64'),
  text: body.toString('utf8'),
});
