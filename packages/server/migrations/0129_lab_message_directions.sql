-- The newest message of a connection in one direction, also where all the others go in the other.
create index lab_message_of_direction on lab_message (team_id, environment, connection_id, direction, id);
