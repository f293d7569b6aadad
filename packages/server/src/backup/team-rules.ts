/**
 * What the restore of one team does with each table. A test compares these lists with the database, so that a new table
 * cannot be forgotten.
 */

/** Emptied of the team's rows, which then come from the backup. Each has the columns of the tenant. */
// prettier-ignore
export const REPLACED_TABLES: readonly string[] = [
  'api_key', 'app_user', 'appointment', 'appointment_event', 'appointment_place', 'availability_round', 'brand_logo',
  'break_glass', 'bulk_op', 'connection', 'continuous_query', 'continuous_query_result', 'continuous_query_task',
  'critical_result', 'critical_result_notification', 'data_pull_preference', 'deleted_record', 'due_activity', 'due_pull',
  'ehr_pipeline', 'event', 'event_destination', 'event_pipeline', 'health_insurance', 'historical_pull',
  'idempotency_record', 'incoming_result', 'issued_token', 'kept_availability', 'lab_account_team', 'lab_connection',
  'lab_document', 'lab_message', 'lab_order', 'lab_order_event', 'lab_report_file', 'lab_report_job',
  'lab_report_review', 'lab_result', 'lab_test', 'lab_test_change', 'lab_test_marker', 'label_lease', 'link_attempt',
  'link_code', 'link_token', 'mail', 'order_name', 'order_name_token', 'order_transaction', 'ordered_lab_test', 'parcel',
  'parcel_news', 'pipeline_delivery', 'provider_credential', 'retention_policy', 'retention_sweep', 'sample',
  'sample_chunk', 'sample_segment', 'sample_stream', 'sample_tally', 'saved_view', 'scope_requirement',
  'source_priority', 'team_payor', 'timer', 'untold_history', 'user_app_key', 'user_info', 'user_refresh', 'user_tally',
  'wearable_device', 'wearable_file', 'wearable_source', 'wearable_summary', 'wearable_upload', 'webhook_attempt', 'webhook_attempt_block',
  'webhook_bundle', 'webhook_delivery', 'webhook_endpoint', 'webhook_inbox', 'webhook_inbox_request',
  'webhook_statistics', 'webhook_tally', 'workout_stream',
];

/** Rows of the team that are brought together from the house and the backup, each with how. */
export const MERGED_TABLES = {
  team: 'becomes as in the backup; never deleted, because what is kept refers to it',
  team_environment: 'becomes as in the backup; never deleted, because what is kept refers to it',
  tenant_key: 'the keys of the house stay, because running processes seal with them; missing ones are added',
  event_log_head: 'continues above the highest position of both',
  erasure_certificate: 'those of the house stay, missing ones are added',
} as const satisfies Readonly<Record<string, string>>;

/** Rows about the team that stay as the house has them, each with the reason. */
export const KEPT_TABLES: Readonly<Record<string, string>> = {
  access_log: 'append-only, and sealed by the audit log of the house',
  access_log_seal: 'belongs to the sealed access log',
  request_log: 'what the house was asked; deleted by age',
  data_key_rotation: 'belongs to the data keys of the house',
  management_key_team:
    'which teams a management key may use is the organization’s; a grant that was taken back stays so',
};

/** Tables of the house or of an organization: neither read from the backup nor changed. */
// prettier-ignore
export const HOUSE_TABLES: readonly string[] = [
  'audit_head', 'audit_log', 'backup_task', 'catalog_load', 'catalog_template', 'catalog_version', 'courier_inbox',
  'deployment_key', 'directory_group', 'directory_group_member', 'directory_token', 'directory_user',
  'ehr_configuration', 'ehr_member', 'kysely_migration', 'kysely_migration_lock', 'lab', 'lab_account',
  'lab_unclaimed_message', 'management_key', 'marker', 'member_email_change', 'member_link', 'member_passkey',
  'member_password', 'member_pre_session', 'member_recovery_code', 'member_session', 'member_totp', 'organization',
  'organization_domain', 'organization_invite', 'organization_key', 'organization_member', 'organization_sign_in',
  'passkey_challenge', 'psc_site', 'psc_site_load', 'rate_bucket', 'schema_version', 'sign_in_attempt', 'sso_connection',
  'sso_identity', 'sso_request', 'statistics_sweep', 'webhook_lease',
];

