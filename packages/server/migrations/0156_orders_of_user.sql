-- The orders of a user in the order of a list, with what a list filters and sorts by, so that a page is read from here and
-- stops when it is full, and its total is counted without looking at an order. Not only of listed orders: it also stands
-- for the reference to the user, and so takes the place of the older index, which had neither the tenant nor the filters.
-- Rollback: create index lab_order_of_user on lab_order (user_id, created_at desc); drop index lab_order_by_user. Loses
-- nothing.
create index lab_order_by_user on lab_order (team_id, environment, user_id, created_at, id)
  include (listed, facet, updated_at, patient_name_id);
drop index lab_order_of_user;
