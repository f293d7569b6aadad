-- The parts of an answer about results that never change, printed when the report was kept; sealed like the document.
-- Reading a result is then opening a text, not reading and printing its observations anew. Null in older rows.
alter table lab_result add column printed bytea;
