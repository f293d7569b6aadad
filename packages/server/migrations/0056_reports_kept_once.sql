-- A report was kept twice: as it is, and as it is answered. What is answered, with what that leaves out beside it, is
-- the report; rows of before keep both. Processes of before read `document` and have to be stopped first.
alter table lab_result alter column document drop not null;
alter table lab_result add constraint lab_result_is_kept check (document is not null or printed is not null);