/**
 * The job queue. The team's jobs of the house are removed; those of the backup become timers, most of them held.
 */
// prettier-ignore
export const QUEUE_TABLES: readonly string[] = [
  '_private_job_queues', '_private_jobs', '_private_known_crontabs', '_private_tasks', 'migrations',
];

/** Columns that refer to a row of the house without a foreign key. */
export const LOOSE_REFERENCES: readonly LooseReference[] = [
  { table: 'lab_order', column: 'lab_id', house: 'lab' },
  { table: 'lab_order', column: 'lab_account_id', house: 'lab_account' },
];
interface LooseReference {
  readonly table: string;
  readonly column: string;
  /** Referred to by its `id`. */
  readonly house: string;
}

/** When something ended. What the house ended since the backup stays ended: a leaked key must not work again. */
export const LASTING_ENDINGS: readonly { readonly table: string; readonly column: string }[] = [
  { table: 'api_key', column: 'deleted_at' },
  { table: 'issued_token', column: 'ended_at' },
  { table: 'break_glass', column: 'ended_at' },
  { table: 'app_user', column: 'deleted_at' },
];

/** `held`: it may send something out of the house, or tell customers, and waits for `backup release-team`. */
type TimerRule = 'goes on' | 'held';

/** Every background job, and what becomes of its timers and queued jobs. A test compares the list with the jobs. */
export const TIMER_RULES: Readonly<Record<string, TimerRule>> = {
  'users.erase': 'goes on',
  'lab-connections.empty-message': 'goes on',
  'samples.fold': 'goes on',
  'webhooks.remove_endpoint': 'goes on',
  'webhook-inbox.remove_received': 'goes on',
  'orders.request-requisition': 'held',
  'simulation.walk-on': 'held',
  'shipments.attend-order': 'held',
  'shipments.follow-parcel': 'held',
  'shipments.look-after-parcel': 'held',
  'shipments.take-news': 'held',
  'shipments.send-kit': 'held',
  'lab-connections.take-messages': 'held',
  'lab-connections.withdraw-erased': 'held',
  'appointments.settle': 'held',
  'appointments.follow': 'held',
  'appointments.expire': 'held',
  'appointments.attend-order': 'held',
  'appointments.call-off-erased': 'held',
  'critical-results.open-record': 'held',
  'critical-results.escalate': 'held',
  'incoming-results.attend-kits': 'held',
  'mail.carry': 'held',
  'management.api-key-expiring': 'held',
  'management.api-key-expired': 'held',
  'brand.fetch-logo': 'held',
  'wearables.pull_history': 'held',
  'wearables.pull_due': 'held',
  'wearables.poll': 'held',
  'wearables.subscribe': 'held',
  'wearables.revoke': 'held',
  'wearables.disconnect_team': 'held',
  'wearables.demonstrate': 'held',
  'wearables.end_demo': 'held',
  'wearables.tell_history': 'held',
  'wearables.derive_activity': 'held',
  'continuous-queries.notice': 'held',
  'continuous-queries.evaluate': 'held',
  'continuous-queries.answer-for-all': 'held',
  'availability.refresh': 'held',
  'webhooks.replay_missing': 'held',
  'webhooks.move_queue': 'held',
  'pipelines.hand_on_backlog': 'held',
};

/** The timers that check whether an order is to be sent to a laboratory. */
export const ORDER_JOB = 'orders.request-requisition';
/** Messages for an event broker wait in a queue of their own. */
export const BROKER_QUEUE = 'pipeline_delivery';
