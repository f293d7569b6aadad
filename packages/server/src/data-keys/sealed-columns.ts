/**
 * Every column whose values are sealed with a tenant's data key; a value is bound to the name of its column. A test
 * checks that each bytea column of the database is in this list or the one below.
 */
// prettier-ignore
export const SEALED_COLUMNS = [
  'app_user.fallback_birth_date', 'user_info.document', 'health_insurance.document', 'event.data',
  'webhook_endpoint.headers', 'webhook_endpoint.secrets', 'webhook_attempt.response', 'webhook_attempt.exchange',
  'webhook_attempt_block.attempts',
  'event_pipeline.rabbitmq', 'event_pipeline.nats', 'idempotency_record.answer', 'lab_order.private',
  'lab_result.document', 'lab_result.printed', 'appointment.private', 'appointment.wish', 'appointment_event.data',
  'lab_connection.tls_material', 'lab_message.body', 'incoming_result.document', 'incoming_result.note', 'mail.message',
  'critical_result.private', 'critical_result_notification.private', 'ehr_pipeline.authentication',
  'provider_credential.private', 'lab_report_job.data', 'lab_report_review.reviewer', 'lab_report_review.changes',
  'connection.private', 'link_token.private', 'link_attempt.private', 'wearable_device.private', 'sample.more',
  'sample_chunk.samples', 'sample_segment.samples', 'wearable_summary.body', 'wearable_summary.raw', 'workout_stream.columns',
  'wearable_upload.outcome', 'continuous_query_result.document', 'order_name.name', 'lab_document.description', 'lab_document.content',
  'saved_view.document', 'user_app_key.private', 'brand_logo.content', 'webhook_inbox_request.head', 'webhook_inbox_request.body',
] as const;

/** Bytea columns that are not sealed: digests, and data about no person. */
// prettier-ignore
export const PLAIN_COLUMNS = [
  'api_key.digest', 'idempotency_record.request_hash', 'user_info.email_index', 'appointment.request_key',
  'appointment_place.key_index', 'appointment_place.site_index', 'appointment_place.slot_index',
  'lab_connection.token_digest', 'lab_connection.previous_token_digest', 'lab_message.digest', 'incoming_result.digest', 'tenant_key.wrapped_key',
  'tenant_key.wrapped_index_key', 'connection.external_index', 'link_token.digest', 'link_attempt.digest',
  'link_attempt.token_digest', 'link_attempt.browser', 'link_code.digest', 'wearable_device.device_key',
  'wearable_source.origin_key', 'wearable_summary.digest', 'workout_stream.digest',
  'break_glass.digest', 'webhook_inbox.token_digest',
  // A key that hides positions of the log from callers; a reader of the database sees the positions anyway.
  'access_log_seal.position_key',
] as const;
