-- Names are indexed without diacritics since orders can be placed for them with. Which of the older ones have any stands
-- in sealed columns alone: the service indexes the names of all earlier orders again in the background, in small batches,
-- and an order is found by its earlier name until then.
alter table lab_order no force row level security;
update lab_order set names_due = true
where not names_due and (patient_name_id is not null or recipient_name_id is not null);
alter table lab_order force row level security;
