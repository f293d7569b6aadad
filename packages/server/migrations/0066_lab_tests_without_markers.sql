-- An order that was refused could leave the lab test behind that was made for it, without its markers; the next order of
-- the same markers found it and asked the laboratory for nothing.
delete from lab_test t
where auto_generated
  and not exists (select from lab_test_marker m
    where m.team_id = t.team_id and m.environment = t.environment and m.lab_test_id = t.id)
  and not exists (select from lab_order o
    where o.team_id = t.team_id and o.environment = t.environment and o.lab_test_id = t.id);

-- What was ordered stays to be read, and is not found again.
update lab_test t set marker_key = 'without markers ' || id, status = 'inactive'
where auto_generated
  and not exists (select from lab_test_marker m
    where m.team_id = t.team_id and m.environment = t.environment and m.lab_test_id = t.id);
