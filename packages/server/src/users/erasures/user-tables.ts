/** How to find the rows of a user: by a column with the user's id, or by one that refers to a row of the user. */
export interface UserTable {
  readonly table: string;
  readonly column: string;
  /** The table that `column` refers to, and its column; undefined: the user. */
  readonly of?: { readonly table: string; readonly column: string };
}

const own = (table: string, column = 'user_id'): UserTable => ({ table, column });
const of = (parent: string, column: string, tables: readonly string[]): UserTable[] => {
  const [table = '', key = 'id'] = parent.split('.');
  return tables.map((name) => ({ table: name, column, of: { table, column: key } }));
};

/**
 * Every table with data about a user, after the tables that it refers to. Exports read them, and an erasure empties
 * them. A test compares the list with the database, so that a new table cannot be forgotten.
 */
export const USER_TABLES: readonly UserTable[] = [
  own('app_user', 'id'),
  ...[
    'user_info',
    'health_insurance',
    'order_transaction',
    'lab_order',
    'appointment',
    'lab_report_job',
    'connection',
    'user_refresh',
    'untold_history',
    'due_activity',
    'sample_stream',
    'wearable_device',
    'wearable_source',
    'wearable_summary',
    'wearable_upload',
    'issued_token',
    'link_token',
    'link_code',
    'continuous_query_result',
    'continuous_query_task',
    'event',
  ].map((table) => own(table)),
  ...of('lab_order', 'order_id', [
    'lab_order_event',
    'lab_result',
    'critical_result',
    'incoming_result',
    'lab_message',
    'parcel',
    'parcel_news',
    'label_lease',
  ]),
  ...of('lab_order.patient_name_id', 'id', ['order_name']),
  ...of('order_name', 'name_id', ['order_name_token']),
  ...of('critical_result', 'critical_result_id', ['critical_result_notification']),
  ...of('incoming_result', 'incoming_result_id', ['lab_document']),
  ...of('appointment', 'appointment_id', ['appointment_event', 'appointment_place']),
  ...of('lab_report_job', 'job_id', ['lab_report_file', 'lab_report_review']),
  ...of('connection', 'connection_id', ['historical_pull', 'due_pull', 'deleted_record']),
  ...of('sample_stream', 'stream_id', ['sample', 'sample_segment', 'sample_chunk']),
  ...of('wearable_summary', 'workout_id', ['workout_stream']),
  ...of('wearable_upload', 'upload_id', ['wearable_file']),
  ...of('link_token.digest', 'token_digest', ['link_attempt']),
  ...of('event', 'event_id', [
    'webhook_attempt',
    'webhook_delivery',
    'webhook_inbox_request',
    'pipeline_delivery',
  ]),
];

/** Tables with data about users that are neither exported nor counted, each with the reason. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  erasure_certificate: 'it is written by the erasure, and contains counts only',
  webhook_attempt_block:
    'shared by several users; attempts about the user are removed from it with their events',
  webhook_bundle: 'ids of events that are being sent; emptied with the events',
  access_log: 'append-only; ids of users, orders and keys, no values',
  saved_view: 'filters that members have saved, encrypted',
  request_log: 'ids in paths, no values; deleted by age',
  audit_log: 'append-only; nothing about patients',
  idempotency_record: 'stored responses; those about the user are deleted, the others expire',
  timer: 'ids of future work, no values',
  mail: 'the content is deleted when the mail is sent or given up',
  lab_unclaimed_message: 'belongs to no team: nobody knows yet whose it is',
};
