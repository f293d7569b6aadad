-- A push finds its stream by the id. As long as the table has no statistics, the key of five more columns looked as good
-- to the planner as the primary key, and went through all streams of the tenant; ids come from one sequence.
create unique index sample_stream_id on sample_stream (id);
