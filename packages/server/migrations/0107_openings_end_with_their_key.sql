-- An opening ends when the key or the member that made it loses its privileges. This is what they were; null in openings
-- of earlier versions, which end with the revocation of the key or the removal of the member.
alter table break_glass add column opener_privileges text;
