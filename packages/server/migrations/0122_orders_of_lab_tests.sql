-- Lists of orders are filtered by their lab test.
create index lab_order_of_lab_test on lab_order (team_id, environment, lab_test_id, created_at, id) where listed;
