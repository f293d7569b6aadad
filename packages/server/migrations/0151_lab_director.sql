-- The CLIA number and the director of a laboratory, which a result report has to name; null where they are not known.
-- Rollback: alter table lab drop column clia, drop column director. Reports print the CLIA number of the laboratory's message only.
alter table lab
  add column clia text,
  add column director text;
