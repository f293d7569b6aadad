import { z } from 'zod';
import { isoMoment } from '../../platform/clock.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import { Labs } from '../catalog/schema.ts';
import type { ConnectionRow } from './connection.ts';
import type { MessageFacts } from './message-store.ts';
import { MESSAGE_STATUSES } from './status.ts';
import { Tls } from './tls.ts';

const Moment = z.iso.datetime({ offset: true });
const tenant = { org_id: z.guid(), team_id: z.guid(), environment: z.enum(ENVIRONMENTS) };

export const TenantPath = z.object(tenant);
export const ConnectionPath = z.object({ ...tenant, lab_connection_id: z.guid() });
export const MessagePath = z.object({ ...tenant, lab_connection_id: z.guid(), lab_message_id: z.guid() });

export const INBOUND = ['mllp', 'folder', 'https', 'none'] as const;
export const OUTBOUND = ['mllp', 'folder', 'none'] as const;
const ORDER_MESSAGES = ['ORM_O01', 'OML_O21'] as const;

/** A name of MSH-3 to MSH-6: printable, without the delimiters of HL7. */
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
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.:_-]*[A-Za-z0-9])?$/, 'expected a host name or an address');
const Port = z.int().min(1).max(65535);
const Fingerprint = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/, 'expected SHA-256 as AA:BB:...');
const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'expected an IANA time zone, as America/New_York')
  .describe('Of moments that come without an offset.');

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const fields = {
  name: z.string().trim().min(1).max(100),
  inbound: z.enum(INBOUND).describe('How results come.'),
  outbound: z.enum(OUTBOUND).describe('How orders go.'),
  host: Host.nullable().describe('Where orders go by MLLP.'),
  port: Port.nullable(),
  uses_tls: z.boolean(),
  tls: Tls.nullable().describe('Never answered.'),
  order_message: z.enum(ORDER_MESSAGES),
  lab_application: Party.describe('MSH-3 of results, MSH-5 of orders.'),
  lab_facility: Party.describe('MSH-4 of results, MSH-6 of orders.'),
  our_application: Party.describe('MSH-5 of results, MSH-3 of orders.'),
  our_facility: Party.describe('MSH-6 of results, MSH-4 of orders.'),
  account_number: z.string().trim().min(1).max(60).nullable(),
  client_fingerprint: Fingerprint.nullable().describe(
    'Results by MLLP have to come with this client certificate; needs a listener with LAB_MLLP_TLS_CA.',
  ),
  time_zone: TimeZone,
  enabled: z.boolean(),
};

export const CreateConnection = z
  .object({
    lab: Labs,
    name: fields.name,
    inbound: fields.inbound,
    outbound: fields.outbound,
    host: fields.host.default(null),
    port: fields.port.default(null),
    uses_tls: fields.uses_tls.default(true),
    tls: fields.tls.default(null),
    order_message: fields.order_message.default('OML_O21'),
    lab_application: fields.lab_application,
    lab_facility: fields.lab_facility,
    our_application: fields.our_application.default('ALIQUOT'),
    our_facility: fields.our_facility
      .optional()
      .describe('MSH-6 of results, MSH-4 of orders. Left out, one is made that nobody else has.'),
    account_number: fields.account_number.default(null),
    client_fingerprint: fields.client_fingerprint.default(null),
    time_zone: fields.time_zone.default('UTC'),
    enabled: fields.enabled.default(true),
  })
  .meta({ id: 'CreateLabConnection' });
export type CreateConnection = z.output<typeof CreateConnection>;

export const ChangeConnection = z
  .object(fields)
  .partial()
  .meta({ id: 'ChangeLabConnection', description: 'What is left out stays as it is.' });
export type ChangeConnection = z.output<typeof ChangeConnection>;

const view = {
  id: z.guid(),
  lab: z.string(),
  name: z.string(),
  inbound: z.enum(INBOUND),
  outbound: z.enum(OUTBOUND),
  host: z.string().nullable(),
  port: z.int().nullable(),
  uses_tls: z.boolean(),
  has_tls_material: z.boolean(),
  order_message: z.enum(ORDER_MESSAGES),
  lab_application: z.string(),
  lab_facility: z.string(),
  our_application: z.string(),
  our_facility: z.string(),
  account_number: z.string().nullable(),
  client_fingerprint: z.string().nullable(),
  time_zone: z.string(),
  has_token: z.boolean(),
  enabled: z.boolean(),
  created_at: Moment,
  updated_at: Moment,
};
export const ConnectionView = z.object(view).meta({ id: 'LabConnection' });
export const ConnectionList = z.object({ data: z.array(ConnectionView) }).meta({ id: 'LabConnectionList' });

export const viewConnection = (row: ConnectionRow): z.input<typeof ConnectionView> => ({
  ...row,
  has_tls_material: row.tls_material !== null,
  has_token: row.token_digest !== null,
  created_at: isoMoment(row.created_at),
  updated_at: isoMoment(row.updated_at),
});

export const TokenView = z
  .object({ token: z.string().describe('Shown once. Goes as `Authorization: Bearer ...`.') })
  .meta({ id: 'LabConnectionToken' });

const PAGE_MAX = 100;
export const MessageQuery = z.object({
  status: z.enum(MESSAGE_STATUSES).nullish(),
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
  status: z.enum(MESSAGE_STATUSES),
  control_id: z.string(),
  message_type: z.string(),
  size_bytes: z.int(),
  reason: z.string().nullable().describe('Why it is dead, refused or put off.'),
  answer: z.enum(['AA', 'AE', 'AR']).nullable().describe('Its acknowledgement: ours, or the laboratory’s.'),
  attempts: z.int(),
  due_at: Moment.nullable(),
  order_id: z.guid().nullable(),
  created_at: Moment,
  done_at: Moment.nullable(),
  redacted_at: Moment.nullable().describe('When it lost what it said of a user who was erased.'),
  redaction: z
    .enum(['parts', 'whole'])
    .nullable()
    .describe('`parts`: what it says of others is left. `whole`: nothing is.'),
};
export const MessageView = z.object(messageFields).meta({ id: 'LabMessage' });
export const MessageList = z
  .object({ data: z.array(MessageView), next_cursor: z.string().nullable() })
  .meta({ id: 'LabMessageList' });
export const WholeMessageView = z
  .object({
    ...messageFields,
    body: z.string().describe('Byte for byte, in base64.'),
    text: z.string().describe('The same as text, read as UTF-8; carriage returns are kept.'),
  })
  .meta({ id: 'LabMessageWithBody' });

export const viewMessage = (row: MessageFacts): z.input<typeof MessageView> => ({
  ...row,
  due_at: row.due_at && isoMoment(row.due_at),
  created_at: isoMoment(row.created_at),
  done_at: row.done_at && isoMoment(row.done_at),
  redacted_at: row.redacted_at && isoMoment(row.redacted_at),
});

export const viewWholeMessage = (row: MessageFacts, body: Buffer): z.input<typeof WholeMessageView> => ({
  ...viewMessage(row),
  body: body.toString('base64'),
  text: body.toString('utf8'),
});
