-- The character set of the orders that a laboratory gets, by its name in HL7 table 0211.
alter table lab_connection add column character_set text not null default 'UNICODE UTF-8'
  check (character_set in ('UNICODE UTF-8', 'ASCII', '8859/1', '8859/2', '8859/9', '8859/15'));
