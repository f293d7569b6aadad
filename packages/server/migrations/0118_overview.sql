-- What the overview of a team looks for. Every index is partial or read by a range of time, so that its cost does not
-- grow with what is finished.
create index critical_result_unread on critical_result (team_id, environment, escalation_due_at, id)
  where status <> 'acknowledged';
create index lab_report_job_in_review on lab_report_job (team_id, environment, updated_at, id)
  where status = 'pending_review';
-- Orders that wait for a next step, and those whose parcel was lost or not delivered.
create index lab_order_waiting on lab_order (team_id, environment, modality, step, updated_at, id)
  where listed and step not in ('completed', 'corrected', 'cancelled', 'do_not_process', 'sample_error', 'redraw_available');
create index lab_message_dead_of_team on lab_message (team_id, environment, created_at, id) where status = 'dead';
create index api_key_expiring on api_key (team_id, environment, expires_at, id)
  where deleted_at is null and replaced_by is null and expires_at is not null;
create index connection_lost on connection (team_id, environment, errored_at, id)
  where status = 'error' and removed_at is null;

-- The series of the trends.
create index lab_result_by_time on lab_result (team_id, environment, created_at);
create index connection_by_time on connection (team_id, environment, created_at) where removed_at is null;
