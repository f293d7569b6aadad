-- Whether Medicare is billed and not expected to pay, so that the patient is to be given notice beforehand.
-- Decided when the order is placed: what is known of the patient's insurance may change later.
alter table lab_order add column abn_due boolean not null default false;
