-- Reads of a patient's data by the Management API are written down too: of events, attempts and laboratories' messages.
alter table access_log drop constraint access_log_kind_check;
alter table access_log add constraint access_log_kind_check
  check (kind in ('api_key', 'access_token', 'break_glass', 'user', 'management_key'));
