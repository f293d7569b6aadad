-- What is sealed cannot be packed, and the server tried with every value that is long enough to lie outside of its row.
alter table app_user alter column fallback_birth_date set storage external;
alter table user_info alter column document set storage external;
alter table health_insurance alter column document set storage external;
alter table event alter column data set storage external;
alter table webhook_endpoint alter column headers set storage external, alter column secrets set storage external;
alter table webhook_attempt alter column response set storage external, alter column exchange set storage external;
alter table webhook_attempt_block alter column attempts set storage external;
alter table event_pipeline alter column rabbitmq set storage external, alter column nats set storage external;
alter table idempotency_record alter column answer set storage external;
alter table lab_order alter column private set storage external;
alter table lab_result alter column document set storage external, alter column printed set storage external;
alter table appointment alter column private set storage external, alter column wish set storage external;
alter table appointment_event alter column data set storage external;
alter table lab_connection alter column tls_material set storage external;
alter table lab_message alter column body set storage external;
alter table incoming_result alter column document set storage external, alter column note set storage external;
alter table mail alter column message set storage external;
alter table critical_result alter column private set storage external;
alter table critical_result_notification alter column private set storage external;
alter table ehr_pipeline alter column authentication set storage external;
alter table provider_credential alter column private set storage external;
alter table lab_report_job alter column data set storage external;
alter table lab_report_review alter column reviewer set storage external, alter column changes set storage external;
alter table connection alter column private set storage external;
alter table link_attempt alter column private set storage external;
alter table wearable_device alter column private set storage external;
alter table sample alter column more set storage external;
alter table sample_chunk alter column samples set storage external;
alter table sample_segment alter column samples set storage external;
alter table wearable_summary alter column body set storage external, alter column raw set storage external;
alter table workout_stream alter column columns set storage external;
alter table wearable_upload alter column outcome set storage external;
alter table continuous_query_result alter column document set storage external;
alter table order_name alter column name set storage external;

-- Those that wait are found by their status as well.
drop index lab_message_waiting;
