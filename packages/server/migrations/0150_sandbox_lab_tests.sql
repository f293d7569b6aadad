-- The catalog has lab tests that only new sandboxes get. The service's own types list the kinds of templates.
-- Rollback: delete from catalog_template where kind = 'sandbox_lab_test'; alter table catalog_template add constraint catalog_template_kind_check check (kind in ('lab_test', 'lab_account')). New sandboxes get the standard lab tests only.
alter table catalog_template drop constraint catalog_template_kind_check;
