SELECT {from_load:UInt64} > 0 AS count;
