-- 0246: profiles of a workload by their format.
--
-- Of one capture an XPlane file and a trace in Chrome's JSON tell the same: whoever brings one asks
-- whether the other is there, and of a workload without any there is nothing to look at.
CREATE INDEX profiles_of_format ON profiles (series_id, source_format);
