-- The uploaded lab reports of a user, newest first.
create index lab_report_job_by_user on lab_report_job (team_id, environment, user_id, created_at desc, id desc);
drop index lab_report_job_of_user;
