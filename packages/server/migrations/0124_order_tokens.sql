-- Tokens with which a patient opens the hosted page of one order: to book its appointment, or to see its results.
alter table issued_token drop constraint issued_token_kind_check;
alter table issued_token
  add column order_id uuid,
  add constraint issued_token_kind_check check (kind in ('access', 'sign_in', 'portal', 'link', 'booking', 'results')),
  add constraint issued_token_order check ((kind in ('booking', 'results')) = (order_id is not null)),
  add foreign key (team_id, environment, order_id) references lab_order (team_id, environment, id)
    on delete cascade deferrable;
create index issued_token_of_order on issued_token (team_id, environment, order_id) where order_id is not null;

-- Who visits such a page is in the access log by the id of the token.
alter table access_log drop constraint access_log_kind_check;
alter table access_log add constraint access_log_kind_check
  check (kind in ('api_key', 'access_token', 'break_glass', 'user', 'management_key', 'member', 'patient_link'))
  not valid;
alter table access_log validate constraint access_log_kind_check;
